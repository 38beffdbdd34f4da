// SPDX-License-Identifier: MIT
// flame_shapes.js - the trees that a flame graph can have the shape of: as recorded, by thread, below one function, and
// upside down. All answer the same questions: children(node), fn(node), values of a node.
import { GrowingTree, NO_NODE, StackTree } from "./stack_tree.js";
import { Weights } from "./weights.js";

/** A tree and what each set of samples (one, or old and new) has at its nodes. */
export class PlainShape {
	constructor(tree, weights) {
		this.tree = tree;
		this.weights = weights;
	}

	fn(node) {
		return this.tree.functions[node];
	}

	parent(node) {
		return this.tree.parents[node];
	}

	children(node) {
		return this.tree.children(node).filter((child) => this.weights.some((weights) => weights.totalSamples[child]));
	}

	total(node, set) {
		return this.weights[set].total[node];
	}

	samples(node, set) {
		return this.weights[set].totalSamples[node];
	}

	self(node, set) {
		return this.weights[set].self[node];
	}
}

/**
 * Upside down: below each function those that called it, with the time it took itself; or below one function alone, with
 * its total time. Such a tree is much larger than the other one, so nodes are made when they are asked for, which is
 * when they are wide enough to be seen.
 */
export class InvertedShape {
	constructor(tree, weights, focus) {
		this.tree = tree;
		this.weights = weights;
		this.focus = focus;
		this.nodes = [{ fn: NO_NODE, parent: 0, entries: null, children: null, ...this.#sums() }];
		const root = this.nodes[0];
		root.children = this.#group(0, focus === null ? this.#leaves() : this.#calls());
		for (const child of root.children)
			for (let set = 0; set < weights.length; set++) {
				root.time[set] += this.nodes[child].time[set];
				root.count[set] += this.nodes[child].count[set];
			}
	}

	/** How many samples and how much time of each set there are, at first none. */
	#sums() {
		return { time: this.weights.map(() => 0), count: this.weights.map(() => 0) };
	}

	fn(node) {
		return this.nodes[node].fn;
	}

	parent(node) {
		return this.nodes[node].parent;
	}

	total(node, set) {
		return this.nodes[node].time[set];
	}

	samples(node, set) {
		return this.nodes[node].count[set];
	}

	/** All of it at the top, where functions are on their own; callers further down took none themselves. */
	self(node, set) {
		return node && this.nodes[node].parent === 0 ? this.nodes[node].time[set] : 0;
	}

	children(node) {
		const parent = this.nodes[node];
		if (!parent.children) {
			parent.children = this.#group(node, this.#callers(parent));
			parent.entries = null;
		}
		return parent.children;
	}

	/** Pairs of a node of the tree and what it stands for: [node, times, counts]. */
	*#leaves() {
		const { count } = this.tree;
		for (let node = 1; node < count; node++)
			if (this.weights.some((weights) => weights.selfSamples[node]))
				yield [node, this.weights.map((w) => w.self[node]), this.weights.map((w) => w.selfSamples[node])];
	}

	/** The same of all calls of one function, with what they took in all. */
	*#calls() {
		const { count, functions, outermost } = this.tree;
		for (let node = 1; node < count; node++)
			if (functions[node] === this.focus && outermost[node] && this.weights.some((weights) => weights.totalSamples[node]))
				yield [node, this.weights.map((w) => w.total[node]), this.weights.map((w) => w.totalSamples[node])];
	}

	*#callers({ entries }) {
		for (const [node, entry] of entries) {
			const caller = this.tree.parents[node];
			if (caller) yield [caller, entry.time, entry.count];
		}
	}

	#group(node, pairs) {
		const groups = new Map();
		for (const [place, times, counts] of pairs) {
			const fn = this.tree.functions[place];
			let group = groups.get(fn);
			if (!group) {
				group = { fn, parent: node, entries: new Map(), children: null, ...this.#sums() };
				groups.set(fn, group);
			}
			let entry = group.entries.get(place);
			if (!entry) {
				entry = this.#sums();
				group.entries.set(place, entry);
			}
			for (let set = 0; set < times.length; set++) {
				entry.time[set] += times[set];
				entry.count[set] += counts[set];
				group.time[set] += times[set];
				group.count[set] += counts[set];
			}
		}
		return [...groups.values()].map((group) => this.nodes.push(group) - 1);
	}
}

