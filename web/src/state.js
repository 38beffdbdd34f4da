// SPDX-License-Identifier: MIT
// state.js - the selection and the view; notifies views of each change. Derived values are computed once, when they are
// needed.
import { whole } from "./format.js";
import { findMatches } from "./search.js";
import { limitOf, pValue } from "./significance.js";
import { everything } from "./weights.js";

/** Greatest expected share of noise among the changes that are shown as significant. */
const CHANCE = 0.05;

/** Returns the values of a page that was just opened. */
function initialOf(model) {
	return {
		view: "flame",
		fn: null, // shown in the view of one function
		word: "",
		selections: model.recordings.map(() => everything),
		inverted: false,
		byThread: false,
		focus: null, // a function
		zoom: "", // path of the frame that is as wide as all: its functions, from the outermost
		row: "", // path of the selected row of the call tree
		compare: "time", // or "share"
		width: "new", // or "old": the recording that sets the widths of frames
		as: "tables", // or "sandwich": how one function is shown
		chart: null, // thread of the stack chart; null: the one with most time
		folds: "", // groups of threads that the user has folded or unfolded
		sorts: {}, // by table: { key, descending }, unless it is the table's own
	};
}

export class State {
	constructor(model) {
		this.model = model;
		this.listeners = [];
		this.initial = initialOf(model);
		this.values = { ...this.initial };
		this.known = new Map();
	}

	get(name) {
		return this.values[name];
	}

	change(patch) {
		const names = Object.keys(patch).filter((name) => this.values[name] !== patch[name]);
		if (!names.length) return;
		Object.assign(this.values, patch);
		for (const name of names) for (const what of DEPENDENT[name] ?? []) this.known.delete(what);
		for (const listener of this.listeners) listener(names);
	}

	/** Returns the order of a table. */
	sortOf(table, own) {
		return this.values.sorts[table] ?? own;
	}

	setSort(table, sort, own) {
		const { [table]: _, ...others } = this.values.sorts;
		const isOwn = sort.key === own.key && sort.descending === own.descending;
		this.change({ sorts: isOwn ? others : { ...others, [table]: sort } });
	}

	/** Returns whether only a part of the samples is shown. */
	get isPart() {
		return this.values.selections.some(({ span, threads, state, region }) => span || threads || state !== "all" || region !== null);
	}

	/** Returns the words for the whole that shares are parts of. */
	get whole() {
		return this.isPart ? "of the selection" : `of all ${whole()}`;
	}

	#once(what, make) {
		if (!this.known.has(what)) this.known.set(what, make());
		return this.known.get(what);
	}

	/** Returns the weights of each recording; the last is the main one. */
	get weights() {
		return this.#once("weights", () => this.model.weigh(this.values.selections));
	}

	get sums() {
		return this.#once("sums", () => this.weights.map((weights) => weights.byFunction(this.model.functions.length)));
	}

	get matches() {
		return this.#once("matches", () => findMatches(this.model, this.values.word));
	}

	get shape() {
		return this.#once("shape", () => this.model.shape(this.values, this.weights, this.values.selections));
	}

	/** Returns the factor that makes old times comparable. */
	get factor() {
		if (!this.model.isDiff || this.values.compare === "time") return 1;
		const [old, now] = this.weights;
		return old.all ? now.all / old.all : 1;
	}

	/** Returns the exposures by which counts of samples of the old and the new recording are compared. */
	get exposures() {
		// Equal times have equal numbers of samples if both were sampled at the same rate.
		return this.values.compare === "share"
			? this.weights.map(({ allSamples }) => allSamples)
			: this.model.recordings.map(({ meta }) => meta.rate_achieved || 1);
	}

	/** Returns for each function whether its self or total time has changed by more than chance. */
	get changed() {
		return this.#once("changed", () => this.#findChanges());
	}

	#findChanges() {
		const [old, now] = this.sums;
		const { exposures } = this;
		const test = (column) => {
			const values = Float64Array.from(old[column], (events, fn) =>
				pValue(events, exposures[0], now[column][fn], exposures[1]),
			);
			const limit = limitOf(
				values.filter((_, fn) => old[column][fn] + now[column][fn] > 0),
				CHANCE,
			);
			return Uint8Array.from(values, (value) => (value <= limit ? 1 : 0));
		};
		return { self: test("selfSamples"), total: test("totalSamples") };
	}
}

const DEPENDENT = {
	selections: ["weights", "sums", "shape", "changed"],
	word: ["matches"],
	inverted: ["shape"],
	byThread: ["shape"],
	focus: ["shape"],
	compare: ["changed"],
};
