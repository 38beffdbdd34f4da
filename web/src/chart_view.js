// SPDX-License-Identifier: MIT
// chart_view.js - the stack chart: the stacks of one thread from left to right in time. It shows the selected span of time: to
// drag over a part of it selects that for all views.
import { element } from "./dom.js";
import { FlameCanvas } from "./flame_canvas.js";
import { niceStep, seconds, share, time } from "./format.js";
import { isDark } from "./look.js";
import { threadTitle } from "./model.js";
import { boxesOf, columnsOf } from "./stack_chart.js";
import { groupsOf, sumsOf } from "./thread_groups.js";
import { paintAxis } from "./time_axis.js";
import { factElements, Tip } from "./tip.js";
import { maskOf } from "./weights.js";

const ZOOM = 1.6; // factor of a step
const SHORTEST = 1e-5; // seconds that can be shown at most wide

export class ChartView {
	constructor(state, palette, openFunction) {
		this.state = state;
		this.model = state.model;
		this.palette = palette;
		this.openFunction = openFunction;
		this.chosen = null;
		this.hovered = null;
		this.#build();
	}

	#build() {
		this.choice = element("select", { "aria-label": "thread", onchange: () => this.state.change({ chart: Number(this.choice.value) }) }, ...this.#options());
		this.canvas = element("canvas", {
			class: "flame chart",
			tabindex: "0",
			role: "application",
			"aria-label": "stack chart; arrow keys move, Enter shows the time of a frame alone, + and - zoom, o opens the function",
			onpointerdown: (event) => this.#grab(event),
			onpointermove: (event) => this.#move(event),
			onpointerup: (event) => this.#release(event),
			onpointerleave: () => this.#unhover(),
			ondblclick: () => this.#zoomTo(this.hovered),
			onkeydown: (event) => this.#key(event),
			onfocus: () => this.paint(),
			onblur: () => this.paint(),
		});
		this.canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
		const room = element("div", { class: "flame-room" }, this.canvas);
		this.scroll = element("div", { class: "flame-scroll", onscroll: () => this.paint() }, room);
		this.flame = new FlameCanvas(this.canvas, room, this.scroll);
		this.axis = element("canvas", { class: "time-axis", "aria-hidden": "true" });
		this.tip = new Tip();
		this.detail = element("div", { class: "detail", "aria-live": "polite" });
		this.out = element("button", { type: "button", title: "-", onclick: () => this.#scale(ZOOM ** 2) }, "Zoom out");
		this.tools = element(
			"div",
			{ class: "tools" },
			this.choice,
			this.out,
			element("span", { class: "hint" }, "drag over a span of time to select it; Ctrl and the wheel, or + and −, zoom; double-click shows a frame alone"),
		);
		this.element = element("section", { class: "view chart-view" }, this.tools, this.axis, this.scroll, this.detail, this.tip.element);
		new ResizeObserver(() => this.lay()).observe(this.scroll);
	}

	/** Returns the choices of threads, by process, those with most time first. */
	#options() {
		let base = 0;
		return this.model.recordings.flatMap((recording, set) => {
			const own = base;
			base += recording.threads.length;
			const which = this.model.isDiff ? `${set ? "new" : "old"}: ` : "";
			return groupsOf(recording).map(({ title, numbers }) =>
				element(
					"optgroup",
					{ label: which + title },
					...numbers.map((number) => element("option", { value: String(own + number) }, which + threadTitle(recording.threads[number]))),
				),
			);
		});
	}

	/** Returns the number of the thread that is shown: the chosen one, else one of the selection, else that with most time. */
	get #number() {
		const chosen = this.state.get("chart");
		if (chosen !== null && chosen < this.model.threads.length) return chosen;
		const set = this.model.recordings.length - 1;
		const base = this.model.threads.length - this.model.recordings[set].threads.length;
		const { threads } = this.state.get("selections")[set];
		this.sums ??= sumsOf(this.model.recordings[set]);
		const known = this.sums.filter(({ number }) => !threads || threads.has(number));
		return base + known.reduce((best, one) => (one.ns > best.ns ? one : best), known[0]).number;
	}

