-- What a selection contains as a whole: of samples, or of calls with their self time and timing instead.
SELECT
    toUInt64(sum(/*{amount*/count/*}*/)) AS amount,
    toUInt64(sum(/*{time*/weight/*}*/)) AS ns,
    toUInt64(uniqExact(host)) AS hosts,
    toUInt64(uniqExact(rank)) AS ranks,
    toUInt64(uniqExact(/*{by*/host/*}*/)) AS units,
    toUInt64(uniqExact(/*{kind*/kind/*}*/)) AS kinds,
    toString(any(/*{kind*/kind/*}*/)) AS a_kind,
    toUInt32(min(win)) AS first,
    toUInt32(max(win)) AS last
FROM /*{table*/samples/*}*/
WHERE chunk = 0 AND /*{where*/1/*}*/
