// SPDX-License-Identifier: MIT
// calls_tree.js - the tree of wrapped calls as a model: a flame graph of exact time shows it as it shows samples.
import { FocusedShape, InvertedShape, PlainShape } from "./flame_shapes.js";
import { StackTree, NO_NODE } from "./stack_tree.js";
import { Weights } from "./weights.js";

/** Makes the tree of a recording from its rows, each of which comes before those below it. Functions are numbered by name. */
export class CallsTree {
	constructor(recording) {
		this.recordings = [recording];
		this.isDiff = false;
		this.unit = "call";
		this.threads = [];
		this.rows = [null, ...recording.callsTree];
		this.functions = [];
		const numbers = new Map();
		const parents = new Uint32Array(this.rows.length);
		const functions = new Uint32Array(this.rows.length).fill(NO_NODE);
		const way = [0];
		for (let node = 1; node < this.rows.length; node++) {
			const row = this.rows[node];
			parents[node] = way[row.depth];
			way[row.depth + 1] = node;
			functions[node] = this.#number(row, numbers);
		}
		this.tree = new StackTree(parents, functions);
		this.threadBase = this.functions.length;
	}

	#number(row, numbers) {
		const key = `${row.symbol}\n${row.version ?? ""}\n${row.object}`;
		if (!numbers.has(key)) numbers.set(key, this.functions.push({ name: row.name, short: row.short, symbol: row.symbol, object: row.object }) - 1);
		return numbers.get(key);
	}

	name(fn) {
		return this.functions[fn].short;
	}

	whole(fn) {
		return this.functions[fn].name;
	}

	object(fn) {
		return this.functions[fn].object;
	}

	/** Wrapped functions are native code. */
	language() {
		return null;
	}

	languages() {
		return [];
	}

	place(fn) {
		return this.object(fn);
	}

	/** Returns self times; calls are counted where samples would be. */
	weigh() {
		const weights = new Weights(this.tree);
		for (let node = 1; node < this.rows.length; node++) {
			weights.self[node] = this.rows[node].self_ns ?? 0;
			weights.selfSamples[node] = this.rows[node].calls;
		}
		return [weights.finish()];
	}

	/** Returns the tree of a flame graph. */
	shape({ inverted, focus }, weights) {
		const { tree } = this;
		if (inverted) return new InvertedShape(tree, weights, focus);
		if (focus !== null) return new FocusedShape(tree, weights, focus);
		return new PlainShape(tree, weights);
	}

	/** Returns the number of calls at a node; 0 if they are not those of one function. */
	callsAt(shape, node) {
		return node ? (shape.ownSamples(node, 0) ?? 0) : 0;
	}

	/** Returns the time of the calls at a node. That of a recursive call is wider than its frame: the rest is at the outer call. */
	totalAt(shape, node) {
		const row = shape.tree === this.tree && shape instanceof PlainShape ? this.rows[node] : null;
		return row?.total_ns ?? shape.total(node, 0);
	}
}
