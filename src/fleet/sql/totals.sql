-- What a selection contains as a whole.
SELECT
    toUInt64(sum(count)) AS samples,
    toUInt64(sum(weight)) AS ns,
    toUInt64(uniqExact(host)) AS hosts,
    toUInt64(uniqExact(rank)) AS ranks,
    toUInt64(uniqExact(/*{by*/host/*}*/)) AS units,
    toUInt64(uniqExact(kind)) AS kinds,
    toString(any(kind)) AS a_kind,
    toUInt32(min(win)) AS first,
    toUInt32(max(win)) AS last
FROM samples
WHERE /*{where*/1/*}*/
