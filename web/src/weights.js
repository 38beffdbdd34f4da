// SPDX-License-Identifier: MIT
// weights.js - sums the time of samples at each node of a tree and in each function, for all samples or the
// selected ones. Sums over a million samples take some milliseconds, so they are not updated incrementally.

/**
 * The selection of a whole recording. A selection has a span in seconds or null, a set of threads or null, "all", "running" or
 * "waiting", and the name of a region or null.
 */
export const everything = Object.freeze({ span: null, threads: null, state: "all", region: null });

/** Returns the first of a thread's samples at or after a time in microseconds. */
export function firstAt(times, { first, end }, time) {
	let low = first;
	let high = end;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (times[middle] < time) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Calls a function with the range of samples of each selected thread. */
export function eachRange(recording, selection, take) {
	recording.threads.forEach((thread, number) => {
		if (selection.threads && !selection.threads.has(number)) return;
		const from = selection.span ? firstAt(recording.times, thread, selection.span[0] * 1e6) : thread.first;
		const until = selection.span ? firstAt(recording.times, thread, selection.span[1] * 1e6) : thread.end;
		if (from < until) take(from, until, number);
	});
}

/** The name of no region, as in reports. */
export const NO_REGION = "[no region]";

/** Returns 1 for each region that has a name, or is in one that has; the first stands for none. */
function wantedRegions({ regions }, name) {
	const wanted = new Uint8Array(regions.length + 1);
	regions.forEach((region, i) => (wanted[i + 1] = region.name === name || wanted[region.outer] ? 1 : 0));
	wanted[0] = name === NO_REGION ? 1 : 0;
	return wanted;
}

function makeMask(recording, state, region) {
	const { blocked, regionOf } = recording;
	const wanted = region === null ? null : wantedRegions(recording, region);
	const other = { all: -1, running: 1, waiting: 0 }[state];
	return blocked.map((value, i) => (value !== other && (!wanted || wanted[regionOf?.[i] ?? 0]) ? 1 : 0));
}

/** Returns 1 for each sample that a selection has within its span and threads, or null if it has all of them. The last one is kept. */
export function maskOf(recording, { state, region }) {
	if (state === "all" && region === null) return null;
	const key = `${state} ${region}`;
	if (recording.mask?.key !== key) recording.mask = { key, values: makeMask(recording, state, region) };
	return recording.mask.values;
}

export class Weights {
	/** Weights of nodes: self time and samples, and the totals with all descendants. */
	constructor(tree) {
		this.tree = tree;
		this.self = new Float64Array(tree.count);
		this.selfSamples = new Uint32Array(tree.count);
	}

	/** Adds the selected samples; nodeOf has the node of each sample. */
	addSamples(recording, selection, nodeOf) {
		const { durations } = recording;
		const { self, selfSamples } = this;
		const mask = maskOf(recording, selection);
		eachRange(recording, selection, (from, until) => {
			for (let i = from; i < until; i++) {
				if (mask && !mask[i]) continue;
				self[nodeOf[i]] += durations[i];
				selfSamples[nodeOf[i]]++;
			}
		});
		return this;
	}

	/** Computes the totals after everything was added. */
	finish() {
		const { parents } = this.tree;
		this.total = this.self.slice();
		this.totalSamples = this.selfSamples.slice();
		for (let node = this.tree.count - 1; node > 0; node--) {
			this.total[parents[node]] += this.total[node];
			this.totalSamples[parents[node]] += this.totalSamples[node];
		}
		return this;
	}

	get all() {
		return this.total[0];
	}

	get allSamples() {
		return this.totalSamples[0];
	}

	/** Returns the same four weights of functions, in arrays by number. A function that is on a stack several times counts once. */
	byFunction(count) {
		const sums = {
			self: new Float64Array(count),
			selfSamples: new Uint32Array(count),
			total: new Float64Array(count),
			totalSamples: new Uint32Array(count),
		};
		const { functions, outermost } = this.tree;
		for (let node = 1; node < this.tree.count; node++) {
			const fn = functions[node];
			sums.self[fn] += this.self[node];
			sums.selfSamples[fn] += this.selfSamples[node];
			if (!outermost[node]) continue;
			sums.total[fn] += this.total[node];
			sums.totalSamples[fn] += this.totalSamples[node];
		}
		return sums;
	}
}

/** Returns callers and callees of a function: maps from the other function (or -1 above the outermost frame) to times. */
export function neighbours(weights, fn) {
	const { tree } = weights;
	const callers = new Map();
	const callees = new Map();
	for (let node = 1; node < tree.count; node++) {
		if (tree.functions[node] !== fn || !tree.outermost[node]) continue;
		const caller = tree.parents[node] ? tree.functions[tree.parents[node]] : -1;
		addTo(callers, caller, weights.total[node], weights.totalSamples[node], selfBelow(weights, node, fn));
		addCallees(weights, node, fn, callees);
	}
	return { callers, callees };
}

function addTo(map, key, total, samples, self) {
	if (!samples) return;
	const entry = map.get(key) ?? { total: 0, samples: 0, self: 0 };
	entry.total += total;
	entry.samples += samples;
	entry.self += self;
	map.set(key, entry);
}

/** Returns the function's self time at a node and below, where it may call itself. */
function selfBelow(weights, node, fn) {
	const { functions, ends } = weights.tree;
	let sum = 0;
	for (let at = node; at < ends[node]; at++) if (functions[at] === fn) sum += weights.self[at];
	return sum;
}

/** Adds the callees at a node and below. If calls between the same two functions are nested, the outer one counts. */
function addCallees(weights, node, fn, callees) {
	const { functions, parents, ends } = weights.tree;
	const covered = new Map();
	for (let at = node + 1; at < ends[node]; at++) {
		const callee = functions[at];
		if (functions[parents[at]] !== fn || (covered.get(callee) ?? 0) > at) continue;
		covered.set(callee, ends[at]);
		addTo(callees, callee, weights.total[at], weights.totalSamples[at], weights.self[at]);
	}
}

/** Returns the time of stacks that have a function for which matches[fn] is set. */
export function matchedTotal(weights, matches) {
	const { functions, ends, count } = weights.tree;
	let sum = 0;
	let node = 1;
	while (node < count) {
		if (matches[functions[node]]) {
			sum += weights.total[node];
			node = ends[node];
		} else node++;
	}
	return sum;
}