	/** Returns the recording, its index and the thread that are shown. */
	get #shown() {
		let number = this.#number;
		let set = 0;
		while (number >= this.model.recordings[set].threads.length) number -= this.model.recordings[set++].threads.length;
		const { recording, nodes } = this.model.parts[set];
		return { set, recording, nodes, thread: recording.threads[number] };
	}

	get #span() {
		const { set, recording } = this.#shown;
		return this.state.get("selections")[set].span ?? [0, recording.seconds];
	}

	#select([from, until]) {
		const { set, recording } = this.#shown;
		const begin = Math.max(0, from);
		const end = Math.min(recording.seconds, until);
		const span = begin <= 0 && end >= recording.seconds ? null : [begin, end].map((at) => Number(at.toFixed(6)));
		if (span && span[1] - span[0] < SHORTEST) return;
		this.state.change({ selections: this.state.get("selections").map((one, i) => (i === set ? { ...one, span } : one)) });
	}

	/** Makes the span longer or shorter, around a point between 0 and 1. */
	#scale(factor, point = 0.5) {
		const [from, until] = this.#span;
		const at = from + (until - from) * point;
		this.#select([at - (at - from) * factor, at + (until - at) * factor]);
	}

	#pan(part) {
		const [from, until] = this.#span;
		const step = Math.max(-from, Math.min(this.#shown.recording.seconds - until, (until - from) * part));
		this.#select([from + step, until + step]);
	}

	update() {
		this.choice.value = String(this.#number);
		this.out.disabled = this.state.get("selections")[this.#shown.set].span === null;
		this.chosen = null;
		this.hovered = null;
		this.tip.hide();
		this.lay();
	}

	lay() {
		const width = this.scroll.clientWidth;
		if (!width) return;
		const { set, recording, nodes, thread } = this.#shown;
		const mask = maskOf(recording, this.state.get("selections")[set]);
		const wanted = (i) => !mask || mask[i];
		const columns = columnsOf(recording, nodes, thread, this.#span, width, wanted);
		this.flame.setBoxes(boxesOf(columns, this.model.tree));
		this.paint();
	}

	/** Returns a function that returns the look of a node. */
	#look() {
		const { matches } = this.state;
		const dark = isDark();
		const { model, palette } = this;
		return (node) => {
			const fn = model.tree.functions[node];
			return {
				fill: palette.of(model.object(fn), model.name(fn), dark, model.language(fn)),
				text: model.name(fn),
				isFaint: Boolean(matches && !matches[fn]),
				isMarked: Boolean(matches?.[fn]),
			};
		};
	}

	paint() {
		const ringed = document.activeElement === this.canvas && this.chosen ? this.chosen : this.hovered;
		this.flame.paint(this.#look(), (box) => box === ringed);
		paintAxis(this.axis, ...this.#span);
		this.#paintBrush();
		this.#showDetail(this.hovered ?? this.chosen);
	}

	#paintBrush() {
		if (!this.brush) return;
		const context = this.canvas.getContext("2d");
		context.globalAlpha = 0.25;
		context.fillRect(Math.min(...this.brush), this.scroll.scrollTop, Math.abs(this.brush[1] - this.brush[0]), this.canvas.clientHeight);
		context.globalAlpha = 1;
	}

	get canPicture() {
		return true;
	}

	/** Returns the boxes that are shown as lines, in the order of time. */
	text() {
		const lines = this.flame.boxes.map((box) => {
			const [[, from], , [, duration]] = this.#facts(box);
			return `${from.padStart(12)}  ${duration.padStart(8)}  ${"  ".repeat(box.row)}${this.model.name(this.model.tree.functions[box.node])}`;
		});
		return `${[`${"from".padStart(12)}  ${"duration".padStart(8)}  function`, ...lines].join("\n")}\n`;
	}

	picture() {
		return this.flame.picture(this.#look());
	}

	/** Returns the seconds from which and until which a box lasts. */
	#timeOf({ x, width }) {
		const [from, until] = this.#span;
		const pixel = (until - from) / this.scroll.clientWidth;
		return [from + x * pixel, from + (x + width) * pixel];
	}

	#facts(box) {
		const [from, until] = this.#timeOf(box);
		const [begin, end] = this.#span;
		const step = niceStep((end - begin) / 1000 || 1);
		return [
			["from", seconds(from, step)],
			["to", seconds(until, step)],
			["duration", time((until - from) * 1e9)],
			["of what is shown", share(until - from, end - begin)],
		];
	}

	#showDetail(box) {
		const fn = box ? this.model.tree.functions[box.node] : null;
		this.detail.replaceChildren(
			element("strong", { class: "name" }, box ? this.model.name(fn) : threadTitle(this.#shown.thread)),
			element("span", { class: "object" }, box ? this.model.place(fn) : ""),
			...(box ? factElements(this.#facts(box)) : []),
			element("span", { class: "spring" }),
			element("button", { type: "button", disabled: !box, title: "o", onclick: () => this.openFunction(fn) }, "Callers and callees"),
		);
	}

	#point(event) {
		const frame = this.canvas.getBoundingClientRect();
		return [event.clientX - frame.left, event.clientY - frame.top];
	}

	#grab(event) {
		if (event.button !== 0) return;
		this.canvas.setPointerCapture(event.pointerId);
		this.grabbed = this.#point(event)[0];
	}

	/** Paints the brush of a drag, or shows the box below the pointer. */
	#move(event) {
		const [x, y] = this.#point(event);
		if (this.grabbed !== undefined) {
			this.brush = Math.abs(x - this.grabbed) < 3 ? null : [this.grabbed, x];
			this.paint();
			return;
		}
		const box = this.flame.at(x, y);
		if (box !== this.hovered) {
			this.hovered = box;
			this.paint();
			if (box) this.#fillTip(box);
			else this.tip.hide();
		}
		if (box) this.tip.place(event);
	}

	#fillTip(box) {
		const fn = this.model.tree.functions[box.node];
		this.tip.show(
			element("div", { class: "name" }, this.model.whole(fn)),
			element("div", { class: "object" }, this.model.place(fn)),
			element("div", { class: "facts" }, ...factElements(this.#facts(box))),
		);
	}

	/** Ends a drag: the brushed part becomes the span. */
	#release(event) {
		const { brush } = this;
		this.brush = null;
		this.grabbed = undefined;
		if (brush) {
			const [from, until] = this.#timeOf({ x: Math.min(...brush), width: Math.abs(brush[1] - brush[0]) });
			this.#select([from, until]);
			return;
		}
		this.chosen = this.flame.at(...this.#point(event));
		this.paint();
	}

	#unhover() {
		this.hovered = null;
		this.tip.hide();
		this.paint();
	}

	#zoomTo(box) {
		if (box) this.#select(this.#timeOf(box));
	}

	#wheel(event) {
		if (!event.ctrlKey) return;
		event.preventDefault();
		this.#scale(event.deltaY > 0 ? ZOOM : 1 / ZOOM, this.#point(event)[0] / this.scroll.clientWidth);
	}

	#key(event) {
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		if (event.shiftKey && event.key === "ArrowLeft") this.#pan(-0.25);
		else if (event.shiftKey && event.key === "ArrowRight") this.#pan(0.25);
		else if (event.key.startsWith("Arrow")) this.#step(event.key);
		else if (event.key === "Enter") this.#zoomTo(this.chosen);
		else if (event.key === "+" || event.key === "=") this.#scale(1 / ZOOM);
		else if (event.key === "-") this.#scale(ZOOM);
		else if (event.key === "o" && this.chosen) this.openFunction(this.model.tree.functions[this.chosen.node]);
		else return;
		event.preventDefault();
		event.stopPropagation();
	}

	#step(key) {
		const widest = () => (this.flame.rows[0] ?? []).reduce((best, box) => (box.width > (best?.width ?? 0) ? box : best), null);
		const next = this.chosen ? this.flame.next(this.chosen, key) : widest();
		if (!next) return;
		this.chosen = next;
		this.hovered = null;
		this.flame.reveal(next);
		this.paint();
	}
}
