// SPDX-License-Identifier: MIT
// threads_shape.js - the tree of a flame graph by thread: the same stacks below a node for each thread. With many threads such a
// tree is many times larger than that of all stacks, so nodes are created on demand. The samples of each thread are sorted by
// their node of the stack tree; there, all descendants of a node follow it, so the samples at and below a node are a range.
import { NO_NODE } from "./stack_tree.js";
import { eachRange } from "./weights.js";

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

/** Returns the numbers of all samples by their node. Counting is many times faster than comparing. */
function orderOf(nodes, count) {
	const next = new Uint32Array(count + 1);
	for (let i = 0; i < nodes.length; i++) next[nodes[i] + 1]++;
	for (let node = 0; node < count; node++) next[node + 1] += next[node];
	const order = new Uint32Array(nodes.length);
	for (let i = 0; i < nodes.length; i++) order[next[nodes[i]]++] = i;
	return order;
}

/** The selected samples of a recording, thread by thread, and those of each by node. */
class Arranged {
	constructor({ recording, nodes, order }, set, selection) {
		this.set = set;
		this.ends = [0]; // of the samples of each thread
		const owners = this.#ownersOf(recording, selection);
		const next = [0, ...this.ends.slice(0, -1)];
		const all = new Uint32Array(this.ends.at(-1));
		for (const sample of order) if (owners[sample]) all[next[owners[sample]]++] = sample;
		this.places = new Uint32Array(all.length); // nodes
		this.times = new Float64Array(all.length + 1); // of all samples before each; whole nanoseconds, so nothing is rounded
		for (let i = 0; i < all.length; i++) {
			this.places[i] = nodes[all[i]];
			this.times[i + 1] = this.times[i] + recording.durations[all[i]];
		}
	}

	/** Returns the thread of each selected sample, from 1 on, and counts them. */
	#ownersOf(recording, selection) {
		const owners = new Uint32Array(recording.durations.length);
		const wanted = selection.state === "waiting" ? 1 : 0;
		const counts = new Uint32Array(recording.threads.length);
		eachRange(recording, selection, (from, until, number) => {
			for (let i = from; i < until; i++) {
				if (selection.state !== "all" && recording.blocked[i] !== wanted) continue;
				owners[i] = number + 1;
				counts[number]++;
			}
		});
		for (const samples of counts) this.ends.push(this.ends.at(-1) + samples);
		return owners;
	}
}

export class ThreadsShape {
	/** parts: each recording with the nodes of its samples. Functions from threadBase on stand for threads. */
	constructor(tree, parts, selections, threadBase) {
		this.tree = tree;
		this.nodes = [{ fn: NO_NODE, parent: 0, children: [] }];
		this.parts = parts.map((part, set) => {
			part.order ??= orderOf(part.nodes, tree.count);
			return new Arranged(part, set, selections[set]);
		});
		let fn = threadBase;
		for (const part of this.parts)
			for (let i = 1; i < part.ends.length; i++, fn++) {
				const [begin, end] = [part.ends[i - 1], part.ends[i]];
				if (begin < end) this.nodes[0].children.push(this.#push({ fn, parent: 0, part, place: 0, begin, end, children: null }));
			}
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

	#expand({ part, place, begin, end }, parent) {
		const { parents, functions, ends } = this.tree;
		const children = [];
		for (let at = lowerBound(part.places, begin, end, place + 1); at < end; ) {
			let child = part.places[at];
			while (parents[child] !== place) child = parents[child];
			const until = lowerBound(part.places, at, end, ends[child]);
			children.push(this.#push({ fn: functions[child], parent, part, place: child, begin: at, end: until, children: null }));
			at = until;
		}
		return children;
	}

	hasChildren(number) {
		return this.children(number).length > 0;
	}

	/** Returns the range of a node's samples in a set; an empty one in the other. */
	#range(number, set) {
		const { part, begin, end } = this.nodes[number];
		if (!number) return [0, this.parts[set].places.length];
		return part.set === set ? [begin, end] : [0, 0];
	}

	total(number, set) {
		const [begin, end] = this.#range(number, set);
		return this.parts[set].times[end] - this.parts[set].times[begin];
	}

	samples(number, set) {
		const [begin, end] = this.#range(number, set);
		return end - begin;
	}

	self(number, set) {
		const [begin] = this.#range(number, set);
		return this.parts[set].times[begin + this.ownSamples(number, set)] - this.parts[set].times[begin];
	}

	/** Returns the samples of the node without those below it. */
	ownSamples(number, set) {
		const [begin, end] = this.#range(number, set);
		return number ? lowerBound(this.parts[set].places, begin, end, this.nodes[number].place + 1) - begin : 0;
	}
}
