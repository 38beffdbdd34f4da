-- Losses of the selected runs: samples, their time, and time without samples; or calls, threads and functions.
SELECT
    toUInt64(sum(/*{first*/lost/*}*/)) AS one,
    toUInt64(sum(/*{second*/lost_ns/*}*/)) AS two,
    toUInt64(sum(/*{third*/unwatched_ns/*}*/)) AS three
FROM /*{table*/samples/*}*/
WHERE chunk != 0 AND /*{where*/1/*}*/
