// SPDX-License-Identifier: MIT
// helpers.js - recordings for tests, as bytes that a page would carry.

function number(value, bytes) {
	while (value >= 0x80) {
		bytes.push((value % 0x80) | 0x80);
		value = Math.floor(value / 0x80);
	}
	bytes.push(value);
}

function steps(values, bytes) {
	let before = 0;
	for (const value of values) {
		const step = value - before;
		number(step < 0 ? -2 * step - 1 : 2 * step, bytes);
		before = value;
	}
}

/**
 * threads: [[{ stack: "a b c", at (us), ns, blocked, region }...]...]; stacks are from the outermost function inwards. calls: rows
 * with bins: [[number, count]...]. callsTree: its rows. ranks, pids, commands: of threads.
 */
export function bytesOf({ threads, calls = [], callsTree = [], regions = [], lines = [], meta = {}, ranks = [], pids = [], commands = [] }) {
	const names = [];
	const nodes = [{ depth: 0, children: new Map(), order: 0 }];
	const functionOf = (name) => (names.includes(name) ? names.indexOf(name) : names.push(name) - 1);
	for (const sample of threads.flat()) {
		let node = nodes[0];
		for (const name of sample.stack.split(" ")) {
			if (!node.children.has(name)) node.children.set(name, { fn: functionOf(name), depth: node.depth + 1, children: new Map() });
			node = node.children.get(name);
		}
		sample.node = node;
	}
	const ordered = [];
	const visit = (node) => {
		node.place = ordered.push(node) - 1;
		for (const child of node.children.values()) visit(child);
	};
	visit(nodes[0]);
	const head = {
		meta: { page_format: 1, nodes: ordered.length - 1, histogram_bins: 32, ns_per_tick: 0.5, wall_ns: null, notes: [], ...meta },
		functions: names.map((name) => ({ name, symbol: name, object: `lib${name[0]}.so.1` })),
		threads: threads.map((samples, i) => ({ pid: pids[i] ?? 1, tid: 10 + i, name: `t${i}`, command: commands[i] ?? "x", samples: samples.length, rank: ranks[i] ?? null })),
		calls: calls.map(({ bins, ...row }) => row),
		calls_tree: callsTree,
		regions,
	};
	const text = new TextEncoder().encode(JSON.stringify(head));
	const bytes = [];
	number(text.length, bytes);
	bytes.push(...text);
	for (let i = 1; i < ordered.length; i++) number(ordered[i - 1].depth + 1 - ordered[i].depth, bytes);
	for (let i = 1; i < ordered.length; i++) number(ordered[i].fn, bytes);
	const samples = threads.flat();
	steps(samples.map(({ at }) => at), bytes);
	for (const { node } of samples) number(node.place, bytes);
	steps(samples.map(({ ns }) => ns), bytes);
	for (const { blocked } of samples) number(blocked ? 1 : 0, bytes);
	if (regions.length) for (const { region = 0 } of samples) number(region, bytes);
	for (const { bins = [] } of calls) {
		number(bins.length, bytes);
		let before = 0;
		for (const [bin, count] of bins) {
			number(bin - before, bytes);
			number(count, bytes);
			before = bin;
		}
	}
	const inside = new TextEncoder().encode(JSON.stringify({ meta: {}, lines, instructions: [] }));
	number(inside.length, bytes);
	bytes.push(...inside);
	return Uint8Array.from(bytes);
}
