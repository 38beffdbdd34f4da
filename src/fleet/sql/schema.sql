-- The tables of one server. `dwell store init` runs this on each; so can you: clickhouse-client -d DB --multiquery < schema.sql

-- A stack by the names of its functions, the outermost first, so that builds and hosts share it. path has the hash of
-- every prefix: a node of the call tree is one number, and summing a tree hashes nothing. A stack's own hash is the last.
CREATE TABLE IF NOT EXISTS stacks_local (
    hash UInt64,
    path Array(UInt64),
    names Array(String),
    objects Array(String)
) ENGINE = ReplacingMergeTree ORDER BY hash;

-- How often a stack was seen in a window of time. A chunk is what one INSERT stored, whole or not at all: by its number
-- `dwell store load` knows what is there already. Servers from 19.1 on get LowCardinality(String) for labels.
CREATE TABLE IF NOT EXISTS samples_local (
    service /*{label*/String/*}*/,
    version /*{label*/String/*}*/,
    host /*{label*/String/*}*/,
    rank Int32,
    job /*{label*/String/*}*/,
    labels /*{label*/String/*}*/,
    kind /*{label*/String/*}*/,
    win DateTime,
    stack UInt64,
    count UInt32,
    weight UInt64,
    chunk UInt64
) ENGINE = MergeTree PARTITION BY toYYYYMMDD(win) ORDER BY (service, kind, toStartOfHour(win), stack, host, rank, win);

-- The version of these tables.
CREATE VIEW IF NOT EXISTS dwell_schema AS SELECT toUInt32(1) AS version;
