-- The tables of one server. `dwell store init` runs this on each; so can you: clickhouse-client -d DB --multiquery < schema.sql

-- A stack by the names of its functions, the outermost first, so that builds and hosts share it. path has the hash of
-- every prefix: a node of the call tree is one number, and summing a tree hashes nothing. A stack's own hash is the last.
CREATE TABLE IF NOT EXISTS stacks_local (
    hash UInt64,
    path Array(UInt64),
    names Array(String),
    objects Array(String)
) ENGINE = ReplacingMergeTree ORDER BY hash;

-- How often a stack was seen in a window of time. An INSERT stores a chunk, whole or not at all, since that is in one
-- partition. One row of each chunk is its receipt, of no stack (0) and no samples: it has the number of the chunk, by which
-- `dwell store load` knows what is there already, the sum of its samples, and the losses of the run. All other rows
-- have 0 there, which takes no space. Servers from 19.1 on get LowCardinality(String) for labels.
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
    chunk UInt64,
    whole UInt64,
    lost UInt64,
    lost_ns UInt64,
    unwatched_ns UInt64
) ENGINE = MergeTree PARTITION BY toYYYYMMDD(win, 'UTC') ORDER BY (service, kind, toStartOfHour(win), stack, version, win, host, rank);

-- Counted calls of a function from one object, in one recording; win is the window in which it begins. Times are in
-- nanoseconds: of all calls (spent), without calls nested in calls of the same function (total), without other counted
-- functions (self). bins and counts are the histogram of the durations d that were measured: bin d below 64, from there
-- on 32 bins for each power of two. Receipts are as in samples_local, of no function; their sum is of calls, and of their ends.
CREATE TABLE IF NOT EXISTS calls_local (
    service /*{label*/String/*}*/,
    version /*{label*/String/*}*/,
    host /*{label*/String/*}*/,
    rank Int32,
    job /*{label*/String/*}*/,
    labels /*{label*/String/*}*/,
    timing /*{label*/String/*}*/,
    win DateTime,
    function /*{label*/String/*}*/,
    symbol /*{label*/String/*}*/,
    symbol_version /*{label*/String/*}*/,
    library /*{label*/String/*}*/,
    caller /*{label*/String/*}*/,
    calls UInt64,
    returned UInt64,
    escaped UInt64,
    abandoned UInt64,
    untimed UInt64,
    spent Int64,
    total Int64,
    self Int64,
    nested UInt8,
    weight UInt64,
    squares UInt64,
    least UInt64,
    most UInt64,
    bins Array(UInt16),
    counts Array(UInt64),
    chunk UInt64,
    whole UInt64,
    lost_calls UInt64,
    lost_threads UInt64,
    lost_functions UInt64
) ENGINE = MergeTree PARTITION BY toYYYYMMDD(win, 'UTC') ORDER BY (service, toStartOfHour(win), library, symbol, host, rank, win);

-- The version of these tables.
CREATE VIEW IF NOT EXISTS dwell_schema AS SELECT toUInt32(2) AS version;
