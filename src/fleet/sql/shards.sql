-- All servers of a cluster as one table each, for queries. A host's samples are on one server, its stacks beside them.
CREATE TABLE IF NOT EXISTS stacks AS stacks_local
    ENGINE = Distributed(/*{cluster*/fleet/*}*/, currentDatabase(), stacks_local, hash);

CREATE TABLE IF NOT EXISTS samples AS samples_local
    ENGINE = Distributed(/*{cluster*/fleet/*}*/, currentDatabase(), samples_local, cityHash64(host));

CREATE TABLE IF NOT EXISTS calls AS calls_local
    ENGINE = Distributed(/*{cluster*/fleet/*}*/, currentDatabase(), calls_local, cityHash64(host));
