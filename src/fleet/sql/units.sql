-- The samples of each host, rank, version or other label.
SELECT toString(/*{by*/host/*}*/) AS unit, toUInt64(sum(count)) AS samples, toUInt64(sum(weight)) AS ns
FROM samples
WHERE /*{where*/1/*}*/
GROUP BY unit
ORDER BY ns DESC, unit
