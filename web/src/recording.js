// SPDX-License-Identifier: MIT
// recording.js - one recording, in the form in which a page contains it. README.md defines the format.
import { NumberReader, bytesOfBase64, inflate } from "./bytes.js";
import { StackTree } from "./stack_tree.js";

const FORMAT = 1;

export class Recording {
	constructor(bytes) {
		const reader = new NumberReader(bytes);
		const head = JSON.parse(reader.text(reader.number()));
		if (head.meta.page_format !== FORMAT)
			throw new Error(`the data of this page has format ${head.meta.page_format}, which it does not know`);
		this.meta = head.meta;
		this.functions = head.functions;
		this.threads = head.threads;
		this.calls = head.calls.map(countedRow);
		this.callsTree = head.calls_tree;
		this.regions = head.regions ?? [];
		this.#shorten(head.short_names ?? []);
		this.#readTree(reader);
		this.#readSamples(reader);
		this.#readHistograms(reader);
		this.insideText = reader.text(reader.number());
	}

	/** Gives long names of functions their short form, which is shown; the others have themselves as that. */
	#shorten(rows) {
		const shorts = new Map(rows.map(({ name, short }) => [name, short]));
		for (const row of [this.functions, this.calls, this.callsTree].flat()) row.short = shorts.get(row.name) ?? row.name;
	}

	/** Returns lines and instructions of a function; decoded on demand, since few functions have them. */
	inside(fn) {
		this.insideTables ??= JSON.parse(this.insideText);
		const of = (table) => this.insideTables[table].filter((row) => row.function === fn);
		return { lines: of("lines"), instructions: of("instructions") };
	}

	#readTree(reader) {
		const ups = reader.column(new Uint32Array(this.meta.nodes));
		this.tree = StackTree.ofSteps(ups, reader.column(new Uint32Array(this.meta.nodes)));
	}

	/** Reads the columns of all samples, by thread, and in each thread by time. */
	#readSamples(reader) {
		let count = 0;
		for (const thread of this.threads) {
			thread.first = count;
			count += thread.samples;
			thread.end = count;
		}
		this.sampleCount = count;
		this.times = reader.steps(new Float64Array(count)); // microseconds since the start
		this.nodes = reader.column(new Uint32Array(count));
		this.durations = reader.steps(new Float64Array(count)); // nanoseconds of each sample
		this.blocked = reader.column(new Uint8Array(count));
		this.regionOf = this.regions.length ? reader.column(new Uint32Array(count)) : null; // 0: none, 1: the first
		let last = 0;
		for (const thread of this.threads) {
			sortByTime(this, thread);
			if (thread.end > thread.first) last = Math.max(last, this.times[thread.end - 1]);
		}
		// Samples after the end of the command are included.
		this.seconds = Math.max(last / 1e6, (this.meta.wall_ns ?? 0) / 1e9);
	}

	/** Reads the histogram of each row of calls: [[from, until, count]...] in nanoseconds. */
	#readHistograms(reader) {
		const { histogram_bins: bins, ns_per_tick: scale } = this.meta;
		for (const row of this.calls) {
			row.histogram = [];
			let bin = 0;
			for (let left = reader.number(); left > 0; left--) {
				bin += reader.number();
				const [from, until] = boundsOf(bin, bins);
				row.histogram.push([from * scale, until * scale, reader.number()]);
			}
		}
	}
}

/** Returns a row of calls whose amounts have one name each, whether they are times or count an event. */
export function countedRow(row) {
	return Object.fromEntries(Object.entries(row).map(([key, value]) => [key.replace(/_events$/, "_ns"), value]));
}

/** Returns the ticks of a bin: bins of the first two rows are a tick wide, and each later row has bins of twice the width. */
export function boundsOf(bin, bins) {
	const octave = Math.floor(bin / bins);
	if (octave < 2) return [bin, bin + 1];
	const width = 2 ** (octave - 1);
	const from = (bins + (bin % bins)) * width;
	return [from, from + width];
}

/** Sorts the samples of a thread, which are in order unless the clock was adjusted. */
function sortByTime(recording, { first, end }) {
	const { times } = recording;
	let at = first + 1;
	while (at < end && times[at - 1] <= times[at]) at++;
	if (at >= end) return;
	const order = Array.from({ length: end - first }, (_, i) => first + i).sort((a, b) => times[a] - times[b]);
	for (const column of [times, recording.nodes, recording.durations, recording.blocked, recording.regionOf].filter(Boolean))
		column.set(
			order.map((i) => column[i]),
			first,
		);
}

/** Returns all recordings of a page: one, or an old and a new one. */
export async function readRecordings(document) {
	const scripts = [...document.querySelectorAll('script[type="application/x-dwell"]')];
	const recordings = [];
	for (const script of scripts) {
		recordings.push(new Recording(await inflate(bytesOfBase64(script.textContent))));
		script.remove();
	}
	return recordings;
}
