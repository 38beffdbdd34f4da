-- How evenly the self time in calls of each function is spread over ranks (or hosts); the total time if only a part of
-- the calls was timed.
SELECT
    function_name,
    object,
    toUInt64(count() < /*{units*/1/*}*/ ? 0 : min(ns)) AS least_ns,
    toUInt64(sum(ns) / /*{units*/1/*}*/) AS mean_ns,
    toUInt64(max(ns)) AS most_ns,
    argMax(unit, ns) AS where_most
FROM
(
    SELECT
        toString(/*{by*/rank/*}*/) AS unit,
        toString(any(function)) AS function_name,
        symbol,
        symbol_version,
        toString(library) AS object,
        greatest(sum(timing = 'sampled' ? total : self), 0) AS ns
    FROM calls
    WHERE chunk = 0 AND /*{where*/1/*}*/
    GROUP BY unit, symbol, symbol_version, object
)
GROUP BY function_name, symbol, symbol_version, object
HAVING most_ns > 0
ORDER BY most_ns - mean_ns DESC, most_ns DESC, function_name
LIMIT /*{limit*/40/*}*/
