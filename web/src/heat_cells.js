// SPDX-License-Identifier: MIT
// heat_cells.js - the time of samples in cells of a heat map: each column is a period, such as a second, and each row a part of it.
import { spread } from "./timeline.js";
import { eachRange, maskOf } from "./weights.js";

const PERIODS = [0.001, 0.01, 0.1, 1, 10, 60, 600, 3600]; // seconds of a column
const COLUMNS = 300; // at most
const ROWS = 50;

/** Returns the seconds of a column and the number of rows, so that cells are not shorter than the time between samples. */
export function gridOf(seconds, rate) {
	const period = PERIODS.find((one) => seconds / one <= COLUMNS) ?? PERIODS.at(-1);
	const rows = Math.max(5, Math.min(ROWS, Math.floor(period * (rate || 1000))));
	return { period, rows, columns: Math.max(1, Math.ceil(seconds / period)) };
}

/** Returns the nanoseconds in each cell, column by column: cells are in the order of time. */
export function cellsOf(recording, { span: _, ...selection }, { period, rows, columns }) {
	const { times, durations } = recording;
	const cells = new Float64Array(rows * columns);
	const width = (period * 1e9) / rows;
	const mask = maskOf(recording, selection);
	eachRange(recording, { ...selection, span: null }, (from, until) => {
		for (let i = from; i < until; i++) if (!mask || mask[i]) spread(cells, times[i] * 1e3, durations[i], width);
	});
	return cells;
}

/** Returns the time that has the full color; a few cells have more, because of late samples. */
export function fullOf(cells) {
	const used = cells.filter((ns) => ns > 0).sort();
	return used.length ? used[Math.floor(0.98 * (used.length - 1))] : 1;
}
