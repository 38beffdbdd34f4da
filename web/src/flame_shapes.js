// SPDX-License-Identifier: MIT
// flame_shapes.js - the trees of flame graphs: as recorded, by thread, below one function, and
// upside down. All have the same methods: children(node), fn(node), and the values of a node.
import { NO_NODE } from "./stack_tree.js";

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
	/** threads: sums that become nodes above the outermost functions, or null. */
	constructor(tree, weights, focus, threads = null) {
		this.tree = tree;
		this.weights = weights;
		this.threads = threads;
		this.isAll = focus === null;
		this.slots = new Uint32Array(tree.count); // position of each node in its group,
		this.turns = new Uint32Array(tree.count); // valid if set in this turn
		this.turn = 0;
		this.nodes = [this.#node(NO_NODE, 0)];
		const root = this.nodes[0];
		this.#addAll(root, focus);
		root.children = this.#group(0, root.places);
		// Samples without a stack are in their threads alone.
		if (this.isAll && threads) root.children.push(...this.#threadsOf(0, 0));
		this.#forget(root);
	}

	/**
	 * Places are nodes of the tree, each with the time and the samples of each set from there; time and
	 * count are the sums. Origins are where these ways begin: each way leads to another place.
	 */
	#node(fn, parent) {
		const lists = () => this.weights.map(() => []);
		const zeroes = () => this.weights.map(() => 0);
		return { fn, parent, children: null, places: [], origins: [], times: lists(), counts: lists(), time: zeroes(), count: zeroes() };
	}

	/** Returns the self times of functions, or the total time of all calls of one function. */
	#addAll(root, focus) {
		const { count, functions, outermost } = this.tree;
		const isAll = focus === null;
		const columns = this.weights.map((w) => (isAll ? [w.self, w.selfSamples] : [w.total, w.totalSamples]));
		for (let node = 1; node < count; node++) {
			if (!isAll && (functions[node] !== focus || !outermost[node])) continue;
			if (columns.some(([, samples]) => samples[node])) this.#add(root, node, node, columns, node);
		}
	}

	/** Adds a place with the values of columns at an index. */
	#add(node, place, origin, columns, index) {
		let slot = this.slots[place];
		if (this.turns[place] !== this.turn || node.places[slot] !== place) {
			slot = node.places.push(place) - 1;
			node.origins.push(origin);
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
		let threads = [];
		this.turn++;
		for (let i = 0; i < places.length; i++) {
			if (places[i] === 0) {
				if (this.threads) threads = this.#threadsOf(node, parent.origins[i]);
				continue;
			}
			const fn = this.tree.functions[places[i]];
			let group = groups.get(fn);
			if (!group) {
				group = this.#node(fn, node);
				groups.set(fn, group);
			}
			this.#add(group, places[i], parent.origins[i], columns, i);
		}
		return [...[...groups.values()].map((group) => this.nodes.push(group) - 1), ...threads];
	}

	/** Creates a node for each thread with samples at a place of the tree; with a focus, or below it. */
	#threadsOf(parent, origin) {
		return this.threads.of(origin, this.isAll ? origin + 1 : this.tree.ends[origin]).map(({ fn, set, time, count }) => {
			const node = this.#node(fn, parent);
			node.time[set] = time;
			node.count[set] = count;
			node.children = [];
			this.#forget(node);
			return this.nodes.push(node) - 1;
		});
	}

	/** Gives back what is needed only until the children of a node are known. */
	#forget(node) {
		node.places = null;
		node.origins = null;
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
		return children ? children.length > 0 : places.some((place) => this.threads || this.tree.parents[place] !== 0);
	}

	children(node) {
		const parent = this.nodes[node];
		if (!parent.children) {
			parent.children = this.#group(
				node,
				parent.places.map((place) => this.tree.parents[place]),
			);
			this.#forget(parent);
		}
		return parent.children;
	}
}

/** The tree below a function, from all callers. A node is one function at several places of the tree; nodes are created on demand. */
export class FocusedShape {
	constructor(tree, weights, fn) {
		this.tree = tree;
		this.weights = weights;
		const { count, functions, outermost } = tree;
		const places = [];
		for (let node = 1; node < count; node++) if (functions[node] === fn && outermost[node] && this.#isUsed(node)) places.push(node);
		this.nodes = [{ fn: NO_NODE, parent: 0, places: [], children: places.length ? [1] : [] }, { fn, parent: 0, places, children: null }];
	}

	#isUsed(place) {
		return this.weights.some(({ totalSamples }) => totalSamples[place]);
	}

	fn(node) {
		return this.nodes[node].fn;
	}

	parent(node) {
		return this.nodes[node].parent;
	}

	children(node) {
		this.nodes[node].children ??= this.#expand(node);
		return this.nodes[node].children;
	}

	#expand(parent) {
		const { functions, ends } = this.tree;
		const byFunction = new Map();
		for (const place of this.nodes[parent].places)
			for (let child = place + 1; child < ends[place]; child = ends[child]) {
				if (!this.#isUsed(child)) continue;
				const fn = functions[child];
				if (!byFunction.has(fn)) byFunction.set(fn, this.nodes.push({ fn, parent, places: [], children: null }) - 1);
				this.nodes[byFunction.get(fn)].places.push(child);
			}
		return [...byFunction.values()];
	}

	hasChildren(node) {
		return this.children(node).length > 0;
	}

	/** Returns the sum of a column of weights over the places of a node. */
	#sum(node, column) {
		let sum = 0;
		for (const place of this.nodes[node].places) sum += column[place];
		return sum;
	}

	/** Returns the total time; that of the root is the function's. */
	total(node, set) {
		return this.#sum(node || 1, this.weights[set].total);
	}

	samples(node, set) {
		return this.#sum(node || 1, this.weights[set].totalSamples);
	}

	self(node, set) {
		return this.#sum(node, this.weights[set].self);
	}

	/** Returns the samples of the node without those below it. */
	ownSamples(node, set) {
		return this.#sum(node, this.weights[set].selfSamples);
	}
}
