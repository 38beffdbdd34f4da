-- The sum in the receipt of a chunk, if it is stored; the other conditions are there for the index.
SELECT toUInt64(sum(whole)) AS stored
FROM /*{table*/samples_local/*}*/
WHERE service = /*{service*/''/*}*/ AND host = /*{host*/''/*}*/
    AND win >= toDateTime(/*{first*/0/*}*/) AND win <= toDateTime(/*{last*/0/*}*/)
    AND /*{receipts*/stack = 0/*}*/ AND chunk = /*{chunk*/0/*}*/
