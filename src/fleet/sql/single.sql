-- The same names on a server that is alone.
CREATE TABLE IF NOT EXISTS stacks AS stacks_local ENGINE = Merge(currentDatabase(), '^stacks_local$');

CREATE TABLE IF NOT EXISTS samples AS samples_local ENGINE = Merge(currentDatabase(), '^samples_local$');

CREATE TABLE IF NOT EXISTS calls AS calls_local ENGINE = Merge(currentDatabase(), '^calls_local$');
