-- Counted calls of each function, and of each host, rank, version, caller or other label. Bins of the histogram are of
-- nanoseconds; percentiles are taken from their sums.
SELECT
    toString(/*{by*/''/*}*/) AS unit,
    toString(any(function)) AS name,
    toString(symbol) AS function_symbol,
    toString(symbol_version) AS function_version,
    toString(library) AS object,
    toUInt64(sum(calls)) AS all_calls,
    toUInt64(sum(returned)) AS all_returned,
    toUInt64(sum(escaped)) AS all_escaped,
    toUInt64(sum(abandoned)) AS all_abandoned,
    toUInt64(sum(untimed)) AS all_untimed,
    toInt64(sum(spent)) AS spent_ns,
    toInt64(sum(total)) AS total_ns,
    toInt64(sum(self)) AS self_ns,
    toUInt8(max(nested)) AS is_nested,
    toUInt64(sum(weight)) AS all_weight,
    toUInt64(sum(squares)) AS all_squares,
    toUInt64(minIf(least, weight > 0)) AS min_ns,
    toUInt64(max(most)) AS max_ns,
    sumMap(bins, counts) AS histogram
FROM calls
WHERE chunk = 0 AND /*{where*/1/*}*/
GROUP BY unit, symbol, symbol_version, library
