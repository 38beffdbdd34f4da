// SPDX-License-Identifier: MIT
// significance.js - tests if counts of samples in two recordings differ by more than chance.

/** Up to this many events, probabilities are added up one by one; above, the normal distribution is close enough. */
const EXACT = 400;

function logChoose(n, k) {
	let sum = 0;
	for (let i = 1; i <= k; i++) sum += Math.log((n - k + i) / i);
	return sum;
}

/** Returns the probability of more than k of n events, plus half of that of exactly k. */
function upperTail(k, n, probability) {
	let sum = 0;
	for (let i = k; i <= n; i++) {
		const log = logChoose(n, Math.min(i, n - i)) + i * Math.log(probability) + (n - i) * Math.log1p(-probability);
		sum += Math.exp(log) * (i === k ? 0.5 : 1);
	}
	return sum;
}

/** Returns the area of the normal distribution above z (Abramowitz and Stegun 26.2.17, accurate to 1e-7). */
function normalTail(z) {
	const t = 1 / (1 + 0.2316419 * z);
	const series =
		t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
	return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}

/**
* Returns the probability that two counts of events, over two exposures, differ so much if their rates are the same:
* each event is one of the first with the odds of the exposures.
 */
export function pValue(a, exposureA, b, exposureB) {
	const n = a + b;
	if (!n || !(exposureA > 0) || !(exposureB > 0)) return 1;
	const odds = exposureA / (exposureA + exposureB);
	if (n <= EXACT) return Math.min(1, 2 * Math.min(upperTail(a, n, odds), upperTail(b, n, 1 - odds)));
	const z = Math.abs(a - n * odds) / Math.sqrt(n * odds * (1 - odds));
	return Math.min(1, 2 * normalTail(z));
}

/** Returns the p-value up to which results are significant, with at most that share of them by chance (Benjamini and Hochberg). */
export function limitOf(values, level) {
	const sorted = Float64Array.from(values).sort();
	for (let i = sorted.length - 1; i >= 0; i--)
		if (sorted[i] <= (level * (i + 1)) / sorted.length) return sorted[i];
	return -1;
}
