// SPDX-License-Identifier: MIT
// stack_tree.js - a tree of functions, in which each stack is a node. Node 0 is the root; each node comes before
// its descendants, and these before all others. The descendants of a node are therefore a range, and loops from the last node
// to the first visit each node before its parent.

export const NO_NODE = 0xffffffff;

export class StackTree {
	/** Takes parents and functions of all nodes, in that order. */
	constructor(parents, functions) {
		this.count = parents.length;
		this.parents = parents;
		this.functions = functions;
		this.ends = endsOf(parents);
	}

	/** Makes a tree from steps of depth: the levels from the previous node up to each node's parent. */
	static ofSteps(ups, functions) {
		const parents = new Uint32Array(ups.length + 1);
		const all = new Uint32Array(ups.length + 1);
		all[0] = NO_NODE;
		for (let node = 1; node < parents.length; node++) {
			let parent = node - 1;
			for (let up = ups[node - 1]; up > 0; up--) parent = parents[parent];
			parents[node] = parent;
			all[node] = functions[node - 1];
		}
		return new StackTree(parents, all);
	}

	children(node) {
		const list = [];
		const end = this.ends[node];
		for (let child = node + 1; child < end; child = this.ends[child]) list.push(child);
		return list;
	}

	/** Returns 1 for each node with no other node of its function above it: these count in sums of a function. */
	get outermost() {
		if (!this.marks) this.marks = outermostOf(this);
		return this.marks;
	}
}

/** Returns the end of the descendants of each node. */
function endsOf(parents) {
	const ends = new Uint32Array(parents.length);
	for (let node = parents.length - 1; node >= 0; node--) {
		if (ends[node] === 0) ends[node] = node + 1;
		if (node > 0 && ends[parents[node]] < ends[node]) ends[parents[node]] = ends[node];
	}
	return ends;
}

function outermostOf({ count, functions, ends }) {
	const marks = new Uint8Array(count);
	let last = 0;
	for (let node = 1; node < count; node++) last = Math.max(last, functions[node]);
	// End of the last outermost node of each function: nodes before that are inside it.
	const covered = new Uint32Array(last + 1);
	for (let node = 1; node < count; node++) {
		const fn = functions[node];
		if (covered[fn] > node) continue;
		marks[node] = 1;
		covered[fn] = ends[node];
	}
	return marks;
}

/** A tree that grows call by call, in any order. arrange() makes a StackTree of it. */
export class GrowingTree {
	constructor() {
		this.parents = [0];
		this.functions = [NO_NODE];
		this.byCall = new Map();
	}

	/** Returns the node of a function below a node. */
	node(parent, fn) {
		const key = parent * 0x100000000 + fn;
		let node = this.byCall.get(key);
		if (node === undefined) {
			node = this.parents.length;
			this.parents.push(parent);
			this.functions.push(fn);
			this.byCall.set(key, node);
		}
		return node;
	}

	/** Returns the tree, and the new index of each node. */
	arrange() {
		const count = this.parents.length;
		const firsts = new Uint32Array(count).fill(NO_NODE);
		const nexts = new Uint32Array(count).fill(NO_NODE);
		for (let node = count - 1; node > 0; node--) {
			nexts[node] = firsts[this.parents[node]];
			firsts[this.parents[node]] = node;
		}
		const moved = new Uint32Array(count);
		const parents = new Uint32Array(count);
		const functions = new Uint32Array(count);
		let place = 0;
		let at = 0;
		while (at !== NO_NODE) {
			moved[at] = place;
			parents[place] = moved[this.parents[at]];
			functions[place++] = this.functions[at];
			if (firsts[at] !== NO_NODE) {
				at = firsts[at];
				continue;
			}
			while (at !== 0 && nexts[at] === NO_NODE) at = this.parents[at];
			at = at === 0 ? NO_NODE : nexts[at];
		}
		return { tree: new StackTree(parents, functions), moved };
	}
}
