// SPDX-License-Identifier: MIT
// histogram.js - draws the durations of calls, on a logarithmic axis of time.
import { drawn } from "./dom.js";
import { count, niceStep, share, time } from "./format.js";

/** Returns bars of equal width on a logarithmic scale, for histograms whose bins differ in width. */
export function barsOf(histogram, from, until, bars) {
	const low = Math.log(from);
	const span = Math.log(until) - low || 1;
	const heights = new Float64Array(bars);
	for (const [begin, end, calls] of histogram) {
		const middle = Math.log(Math.max(from, (begin + end) / 2));
		const bar = Math.floor(((middle - low) / span) * bars);
		heights[Math.max(0, Math.min(bars - 1, bar))] += calls;
	}
	return heights;
}

/** Returns the range from the shortest call to the longest, with a margin. */
export function rangeOf(row) {
	const from = Math.max(1, row.min_ns) / 1.15;
	return [from, Math.max(from * 2, row.max_ns * 1.15)];
}

/** Draws a small histogram, for a cell. */
export function sparkline(row) {
	const [from, until] = rangeOf(row);
	const bars = 30;
	const heights = barsOf(row.histogram, from, until, bars);
	const highest = Math.max(...heights) || 1;
	const image = drawn("svg", { class: "spark", viewBox: "0 0 120 20", preserveAspectRatio: "none", role: "img" });
	image.append(drawn("title", {}, `from ${time(row.min_ns)} to ${time(row.max_ns)}`));
	heights.forEach((height, i) => {
		if (!height) return;
		const tall = Math.max(1, 19 * Math.sqrt(height / highest));
		image.append(drawn("rect", { x: i * 4, y: 20 - tall, width: 3, height: tall }));
	});
	return image;
}

const HEIGHT = 230;
const TOP = 44;
const FLOOR = HEIGHT - 26;

/** Draws a large histogram of the given width, with marks at the percentiles. */
export function chart(row, width) {
	const [from, until] = rangeOf(row);
	const x = (ns) => ((Math.log(Math.max(from, ns)) - Math.log(from)) / (Math.log(until) - Math.log(from))) * width;
	const image = drawn("svg", {
		class: "histogram",
		viewBox: `0 0 ${width} ${HEIGHT}`,
		role: "img",
		"aria-label": `how long calls of ${row.name} took: half up to ${time(row.p50_ns)}, 99 in 100 up to ${time(row.p99_ns)}`,
	});
	image.append(...axis(from, until, x, width), ...chartBars(row, from, until, width), ...percentiles(row, x, width));
	return image;
}

function chartBars(row, from, until, width) {
	const bars = Math.round(width / 8);
	const heights = barsOf(row.histogram, from, until, bars);
	const highest = Math.max(...heights) || 1;
	const all = heights.reduce((sum, height) => sum + height, 0);
	const wide = width / bars;
	const made = [];
	heights.forEach((height, i) => {
		if (!height) return;
		const tall = Math.max(1.5, ((FLOOR - TOP) * height) / highest);
		const begin = from * (until / from) ** (i / bars);
		const end = from * (until / from) ** ((i + 1) / bars);
		const bar = drawn("rect", { class: "bar", x: i * wide + 0.5, y: FLOOR - tall, width: wide - 1, height: tall, rx: 1 });
		bar.append(drawn("title", {}, `${time(begin)} to ${time(end)}: ${count(height)} calls, ${share(height, all)}`));
		made.push(bar);
	});
	return made;
}

/** Draws ticks at 1, 2 and 5 of each decade where there is room. */
function axis(from, until, x, width) {
	const made = [drawn("line", { class: "axis", x1: 0, x2: width, y1: FLOOR, y2: FLOOR })];
	let last = -100;
	for (let ns = niceStep(from); ns <= until; ns = niceStep(ns * 1.01)) {
		const at = x(ns);
		if (at - last < 62 || at > width - 20 || at < 20) continue;
		last = at;
		made.push(
			drawn("line", { class: "axis", x1: at, x2: at, y1: FLOOR, y2: FLOOR + 4 }),
			drawn("text", { x: at, y: FLOOR + 18, "text-anchor": "middle" }, time(ns).replace(/\.0+ /, " ")),
		);
	}
	return made;
}

/** Draws the percentiles, with their labels in steps so that they do not overlap. */
function percentiles(row, x, width) {
	return [
		["p50", row.p50_ns],
		["p90", row.p90_ns],
		["p99", row.p99_ns],
	].flatMap(([name, ns], step) => {
		const at = x(ns);
		const y = 12 + step * 14;
		const isRight = at > width - 90;
		return [
			drawn("line", { class: `mark ${name}`, x1: at, x2: at, y1: y - 8, y2: FLOOR }),
			drawn(
				"text",
				{ class: `mark ${name}`, x: at + (isRight ? -5 : 5), y, "text-anchor": isRight ? "end" : "start" },
				`${name} ${time(ns)}`,
			),
		];
	});
}
