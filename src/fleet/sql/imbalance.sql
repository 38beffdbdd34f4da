-- How evenly the time of each function is spread over ranks (or hosts): a unit without the function counts as 0.
SELECT
    function,
    library,
    toUInt64(count() < /*{units*/1/*}*/ ? 0 : min(ns)) AS least,
    toUInt64(sum(ns) / /*{units*/1/*}*/) AS mean,
    toUInt64(max(ns)) AS most,
    argMax(unit, ns) AS where_most
FROM
(
    SELECT unit, function, library, sum(ns) AS ns
    FROM
    (
        SELECT toString(/*{by*/rank/*}*/) AS unit, stack, sum(weight) AS ns
        FROM samples
        WHERE chunk = 0 AND /*{where*/1/*}*/
        GROUP BY unit, stack
    ) AS sums
    ANY LEFT JOIN
    (
        SELECT hash AS stack, names[-1] AS function, objects[-1] AS library FROM stacks
    ) AS known USING stack
    GROUP BY unit, function, library
)
GROUP BY function, library
ORDER BY most - mean DESC, most DESC, function
LIMIT /*{limit*/40/*}*/
