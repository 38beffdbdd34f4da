// SPDX-License-Identifier: MIT
// timeline.js - shows when each thread ran: a row per thread, or per rank, with the time of its samples. A span that is
// brushed, by mouse or by keyboard, becomes the selection of all views.
import { element, sharpContext, styleColour } from "./dom.js";
import { count, niceStep, seconds, share, time } from "./format.js";
import { threadTitle } from "./model.js";
import { eachRange } from "./weights.js";

const ROW = 22;
const BAR = 3; // pixels per bar
const ROWS = 200; // maximum of rows; canvases may not be taller than some thousand pixels

/**
* Returns the nanoseconds of each thread in each of the equal parts of the recording, running and waiting. A
* sample is at the end of its duration, which may be long.
 */
export function binsOf(recording, parts) {
	const { times, durations, blocked } = recording;
	const width = (recording.seconds * 1e9) / parts || 1;
	return recording.threads.map(({ first, end }) => {
		const kinds = [new Float64Array(parts), new Float64Array(parts)];
		for (let i = first; i < end; i++) spread(kinds[blocked[i]], times[i] * 1e3, durations[i], width);
		return { running: kinds[0], waiting: kinds[1] };
	});
}

/** Adds a duration that ends at a time to the parts it is in. Time before the recording is in the first. */
function spread(bins, time, duration, width) {
	let bin = Math.min(bins.length - 1, Math.floor(time / width));
	let left = duration;
	let here = time - bin * width;
	for (; bin > 0 && left > here; bin--) {
		bins[bin] += here;
		left -= here;
		here = width;
	}
	bins[bin] += left;
}

/** Returns the sums of several threads' bins. */
function sumOfBins(bins) {
	const [first, ...others] = bins;
	const sum = { running: first.running.slice(), waiting: first.waiting.slice() };
	for (const other of others)
		for (const kind of ["running", "waiting"]) other[kind].forEach((ns, i) => (sum[kind][i] += ns));
	return sum;
}

/** Returns the time that fills a row. A few parts have more, because of late samples, and are cut. */
function fullOf(bins) {
	const sums = bins.flatMap(({ running, waiting }) => [...running].map((ns, i) => ns + waiting[i])).filter(Boolean);
	sums.sort((a, b) => a - b);
	return sums[Math.floor(0.98 * (sums.length - 1))] ?? 1;
}

/** Returns the total time and samples of each thread. */
export function sumsOf(recording) {
	return recording.threads.map(({ first, end }, number) => {
		let ns = 0;
		for (let i = first; i < end; i++) ns += recording.durations[i];
		return { number, ns, samples: end - first };
	});
}

/** Compares ranks as numbers; a row without one is behind all that have one. */
function byRank({ rank: a }, { rank: b }) {
	if (a == null || b == null) return (a == null) - (b == null);
	return Number(a) - Number(b);
}

/** Returns all rows: a thread each, or all threads of a rank together. */
function groupsOf(recording) {
	const rows = [];
	const ofRank = new Map();
	for (const { number, ns, samples } of sumsOf(recording)) {
		const { rank } = recording.threads[number];
		if (!samples) continue;
		let row = rank == null ? null : ofRank.get(rank);
		if (!row) {
			row = { rank, numbers: [], ns: 0, samples: 0 };
			rows.push(row);
			if (rank != null) ofRank.set(rank, row);
		}
		row.numbers.push(number);
		row.ns += ns;
		row.samples += samples;
	}
	return rows;
}

/** Returns the rows that are shown, those with the most time, by rank if there are ranks; and the number of all. */
export function rowsOf(recording, most) {
	const rows = groupsOf(recording);
	const shown = rows.sort((a, b) => b.ns - a.ns).slice(0, most);
	return { rows: shown.sort(byRank), all: rows.length };
}

export class Timeline {
	/** `set` is the index of the recording in the page. */
	constructor(state, set, title) {
		this.state = state;
		this.set = set;
		this.recording = state.model.recordings[set];
		const { rows, all } = rowsOf(this.recording, ROWS);
		const kind = rows.some(({ rank }) => rank != null) ? "ranks" : "threads";
		this.order = rows;
		this.kind = kind;
		this.#build(all > ROWS ? `${title}, ${ROWS} of ${count(all)} ${kind}` : title);
	}

