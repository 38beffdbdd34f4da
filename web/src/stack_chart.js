// SPDX-License-Identifier: MIT
// stack_chart.js - lays out the stacks of one thread in the order of time: samples side by side, equal frames of neighbours as one.
import { NO_NODE } from "./stack_tree.js";
import { firstAt } from "./weights.js";

/**
 * Returns the node of the sample that has most of each column of a span (in seconds), NO_NODE where no sample is. A sample
 * stands for the duration before its time. `wanted(i)` chooses samples.
 */
export function columnsOf(recording, nodes, thread, [from, until], count, wanted) {
	const { times, durations } = recording;
	const found = new Uint32Array(count).fill(NO_NODE);
	const most = new Float64Array(count);
	const begin = from * 1e6;
	const width = ((until - from) * 1e6) / count;
	for (let i = firstAt(times, thread, begin); i < thread.end; i++) {
		const end = (times[i] - begin) / width;
		const start = (times[i] - durations[i] / 1e3 - begin) / width;
		if (start >= count) break;
		if (!wanted(i)) continue;
		for (let column = Math.max(0, Math.floor(start)); column < count && column < end; column++) {
			const part = Math.min(end, column + 1) - Math.max(start, column);
			if (part <= most[column]) continue;
			most[column] = part;
			found[column] = nodes[i];
		}
	}
	return found;
}

/** Returns the nodes from the outermost function to a node. */
function wayTo(tree, node) {
	const way = [];
	for (let at = node; at !== 0; at = tree.parents[at]) way.push(at);
	return way.reverse();
}

/** Returns the boxes of columns that are each a pixel wide. Neighbours with the same stack up to a frame share its box. */
export function boxesOf(columns, tree) {
	const boxes = [];
	let open = [];
	for (let x = 0; x < columns.length; x++) {
		if (columns[x] === NO_NODE) {
			open = [];
			continue;
		}
		if (x && columns[x] === columns[x - 1]) {
			for (const box of open) box.width++;
			continue;
		}
		const way = wayTo(tree, columns[x]);
		let same = 0;
		while (same < open.length && same < way.length && open[same].node === way[same]) open[same++].width++;
		open.length = same;
		for (let row = same; row < way.length; row++) {
			open.push({ node: way[row], x, width: 1, row, parent: open[row - 1] });
			boxes.push(open[row]);
		}
	}
	return boxes;
}
