// SPDX-License-Identifier: MIT
// flame_shapes.js - the trees of flame graphs: as recorded, by thread, below one function, and
// upside down. All have the same methods: children(node), fn(node), and the values of a node.
import { GrowingTree, NO_NODE, StackTree } from "./stack_tree.js";
import { Weights } from "./weights.js";

/** Returns the way to a node as a text: its functions, from the outermost. Node numbers do not outlive a shape; ways do. */
export function pathOf(shape, node) {
	const way = [];
	for (let at = node; at !== 0; at = shape.parent(at)) way.push(shape.fn(at));
	return way.reverse().join(".");
}

/** Returns the node at the end of a path, or the last one on it that the shape has. */
export function nodeAt(shape, path) {
	let node = 0;
	for (const fn of path ? path.split(".").map(Number) : []) {
		const next = shape.children(node).find((child) => shape.fn(child) === fn);
		if (next === undefined) break;
		node = next;
	}
	return node;
}

/** A tree with the weights of each set of samples (one, or old and new) at its nodes. */
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

	/** Returns whether there is a node below one; cheaper than a list of them. */
	hasChildren(node) {
		const { ends } = this.tree;
		for (let child = node + 1; child < ends[node]; child = ends[child])
			if (this.weights.some((weights) => weights.totalSamples[child])) return true;
		return false;
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

	/** Returns the samples of the node without those below it. */
	ownSamples(node, set) {
		return this.weights[set].selfSamples[node];
	}
}

/**
* Upside down: below each function its callers, with its self time; or below one function alone, with
* its total time. Such a tree is much larger than the other one, so nodes are created on demand, which is
 * when they are wide enough to be seen.
 */
export class InvertedShape {
	constructor(tree, weights, focus) {
		this.tree = tree;
		this.weights = weights;
		this.isAll = focus === null;
		this.slots = new Uint32Array(tree.count); // position of each node in its group,
		this.turns = new Uint32Array(tree.count); // valid if set in this turn
		this.turn = 0;
		this.nodes = [this.#node(NO_NODE, 0)];
		const root = this.nodes[0];
		this.#addAll(root, focus);
		root.children = this.#group(0, root.places);
		root.places = null;
	}

	/**
	 * Places are nodes of the tree, each with the time and the samples of each set from there; time and
	 * count are the sums.
	 */
	#node(fn, parent) {
		const lists = () => this.weights.map(() => []);
		const zeroes = () => this.weights.map(() => 0);
		return { fn, parent, children: null, places: [], times: lists(), counts: lists(), time: zeroes(), count: zeroes() };
	}

	/** Returns the self times of functions, or the total time of all calls of one function. */
	#addAll(root, focus) {
		const { count, functions, outermost } = this.tree;
		const isAll = focus === null;
		const columns = this.weights.map((w) => (isAll ? [w.self, w.selfSamples] : [w.total, w.totalSamples]));
		for (let node = 1; node < count; node++) {
			if (!isAll && (functions[node] !== focus || !outermost[node])) continue;
			if (columns.some(([, samples]) => samples[node])) this.#add(root, node, columns, node);
		}
	}

	/** Adds a place with the values of columns at an index. */
	#add(node, place, columns, index) {
		let slot = this.slots[place];
		if (this.turns[place] !== this.turn || node.places[slot] !== place) {
			slot = node.places.push(place) - 1;
			this.slots[place] = slot;
			this.turns[place] = this.turn;
			for (let set = 0; set < columns.length; set++) {
				node.times[set].push(0);
				node.counts[set].push(0);
			}
		}
		for (let set = 0; set < columns.length; set++) {
			const [times, counts] = columns[set];
			node.times[set][slot] += times[index];
			node.counts[set][slot] += counts[index];
			node.time[set] += times[index];
			node.count[set] += counts[index];
		}
	}

	/** Creates nodes below one, for the functions at some places: its own, or their callers. */
	#group(node, places) {
		const parent = this.nodes[node];
		const columns = this.weights.map((_, set) => [parent.times[set], parent.counts[set]]);
		const groups = new Map();
		this.turn++;
		for (let i = 0; i < places.length; i++) {
			if (places[i] === 0) continue;
			const fn = this.tree.functions[places[i]];
			let group = groups.get(fn);
			if (!group) {
				group = this.#node(fn, node);
				groups.set(fn, group);
			}
			this.#add(group, places[i], columns, i);
		}
		return [...groups.values()].map((group) => this.nodes.push(group) - 1);
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

	/** Returns the samples that end in the function by this way; null if they end anywhere below it. */
	ownSamples(node, set) {
		return this.isAll ? this.nodes[node].count[set] : null;
	}

	/** Returns all time at the top, where functions stand alone, and none further down: callers have no self time here. */
	self(node, set) {
		return node && this.nodes[node].parent === 0 ? this.nodes[node].time[set] : 0;
	}

	hasChildren(node) {
		const { children, places } = this.nodes[node];
		return children ? children.length > 0 : places.some((place) => this.tree.parents[place] !== 0);
	}

	children(node) {
		const parent = this.nodes[node];
		if (!parent.children) {
			parent.children = this.#group(
				node,
				parent.places.map((place) => this.tree.parents[place]),
			);
			parent.places = null;
		}
		return parent.children;
	}
}

/** Returns the weights of all sets in a tree that was derived from another one. */
function moveAll(tree, weights, moved) {
	return weights.map((one) => new Weights(tree).addMoved(one, moved, NO_NODE).finish());
}

/** Returns the tree below a function, from all callers; functions for which `isTop` holds stay at the top. */
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

/** Collects parents and functions of a tree that is built in its final order; there may be millions. */
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
* Puts the same stacks below a node for each thread. Functions from threadBase on stand for threads. Returns the tree, and
* for each recording the node of each sample.
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
		this.turns = new Uint32Array(tree.count); // turn in which each was visited last
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
		// A few nodes are sorted; for many, all nodes are scanned, which are in order.
		if (count * 16 < tree.count) return list.subarray(0, count).sort();
		count = 0;
		for (let node = 0; node < tree.count; node++) if (turns[node] === turn) list[count++] = node;
		return list.subarray(0, count);
	}
}
