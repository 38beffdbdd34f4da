// SPDX-License-Identifier: MIT
// timeline.js - shows when each thread ran: a row per thread, below its process or rank, with the time of its samples. A span that is
// brushed, by mouse or by keyboard, becomes the selection of all views.
import { cutText, element, sharpContext, styleColour } from "./dom.js";
import { amount, count, seconds, share } from "./format.js";
import { threadTitle } from "./model.js";
import { groupsOf, rowsOf } from "./thread_groups.js";
import { paintAxis } from "./time_axis.js";
import { eachRange, maskOf } from "./weights.js";

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
export function spread(bins, time, duration, width) {
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

export class Timeline {
	/** `set` is the index of the recording in the page. */
	constructor(state, set, title) {
		this.state = state;
		this.set = set;
		this.recording = state.model.recordings[set];
		this.title = title;
		this.groups = groupsOf(this.recording);
		this.kind = this.groups.some(({ rank }) => rank != null) ? "ranks" : "threads";
		this.#build();
		this.#setRows();
	}

	/** Returns the indices of groups that the user turned; those of an old and a new recording are separate. */
	get #turned() {
		const own = (fold) => fold % 2 === this.set;
		return new Set(this.state.get("folds").split(".").filter(Boolean).map(Number).filter(own).map((fold) => (fold - this.set) / 2));
	}

	#turn({ index }) {
		const fold = String(2 * index + this.set);
		const folds = this.state.get("folds").split(".").filter(Boolean);
		this.state.change({ folds: (folds.includes(fold) ? folds.filter((one) => one !== fold) : [...folds, fold]).join(".") });
	}

	/** Makes the rows that are visible now, and their labels. */
	#setRows() {
		if (this.folds === this.state.get("folds")) return;
		this.folds = this.state.get("folds");
		const { rows, all } = rowsOf(this.groups, this.#turned, ROWS);
		this.order = rows;
		this.parts = 0;
		const focused = [...this.labelBox.querySelectorAll("button")].indexOf(document.activeElement);
		this.labels = rows.map((row) => this.#labelOf(row));
		this.labelBox.replaceChildren(...this.labels);
		if (focused >= 0) this.labelBox.querySelectorAll("button")[focused]?.focus();
		this.canvas.style.height = `${rows.length * ROW}px`;
		this.titleBox.textContent = all > ROWS ? `${this.title}, ${ROWS} of ${count(all)} rows` : this.title;
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

	#build() {
		this.labelBox = element("div", { class: "time-labels" });
		this.titleBox = element("div", { class: "time-title" });
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
			this.labelBox,
			element("div", { class: "time-canvas" }, this.canvas),
		);
		this.status = element("div", { class: "span-status" }, this.text, this.clear);
		this.element = element(
			"section",
			{ class: `timeline ${this.kind}`, "aria-label": this.title },
			this.rows,
			element("div", { class: "time-foot" }, this.titleBox, this.axis),
		);
		new ResizeObserver(() => this.paint()).observe(this.canvas);
	}

	#labelOf(row) {
		const { group, numbers, isGroup, level } = row;
		const thread = this.recording.threads[numbers[0]];
		const which = isGroup ? `${group.title}, ${count(numbers.length)} threads` : threadTitle(thread);
		const sums = numbers.reduce((sum, number) => sum + this.recording.threads[number].end - this.recording.threads[number].first, 0);
		const name = isGroup || (level === 0 && group.rank != null) ? (group.program ?? group.title) : thread.name || "thread";
		const size = group.program ? `${count(group.processes.size)} processes` : `${count(numbers.length)} threads`;
		const choose = element(
			"button",
			{
				type: "button",
				class: "thread",
				"aria-pressed": "false",
				title: `${which} of ${thread.command ?? "?"}: ${isGroup || level === 0 ? `${amount(group.ns)}, ` : ""}${count(sums)} samples; click to show it alone`,
				onclick: () => this.#toggleRow(row),
			},
			element("span", { class: "thread-name" }, ...cutText(name)),
			element("span", { class: "thread-number" }, isGroup ? size : String(thread.tid)),
		);
		return element("div", { class: `time-label level-${level}` }, isGroup ? this.#foldOf(row, which) : null, choose);
	}

	#foldOf({ group, isOpen }, which) {
		const title = `${isOpen ? "fold" : "unfold"} ${which}`;
		return element("button", { type: "button", class: "fold", title, "aria-label": title, "aria-expanded": String(isOpen), onclick: () => this.#turn(group) });
	}

	#toggleRow({ numbers }) {
		const { threads } = this.#selection;
		const isAlone = threads?.size === numbers.length && numbers.every((number) => threads.has(number));
		this.#select({ threads: isAlone ? null : new Set(numbers) });
	}

	update() {
		const { span, threads } = this.#selection;
		this.#setRows();
		this.labels.forEach((label, row) => {
			const isChosen = Boolean(threads && this.order[row].numbers.some((number) => threads.has(number)));
			label.querySelector(".thread").setAttribute("aria-pressed", String(isChosen));
			label.classList.toggle("faint", Boolean(threads) && !isChosen);
		});
		this.#showText(span, threads);
		this.paint();
	}

	#showText(span, threads) {
		let samples = 0;
		const mask = maskOf(this.recording, this.#selection);
		eachRange(this.recording, this.#selection, (from, until) => {
			if (!mask) samples += until - from;
			else for (let i = from; i < until; i++) samples += mask[i];
		});
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
		paintAxis(this.axis, 0, this.recording.seconds);
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
