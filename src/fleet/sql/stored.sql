-- What of a chunk is stored; the first conditions are there for the index.
SELECT toUInt64(sum(/*{check*/count/*}*/)) AS stored
FROM /*{table*/samples_local/*}*/
WHERE service = /*{service*/''/*}*/ AND host = /*{host*/''/*}*/
    AND win >= toDateTime(/*{first*/0/*}*/) AND win <= toDateTime(/*{last*/0/*}*/)
    AND chunk = /*{chunk*/0/*}*/
