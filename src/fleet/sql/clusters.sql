-- The number of shards of a cluster that this server knows; 0: it knows none of that name.
SELECT toUInt64(uniq(shard_num)) AS shards FROM system.clusters WHERE cluster = /*{cluster*/'fleet'/*}*/
