// SPDX-License-Identifier: MIT
// state.js - the selection and the view; notifies views of each change. Derived values are computed once, when they are
// needed.
import { findMatches } from "./search.js";
import { limitOf, pValue } from "./significance.js";
import { everything } from "./weights.js";

/** Greatest expected share of noise among the changes that are shown as significant. */
const CHANCE = 0.05;

export class State {
	constructor(model) {
		this.model = model;
		this.listeners = [];
		this.values = {
			view: "flame",
			fn: null, // shown in the view of one function
			word: "",
			selections: model.recordings.map(() => everything),
			inverted: false,
			byThread: false,
			focus: null, // a function
			compare: "time", // or "share"
			width: "new", // or "old": the recording that sets the widths of frames
		};
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
