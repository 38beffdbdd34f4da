// SPDX-License-Identifier: MIT
// model.js - the contents of a page: one recording, or an old and a new one whose functions and stacks are merged.
// Views show sets of weights, one for each recording: the last set is the main one.
import { FocusedShape, InvertedShape, PlainShape } from "./flame_shapes.js";
import { GrowingTree } from "./stack_tree.js";
import { ThreadSums, ThreadsShape } from "./threads_shape.js";
import { Weights } from "./weights.js";

/** Returns an object's name without its version, so that those of two builds are equal. */
export function plainObject(object) {
	return object.replace(/(\.so)(\.\d+)+$/, "$1").replace(/-\d+(\.\d+)*(\.so)$/, "$2");
}

/** Returns a function's name without the suffixes that compilers append to copies and parts of it. */
export function plainName(name) {
	return name.replace(/(\.(constprop|isra|part|cold|lto_priv|llvm)(\.\d+)*)+$/, "");
}

export class Model {
	constructor(recordings) {
		this.recordings = recordings;
		this.isDiff = recordings.length > 1;
		this.unit = "sample";
		if (this.isDiff) this.#merge();
		else this.#take(recordings[0]);
		this.threadBase = this.functions.length;
		this.threads = recordings.flatMap((recording, set) => recording.threads.map((thread) => ({ ...thread, set })));
		this.joinCalls();
	}

	#take(recording) {
		this.functions = recording.functions;
		this.numbers = [null];
		this.tree = recording.tree;
		this.parts = [{ recording, nodes: recording.nodes }];
	}

	/** Merges two recordings: functions of the same name in the same object are one, and so are equal stacks. */
	#merge() {
		const numbers = new Map();
		this.functions = [];
		this.numbers = this.recordings.map(({ functions }) => functions.map((fn) => this.#number(fn, numbers)));
		const growing = new GrowingTree();
		const places = this.recordings.map((recording, set) => this.#addTree(recording, this.numbers[set], growing));
		const { tree, moved } = growing.arrange();
		this.tree = tree;
		this.parts = this.recordings.map((recording, set) => ({
			recording,
			nodes: recording.nodes.map((node) => moved[places[set][node]]),
		}));
	}

	#addTree({ tree }, number, growing) {
		const places = new Uint32Array(tree.count);
		for (let node = 1; node < tree.count; node++)
			places[node] = growing.node(places[tree.parents[node]], number[tree.functions[node]]);
		return places;
	}

	#number(fn, numbers) {
		const key = `${plainName(fn.name)}\n${plainObject(fn.object)}`;
		if (!numbers.has(key)) numbers.set(key, this.functions.push(fn) - 1);
		return numbers.get(key);
	}

	/** Returns rows of calls by function, for functions that also have samples. */
	joinCalls() {
		const { calls } = this.recordings.at(-1);
		const numbers = new Map();
		this.functions.forEach((fn, number) => {
			if (fn.symbol) numbers.set(`${fn.symbol}\n${plainObject(fn.object)}`, number);
		});
		this.callsOf = new Map();
		for (const row of calls) {
			row.fn = numbers.get(`${row.symbol}\n${plainObject(row.object)}`) ?? -1;
			if (row.fn >= 0) this.callsOf.set(row.fn, row);
		}
	}

	/** Returns the function of a number, in its short form; numbers above all functions are threads. */
	name(fn) {
		return fn < this.threadBase ? this.functions[fn].short : this.whole(fn);
	}

	/** Returns the whole name. */
	whole(fn) {
		return fn < this.threadBase ? this.functions[fn].name : threadTitle(this.threads[fn - this.threadBase]);
	}

	object(fn) {
		return fn < this.threadBase ? this.functions[fn].object : "";
	}

	totalAt(shape, node, set) {
		return shape.total(node, set);
	}

	/** Returns the number of calls at a node, which samples do not know. */
	callsAt() {
		return 0;
	}

	/** Returns the language of a script's function; null: native code. */
	language(fn) {
		return (fn < this.threadBase && this.functions[fn].language) || null;
	}

	/** Returns the languages of scripts in it. */
	languages() {
		return [...new Set(this.functions.map((fn) => fn.language).filter(Boolean))].sort();
	}

	/** Returns the object; for a script's function, its file and line. */
	place(fn) {
		return this.language(fn) ? `${this.object(fn)}:${this.functions[fn].line}` : this.object(fn);
	}

	/** Returns the inside of a function, in the last recording. */
	inside(fn) {
		const numbers = this.numbers.at(-1);
		return this.recordings.at(-1).inside(numbers ? numbers.indexOf(fn) : fn);
	}

	/** Returns the weights of each recording for its selection. */
	weigh(selections) {
		return this.parts.map(({ recording, nodes }, set) =>
			new Weights(this.tree).addSamples(recording, selections[set], nodes).finish(),
		);
	}

	/** Returns the tree of a flame graph. */
	shape({ inverted, byThread, focus }, weights, selections) {
		const { tree } = this;
		const threads = [tree, this.parts, selections, this.threadBase];
		if (inverted) return new InvertedShape(tree, weights, focus, byThread ? new ThreadSums(...threads) : null);
		if (byThread) return new ThreadsShape(...threads, focus);
		if (focus !== null) return new FocusedShape(tree, weights, focus);
		return new PlainShape(tree, weights);
	}
}

export function threadTitle(thread) {
	const title = `${thread.name || "thread"} ${thread.tid}`;
	return thread.rank == null ? title : `rank ${thread.rank}, ${title}`;
}
