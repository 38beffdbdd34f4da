// SPDX-License-Identifier: MIT
// threads_shape.js - the trees of flame graphs by thread: the same stacks below a node for each thread. With many threads such a
// tree is many times larger than that of all stacks, so nodes are created on demand. The samples of each thread are sorted by
// their node of the stack tree; there, all descendants of a node follow it, so the samples at and below a node are a range.
import { NO_NODE } from "./stack_tree.js";
import { eachRange, maskOf } from "./weights.js";

/** Returns the first place in a range whose value is at least the limit. */
function lowerBound(values, from, until, limit) {
	let low = from;
	let high = until;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (values[middle] < limit) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Returns the numbers of all samples by their node, and where those of each node begin. Counting is many times faster than comparing. */
function orderOf(nodes, count) {
	const starts = new Uint32Array(count + 1);
	for (let i = 0; i < nodes.length; i++) starts[nodes[i] + 1]++;
	for (let node = 0; node < count; node++) starts[node + 1] += starts[node];
	const next = starts.slice();
	const order = new Uint32Array(nodes.length);
	for (let i = 0; i < nodes.length; i++) order[next[nodes[i]]++] = i;
	return { order, starts };
}

/** Returns the thread of each selected sample, from 1 on, and their numbers. */
function ownersOf(recording, selection) {
	const owners = new Uint32Array(recording.durations.length);
	const mask = maskOf(recording, selection);
	const counts = new Uint32Array(recording.threads.length);
	eachRange(recording, selection, (from, until, number) => {
		for (let i = from; i < until; i++) {
			if (mask && !mask[i]) continue;
			owners[i] = number + 1;
			counts[number]++;
		}
	});
	return { owners, counts };
}

/** Sorts the samples of a part by node, once for all selections. */
function sorted(part, tree) {
	part.byNode ??= orderOf(part.nodes, tree.count);
	return part.byNode;
}

/** Time and samples of threads at nodes of a tree, for shapes that end in threads. Functions from threadBase on stand for them. */
export class ThreadSums {
	constructor(tree, parts, selections, threadBase) {
		this.parts = [];
		let base = threadBase;
		parts.forEach((part, set) => {
			const { recording } = part;
			this.parts.push({ ...sorted(part, tree), ...ownersOf(recording, selections[set]), durations: recording.durations, base });
			base += recording.threads.length;
		});
	}

	/** Returns the threads with samples at nodes of a range: [{ fn, set, time, count }...]. */
	of(from, until) {
		return this.parts.flatMap(({ order, starts, owners, durations, base }, set) => {
			const sums = new Map();
			for (let i = starts[from]; i < starts[until]; i++) {
				const owner = owners[order[i]];
				if (!owner) continue;
				let sum = sums.get(owner);
				if (!sum) sums.set(owner, (sum = { fn: base + owner - 1, set, time: 0, count: 0 }));
				sum.time += durations[order[i]];
				sum.count++;
			}
			return [...sums.values()];
		});
	}
}

/** The selected samples of a recording, thread by thread, and those of each by node. */
class Arranged {
	constructor(part, set, selection, tree) {
		this.set = set;
		const { recording, nodes } = part;
		const { owners, counts } = ownersOf(recording, selection);
		this.ends = [0]; // of the samples of each thread
		for (const samples of counts) this.ends.push(this.ends.at(-1) + samples);
		const next = [0, ...this.ends.slice(0, -1)];
		const all = new Uint32Array(this.ends.at(-1));
		for (const sample of sorted(part, tree).order) if (owners[sample]) all[next[owners[sample]]++] = sample;
		this.places = new Uint32Array(all.length); // nodes
		this.times = new Float64Array(all.length + 1); // of all samples before each; whole nanoseconds, so nothing is rounded
		for (let i = 0; i < all.length; i++) {
			this.places[i] = nodes[all[i]];
			this.times[i + 1] = this.times[i] + recording.durations[all[i]];
		}
	}

	/** Returns the ranges of samples below nodes: `tops` has the node that each node is below, or 0. */
	rangesBelow(tops, ends, begin, end) {
		const ranges = [];
		for (let at = begin; at < end; ) {
			const place = tops[this.places[at]];
			const until = place ? lowerBound(this.places, at, end, ends[place]) : at + 1;
			if (place) ranges.push({ place, begin: at, end: until });
			at = until;
		}
		return ranges;
	}
}

/** Returns for each node the outermost one of a function that it is at or below, or 0. */
function topsOf({ count, parents, functions }, fn) {
	const tops = new Uint32Array(count);
	for (let node = 1; node < count; node++) tops[node] = tops[parents[node]] || (functions[node] === fn ? node : 0);
	return tops;
}

/** A node has the samples of ranges, each at and below a place of the tree: one, or several below a function that has the focus. */
export class ThreadsShape {
	/** parts: each recording with the nodes of its samples. Functions from threadBase on stand for threads. focus: a function, or null. */
	constructor(tree, parts, selections, threadBase, focus) {
		this.tree = tree;
		this.nodes = [{ fn: NO_NODE, parent: 0, children: [] }];
		this.parts = parts.map((part, set) => new Arranged(part, set, selections[set], tree));
		this.sums = this.parts.map(() => ({ time: 0, count: 0 }));
		const tops = focus === null ? null : topsOf(tree, focus);
		let fn = threadBase;
		for (const part of this.parts)
			for (let i = 1; i < part.ends.length; i++, fn++) {
				const [begin, end] = [part.ends[i - 1], part.ends[i]];
				const ranges = tops ? part.rangesBelow(tops, tree.ends, begin, end) : begin < end ? [{ place: 0, begin, end }] : [];
				if (ranges.length) this.#addThread(fn, part, ranges, focus);
			}
	}

	#addThread(fn, part, ranges, focus) {
		const thread = this.#push({ fn, parent: 0, part, ranges, children: null });
		this.nodes[0].children.push(thread);
		if (focus !== null) {
			this.nodes[thread].children = [this.#push({ fn: focus, parent: thread, part, ranges, children: null })];
			this.nodes[thread].hasNone = true;
		}
		this.sums[part.set].time += this.total(thread, part.set);
		this.sums[part.set].count += this.samples(thread, part.set);
	}

	#push(node) {
		return this.nodes.push(node) - 1;
	}

	fn(node) {
		return this.nodes[node].fn;
	}

	parent(node) {
		return this.nodes[node].parent;
	}

	children(number) {
		const node = this.nodes[number];
		node.children ??= this.#expand(node, number);
		return node.children;
	}

	#expand({ part, ranges }, parent) {
		const { parents, functions, ends } = this.tree;
		const byFunction = new Map();
		for (const { place, begin, end } of ranges)
			for (let at = lowerBound(part.places, begin, end, place + 1); at < end; ) {
				let child = part.places[at];
				while (parents[child] !== place) child = parents[child];
				const until = lowerBound(part.places, at, end, ends[child]);
				const fn = functions[child];
				if (!byFunction.has(fn)) byFunction.set(fn, this.#push({ fn, parent, part, ranges: [], children: null }));
				this.nodes[byFunction.get(fn)].ranges.push({ place: child, begin: at, end: until });
				at = until;
			}
		return [...byFunction.values()];
	}

	hasChildren(number) {
		return this.children(number).length > 0;
	}

	/** Returns the sum of a value over the ranges of a node in a set; nothing in the other. */
	#sum(number, set, value) {
		const { part, ranges } = this.nodes[number];
		return part.set === set ? ranges.reduce((sum, range) => sum + value(part, range), 0) : 0;
	}

	total(number, set) {
		return number ? this.#sum(number, set, ({ times }, { begin, end }) => times[end] - times[begin]) : this.sums[set].time;
	}

	samples(number, set) {
		return number ? this.#sum(number, set, (_, { begin, end }) => end - begin) : this.sums[set].count;
	}

	self(number, set) {
		if (!number || this.nodes[number].hasNone) return 0;
		return this.#sum(number, set, (part, range) => part.times[ownEnd(part, range)] - part.times[range.begin]);
	}

	/** Returns the samples of the node without those below it. */
	ownSamples(number, set) {
		if (!number || this.nodes[number].hasNone) return 0;
		return this.#sum(number, set, (part, range) => ownEnd(part, range) - range.begin);
	}
}

/** Returns the end of the samples at the place of a range itself, which come first. */
function ownEnd({ places }, { place, begin, end }) {
	return lowerBound(places, begin, end, place + 1);
}
