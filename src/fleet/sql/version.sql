-- The version of the tables.
SELECT toUInt32(version) FROM dwell_schema
