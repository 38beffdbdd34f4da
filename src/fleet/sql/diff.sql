-- Two sides compared: the time of each function on each, with all that it calls (part 1) and alone (part 2), and of everything (part 0).
-- A unit is a host of one side; run_sum and run_squares are sums over units, of a unit's time or its share of the unit's
-- whole, and of the squares: they show how much units differ. A number stands for a function: odd for part 1, even for part 2.
-- Units come one after the other, so that the sums of one are in the processor's cache: that is twice as fast.
SELECT
    is_new,
    toUInt8(function = 0 ? 0 : 2 - function % 2) AS part,
    toString(name) AS function_name,
    toString(object) AS library,
    units,
    all_samples,
    all_ns,
    all_squares,
    run_sum,
    run_squares
FROM
(
    SELECT
        toUInt8(unit % 2) AS is_new,
        function,
        toUInt64(count()) AS units,
        toUInt64(sum(unit_samples)) AS all_samples,
        toUInt64(sum(unit_ns)) AS all_ns,
        toFloat64(sum(unit_squares)) AS all_squares,
        toFloat64(sum(value)) AS run_sum,
        toFloat64(sum(value * value)) AS run_squares
    FROM
    (
        SELECT
            unit,
            function,
            unit_samples,
            unit_ns,
            unit_squares,
            whole > 0 AND function != 0 ? unit_ns / whole : toFloat64(unit_ns) AS value
        FROM
        (
            SELECT unit, function, sum(samples) AS unit_samples, sum(ns) AS unit_ns, sum(squares) AS unit_squares
            FROM
            (
                SELECT
                    unit,
                    samples,
                    ns,
                    toFloat64(ns) * ns / samples AS squares,
                    empty(known_functions) ? [toUInt64(0), toUInt64(1), toUInt64(2)] : known_functions AS functions
                FROM
                (
                    SELECT
                        intDiv(cityHash64(toString(/*{by*/host/*}*/)), 2) * 2 + (/*{side*/version = 'new'/*}*/) AS unit,
                        stack,
                        sum(count) AS samples,
                        sum(weight) AS ns
                    FROM samples
                    WHERE chunk = 0 AND /*{where*/1/*}*/
                    GROUP BY unit, stack
                    ORDER BY unit
                ) AS sums
                ANY LEFT JOIN
                (
                    SELECT
                        hash AS stack,
                        arrayMap((name, object) -> cityHash64(name, object), names, objects) AS ids,
                        arrayFilter((id, nth) -> nth = 1, ids, arrayEnumerateUniq(ids)) AS distinct_ids,
                        arrayMap(id -> bitOr(id, 1), distinct_ids) AS totals,
                        arrayConcat([toUInt64(0), bitAnd(ids[-1], 18446744073709551614)], totals) AS known_functions
                    FROM stacks
                ) AS known USING stack
            )
            ARRAY JOIN functions AS function
            GROUP BY unit, function
        ) AS of_units
        ANY LEFT JOIN
        (
            SELECT
                intDiv(cityHash64(toString(/*{by*/host/*}*/)), 2) * 2 + (/*{side*/version = 'new'/*}*/) AS unit,
                sum(weight) AS whole
            FROM samples
            WHERE chunk = 0 AND /*{normalize*/0/*}*/ AND /*{where*/1/*}*/
            GROUP BY unit
        ) AS wholes USING unit
    )
    GROUP BY is_new, function
) AS of_sides
ANY LEFT JOIN
(
    SELECT function, name, object
    FROM
    (
        SELECT cityHash64(name, object) AS id, name, object
        FROM stacks
        ARRAY JOIN names AS name, objects AS object
        GROUP BY name, object
    )
    ARRAY JOIN [bitOr(id, 1), bitAnd(id, 18446744073709551614)] AS function
) AS named USING function
