-- The samples of a chunk that are stored; the first conditions are there for the index.
SELECT toUInt64(sum(count)) AS samples
FROM samples_local
WHERE service = /*{service*/''/*}*/ AND host = /*{host*/''/*}*/
    AND win >= toDateTime(/*{first*/0/*}*/) AND win <= toDateTime(/*{last*/0/*}*/)
    AND chunk = /*{chunk*/0/*}*/
