-- The samples of each host, rank, version or other label; or its calls with their self time.
SELECT toString(/*{by*/host/*}*/) AS unit, toUInt64(sum(/*{amount*/count/*}*/)) AS amount, toUInt64(sum(/*{time*/weight/*}*/)) AS ns
FROM /*{table*/samples/*}*/
WHERE chunk = 0 AND /*{where*/1/*}*/
GROUP BY unit
ORDER BY ns DESC, unit
