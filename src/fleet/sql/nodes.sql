-- The call tree: for each node its caller's, its function, and the samples in it alone and with all below it. The servers
-- sum by stack; what is left is a row per stack, which the stored path turns into nodes.
SELECT
    unit,
    node,
    any(caller) AS called_by,
    any(name) AS function,
    any(object) AS library,
    toUInt64(sum(node = stack ? samples : 0)) AS self_samples,
    toUInt64(sum(node = stack ? ns : 0)) AS self_ns,
    toUInt64(sum(samples)) AS total_samples,
    toUInt64(sum(ns)) AS total_ns
FROM
(
    SELECT
        unit,
        stack,
        samples,
        ns,
        empty(path) ? [stack] : path AS nodes,
        empty(path) ? ['[unknown]'] : names AS functions,
        empty(path) ? ['[unknown]'] : objects AS libraries,
        arrayPushFront(arrayPopBack(nodes), toUInt64(0)) AS callers
    FROM
    (
        SELECT toString(/*{by*/''/*}*/) AS unit, stack, sum(count) AS samples, sum(weight) AS ns
        FROM samples
        WHERE chunk = 0 AND /*{where*/1/*}*/
        GROUP BY unit, stack
    ) AS sums
    ANY LEFT JOIN
    (
        SELECT hash AS stack, path, names, objects FROM stacks
    ) AS known USING stack
)
ARRAY JOIN nodes AS node, callers AS caller, functions AS name, libraries AS object
GROUP BY unit, node
HAVING total_ns >= /*{least*/0/*}*/