/** Weights of all sets in a tree that another one was turned into. */
function moveAll(tree, weights, moved) {
	return weights.map((one) => new Weights(tree).addMoved(one, moved, NO_NODE).finish());
}

/** What is below a function, wherever it is called from; functions from `isTop` on stay at the top. */
export function focused(tree, weights, fn, isTop) {
	const growing = new GrowingTree();
	const places = new Uint32Array(tree.count).fill(NO_NODE);
	const tops = new Uint32Array(tree.count);
	for (let node = 1; node < tree.count; node++) {
		const parent = tree.parents[node];
		const own = tree.functions[node];
		tops[node] = isTop(own) ? growing.node(tops[parent], own) : tops[parent];
		if (places[parent] !== NO_NODE) places[node] = growing.node(places[parent], own);
		else if (own === fn) places[node] = growing.node(tops[node], own);
	}
	const { tree: below, moved } = growing.arrange();
	for (let node = 0; node < places.length; node++)
		if (places[node] !== NO_NODE) places[node] = moved[places[node]];
	return { tree: below, weights: moveAll(below, weights, places) };
}

/** Parents and functions of a tree that is built in its final order; there may be millions. */
class NodeList {
	constructor() {
		this.count = 0;
		this.parents = new Uint32Array(1024);
		this.functions = new Uint32Array(1024);
	}

	push(parent, fn) {
		if (this.count === this.parents.length)
			for (const column of ["parents", "functions"]) {
				const longer = new Uint32Array(2 * this.count);
				longer.set(this[column]);
				this[column] = longer;
			}
		this.parents[this.count] = parent;
		this.functions[this.count] = fn;
		return this.count++;
	}

	tree() {
		return new StackTree(this.parents.slice(0, this.count), this.functions.slice(0, this.count));
	}
}

/**
 * The same stacks below a node for each thread. Functions from threadBase on stand for threads. Answers the tree, and
 * for each recording which node each sample is at.
 */
export function treeByThread(tree, parts, threadBase) {
	const list = new NodeList();
	list.push(0, NO_NODE);
	const nodeOf = parts.map(({ nodes }) => new Uint32Array(nodes.length));
	const places = new Uint32Array(tree.count);
	const used = new UsedNodes(tree);
	let thread = threadBase;
	parts.forEach(({ recording, nodes }, part) => {
		for (const { first, end } of recording.threads) {
			places[0] = list.push(0, thread++);
			for (const node of used.of(nodes, first, end))
				if (node) places[node] = list.push(places[tree.parents[node]], tree.functions[node]);
			for (let i = first; i < end; i++) nodeOf[part][i] = places[nodes[i]];
		}
	});
	return { tree: list.tree(), nodeOf };
}

/** Finds the nodes of some samples and all above them, in order. */
class UsedNodes {
	constructor(tree) {
		this.tree = tree;
		this.turn = 0;
		this.turns = new Uint32Array(tree.count); // in which turn each was met last
		this.list = new Uint32Array(tree.count);
	}

	of(nodes, first, end) {
		const { list, turns, tree } = this;
		const turn = ++this.turn;
		let count = 0;
		for (let i = first; i < end; i++)
			for (let node = nodes[i]; turns[node] !== turn; node = tree.parents[node]) {
				turns[node] = turn;
				list[count++] = node;
			}
		// Few are sorted; of many, all nodes are looked through, which are in order.
		if (count * 16 < tree.count) return list.subarray(0, count).sort();
		count = 0;
		for (let node = 0; node < tree.count; node++) if (turns[node] === turn) list[count++] = node;
		return list.subarray(0, count);
	}
}