	get #selection() {
		return this.state.get("selections")[this.set];
	}

	#select(patch) {
		const selections = [...this.state.get("selections")];
		// Samples are precise to the microsecond, and so is the address.
		const span = patch.span ? { span: patch.span.map((at) => Number(at.toFixed(6))) } : {};
		selections[this.set] = { ...selections[this.set], ...patch, ...span };
		this.state.change({ selections });
	}

	#build(title) {
		this.labels = this.order.map((entry) => this.#labelOf(entry));
		this.canvas = element("canvas", {
			tabindex: "0",
			role: "slider",
			title: "drag over a span of time to look at it alone",
			"aria-label": "span of time; arrow keys move it, with Shift they move its end, Escape shows all time",
			"aria-valuemin": "0",
			"aria-valuemax": String(this.recording.seconds),
			onpointerdown: (event) => this.#grab(event),
			onpointermove: (event) => this.#drag(event),
			onpointerup: (event) => this.#release(event),
			ondblclick: () => this.#select({ span: null }),
			onkeydown: (event) => this.#key(event),
		});
		this.canvas.style.height = `${this.order.length * ROW}px`;
		this.axis = element("canvas", { class: "time-axis", "aria-hidden": "true" });
		this.text = element("span", { class: "span-text", role: "status" });
		this.clear = element(
			"button",
			{ type: "button", class: "chip", onclick: () => this.#select({ span: null, threads: null }) },
			"all time ✕",
		);
		this.rows = element(
			"div",
			{ class: "time-rows" },
			element("div", { class: "time-labels" }, ...this.labels),
			element("div", { class: "time-canvas" }, this.canvas),
		);
		this.status = element("div", { class: "span-status" }, this.text, this.clear);
		this.element = element(
			"section",
			{ class: `timeline ${this.kind}`, "aria-label": title || "time" },
			this.rows,
			element("div", { class: "time-foot" }, element("div", { class: "time-title" }, title), this.axis),
		);
		new ResizeObserver(() => this.paint()).observe(this.canvas);
	}

	#labelOf(row) {
		const { rank, numbers, ns, samples } = row;
		const thread = this.recording.threads[numbers[0]];
		const which = numbers.length > 1 ? `rank ${rank}, ${count(numbers.length)} threads` : threadTitle(thread);
		const button = element(
			"button",
			{
				type: "button",
				"aria-pressed": "false",
				title: `${which} of ${thread.command ?? "?"}: ${time(ns)}, ${count(samples)} samples; click to show it alone`,
				onclick: () => this.#toggleRow(row),
			},
			element("span", { class: "thread-name" }, rank == null ? thread.name || "thread" : `rank ${rank}`),
			element("span", { class: "thread-number" }, numbers.length > 1 ? `${count(numbers.length)} threads` : String(thread.tid)),
		);
		return button;
	}

	#toggleRow({ numbers }) {
		const { threads } = this.#selection;
		const isAlone = threads?.size === numbers.length && numbers.every((number) => threads.has(number));
		this.#select({ threads: isAlone ? null : new Set(numbers) });
	}

	update() {
		const { span, threads } = this.#selection;
		this.labels.forEach((label, row) => {
			const isChosen = Boolean(threads && this.order[row].numbers.some((number) => threads.has(number)));
			label.setAttribute("aria-pressed", String(isChosen));
			label.classList.toggle("faint", Boolean(threads) && !isChosen);
		});
		this.#showText(span, threads);
		this.paint();
	}

	#showText(span, threads) {
		let samples = 0;
		eachRange(this.recording, this.#selection, (from, until) => (samples += until - from));
		const step = this.recording.seconds / 1000 || 1;
		const which = this.state.model.isDiff ? `${this.set ? "new" : "old"}: ` : "";
		const when = span ? `${seconds(span[0], step)} – ${seconds(span[1], step)}` : "";
		this.clear.hidden = !span && !threads;
		this.text.textContent =
			span || threads
				? `${which}${when}${when ? ", " : ""}${count(samples)} samples, ${share(samples, this.recording.sampleCount)}`
				: "";
		this.canvas.setAttribute("aria-valuenow", String(span ? span[0] : 0));
		this.canvas.setAttribute("aria-valuetext", when || "all time");
	}

	paint() {
		if (!this.canvas.clientWidth) return;
		const { context, width, height } = sharpContext(this.canvas);
		this.#paintRows(context, width);
		this.#paintSpan(context, width, height);
		this.#paintAxis();
	}

	#paintRows(context, width) {
		const parts = Math.max(1, Math.floor(width / BAR));
		if (this.parts !== parts) {
			this.parts = parts;
			const bins = binsOf(this.recording, parts);
			this.bins = this.order.map(({ numbers }) => sumOfBins(numbers.map((number) => bins[number])));
			this.full = fullOf(this.bins);
		}
		const { threads } = this.#selection;
		const colours = { running: styleColour("--time-bar"), waiting: styleColour("--time-wait") };
		const line = styleColour("--line");
		this.order.forEach(({ numbers }, row) => {
			const floor = (row + 1) * ROW - 2;
			context.globalAlpha = 1;
			context.fillStyle = line;
			context.fillRect(0, floor + 1, width, 1);
			context.globalAlpha = threads && !numbers.some((number) => threads.has(number)) ? 0.25 : 1;
			const { running, waiting } = this.bins[row];
			for (let bin = 0; bin < parts; bin++) {
				let low = floor;
				for (const [kind, ns] of [["running", running[bin]], ["waiting", waiting[bin]]]) {
					if (!ns) continue;
					const tall = Math.min(low - floor + ROW - 4, Math.max(1, ((ROW - 5) * ns) / this.full));
					context.fillStyle = colours[kind];
					context.fillRect((bin * width) / parts, low - tall, width / parts - 0.5, tall);
					low -= tall;
				}
			}
		});
		context.globalAlpha = 1;
	}

	#paintSpan(context, width, height) {
		const { span } = this.#selection;
		if (!span) return;
		const [from, until] = span.map((at) => (at / this.recording.seconds) * width);
		context.fillStyle = styleColour("--time-shade");
		context.fillRect(0, 0, from, height);
		context.fillRect(until, 0, width - until, height);
		context.fillStyle = styleColour("--focus");
		context.fillRect(from - 1, 0, 2, height);
		context.fillRect(until - 1, 0, 2, height);
	}

	#paintAxis() {
		const { context, width } = sharpContext(this.axis);
		const all = this.recording.seconds;
		const step = niceStep((all * 90) / width || 1);
		context.fillStyle = styleColour("--ink-soft");
		context.font = "11px system-ui, sans-serif";
		for (let at = 0; at <= all && step > 0; at += step) {
			const x = (at / all) * width;
			context.textAlign = at === 0 ? "left" : x > width - 30 ? "right" : "center";
			context.fillRect(Math.min(width - 1, x), 0, 1, 4);
			context.fillText(seconds(at, step), x, 16);
		}
	}

	#secondsAt(event) {
		const frame = this.canvas.getBoundingClientRect();
		const part = (event.clientX - frame.left) / frame.width;
		return Math.max(0, Math.min(1, part)) * this.recording.seconds;
	}

	#grab(event) {
		if (event.button !== 0) return;
		this.canvas.setPointerCapture(event.pointerId);
		this.grabbed = { x: event.clientX, at: this.#secondsAt(event) };
	}

	/** Ends a brush; less than three pixels are a click, not a span. Views follow as fast as they can. */
	#drag(event) {
		if (!this.grabbed || Math.abs(event.clientX - this.grabbed.x) < 3) return;
		const at = this.#secondsAt(event);
		const span = [Math.min(at, this.grabbed.at), Math.max(at, this.grabbed.at)];
		cancelAnimationFrame(this.frame);
		this.frame = requestAnimationFrame(() => this.#select({ span }));
	}

	#release(event) {
		if (this.grabbed && Math.abs(event.clientX - this.grabbed.x) < 3) this.#select({ span: null });
		this.grabbed = null;
	}

	#key(event) {
		const all = this.recording.seconds;
		const step = (event.key === "ArrowLeft" ? -1 : 1) * (all / 50);
		if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
			const [from, until] = this.#selection.span ?? [0, all / 10];
			const within = (at) => Math.max(0, Math.min(all, at));
			if (!this.#selection.span) this.#select({ span: [from, until] });
			else if (event.shiftKey) this.#select({ span: [from, Math.max(from + all / 100, within(until + step))] });
			else if (from + step >= -1e-9 && until + step <= all + 1e-9)
				this.#select({ span: [within(from + step), within(until + step)] });
		} else if (event.key === "Escape" && this.#selection.span) this.#select({ span: null });
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
}
