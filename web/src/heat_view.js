// SPDX-License-Identifier: MIT
// heat_view.js - heat maps of time: columns are periods, rows parts of a period. Stalls are gaps, and what repeats makes patterns. A
// range of cells that is dragged over becomes the selected span.
import { element, sharpContext, styleColour } from "./dom.js";
import { count, seconds, time } from "./format.js";
import { cellsOf, fullOf, gridOf } from "./heat_cells.js";
import { isDark } from "./look.js";
import { paintAxis } from "./time_axis.js";
import { factElements, Tip } from "./tip.js";

/** Returns the color of a cell, from 0 to 1. */
function heatColour(part, dark) {
	const hue = 44 - 36 * part;
	return dark ? `hsl(${hue} ${50 + 40 * part}% ${20 + 42 * part}%)` : `hsl(${hue} 90% ${92 - 48 * part}%)`;
}

class HeatMap {
	constructor(state, set, tip) {
		this.state = state;
		this.set = set;
		this.tip = tip;
		this.recording = state.model.recordings[set];
		this.grid = gridOf(this.recording.seconds, this.recording.meta.rate_achieved);
		this.at = 0;
		this.canvas = element("canvas", {
			tabindex: "0",
			role: "application",
			"aria-label": "heat map of time; arrow keys move, with Shift they select a span, Escape shows all time",
			onpointerdown: (event) => this.#grab(event),
			onpointermove: (event) => this.#move(event),
			onpointerup: () => (this.grabbed = undefined),
			onpointerleave: () => tip.hide(),
			ondblclick: () => this.#select(null),
			onkeydown: (event) => this.#key(event),
			onfocus: () => this.paint(),
			onblur: () => this.paint(),
		});
		this.axis = element("canvas", { class: "time-axis", "aria-hidden": "true" });
		const { period } = this.grid;
		const scale = [1, 0.75, 0.5, 0.25, 0].map((part) => element("span", {}, time(part * period * 1e9)));
		this.element = element(
			"div",
			{ class: "heat-map" },
			state.model.isDiff ? element("h2", { class: "title" }, set ? "New" : "Old") : null,
			element("div", { class: "heat-scale" }, ...scale),
			element("div", { class: "heat-cells" }, this.canvas),
			this.axis,
		);
		new ResizeObserver(() => this.paint()).observe(this.canvas);
	}

	get #selection() {
		return this.state.get("selections")[this.set];
	}

	#select(span) {
		const rounded = span && span.map((at) => Number(at.toFixed(6)));
		this.state.change({ selections: this.state.get("selections").map((one, set) => (set === this.set ? { ...one, span: rounded } : one)) });
	}

	/** Returns the seconds of a cell. */
	#timeOf(cell) {
		const width = this.grid.period / this.grid.rows;
		return [cell * width, (cell + 1) * width];
	}

	/** Selects from one cell to another, both included, in either order. */
	#selectCells(one, other) {
		this.#select([this.#timeOf(Math.min(one, other))[0], Math.min(this.recording.seconds, this.#timeOf(Math.max(one, other))[1])]);
	}

	update() {
		const { threads, state } = this.#selection;
		if (!this.cells || this.threads !== threads || this.shownState !== state) {
			Object.assign(this, { threads, shownState: state });
			this.cells = cellsOf(this.recording, this.#selection, this.grid);
			this.full = fullOf(this.cells);
		}
		this.paint();
	}

	/** Returns the place of a cell: the first row is the lowest. */
	#boxOf(cell, width, height) {
		const { rows, columns } = this.grid;
		const [w, h] = [width / columns, height / rows];
		return [Math.floor(cell / rows) * w, height - ((cell % rows) + 1) * h, w, h];
	}

	#paintCells(context, width, height) {
		const dark = isDark();
		const { span } = this.#selection;
		this.cells.forEach((ns, cell) => {
			const [x, y, w, h] = this.#boxOf(cell, width, height);
			const [from, until] = this.#timeOf(cell);
			context.globalAlpha = span && (until <= span[0] + 1e-9 || from >= span[1] - 1e-9) ? 0.3 : 1;
			context.fillStyle = ns ? heatColour(Math.min(1, ns / this.full), dark) : styleColour("--paper-deep");
			context.fillRect(x, y, w - (w > 4 ? 0.5 : 0), h - (h > 4 ? 0.5 : 0));
		});
		context.globalAlpha = 1;
	}

	paint() {
		if (!this.canvas.clientWidth || !this.cells) return;
		const { context, width, height } = sharpContext(this.canvas);
		this.#paintCells(context, width, height);
		paintAxis(this.axis, 0, this.grid.columns * this.grid.period);
		if (document.activeElement !== this.canvas) return;
		const [x, y, w, h] = this.#boxOf(this.at, width, height);
		context.strokeStyle = styleColour("--focus");
		context.lineWidth = 2;
		context.strokeRect(x - 1, y - 1, w + 2, h + 2);
	}

	text() {
		const lines = [];
		this.cells.forEach((ns, cell) => ns && lines.push(this.#facts(cell).map(([, value]) => value.padStart(12)).join("  ")));
		return `${["from", "to", "time"].map((title) => title.padStart(12)).join("  ")}\n${lines.join("\n")}\n`;
	}

	picture() {
		const { clientWidth: width, clientHeight: height } = this.canvas;
		return { width, height, paint: (context) => this.#paintCells(context, width, height) };
	}

	#cellAt(event) {
		const frame = this.canvas.getBoundingClientRect();
		const { rows, columns } = this.grid;
		const within = (at, most) => Math.max(0, Math.min(most - 1, Math.floor(at * most)));
		const column = within((event.clientX - frame.left) / frame.width, columns);
		return column * rows + within((frame.bottom - event.clientY) / frame.height, rows);
	}

	#grab(event) {
		if (event.button !== 0) return;
		this.canvas.setPointerCapture(event.pointerId);
		this.grabbed = this.#cellAt(event);
		this.at = this.grabbed;
		this.#selectCells(this.grabbed, this.grabbed);
	}

	#move(event) {
		const cell = this.#cellAt(event);
		if (this.grabbed !== undefined) {
			cancelAnimationFrame(this.frame);
			const from = this.grabbed;
			this.frame = requestAnimationFrame(() => this.#selectCells(from, cell));
		}
		this.tip.show(element("div", { class: "facts" }, ...factElements(this.#facts(cell))));
		this.tip.place(event);
	}

	#facts(cell) {
		const step = this.grid.period / this.grid.rows;
		const [from, until] = this.#timeOf(cell);
		return [["from", seconds(from, step)], ["to", seconds(until, step)], ["time of samples", time(this.cells[cell])]];
	}

	#key(event) {
		const { rows } = this.grid;
		const step = { ArrowUp: 1, ArrowDown: -1, ArrowRight: rows, ArrowLeft: -rows }[event.key];
		if (step) {
			if (!event.shiftKey) this.anchor = undefined;
			else this.anchor ??= this.at;
			this.at = Math.max(0, Math.min(this.cells.length - 1, this.at + step));
			if (this.anchor === undefined) this.paint();
			else this.#selectCells(this.anchor, this.at);
		} else if (event.key === "Enter" || event.key === " ") this.#selectCells(this.at, this.at);
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
}

export class HeatView {
	constructor(state) {
		this.tip = new Tip();
		this.maps = state.model.recordings.map((_, set) => new HeatMap(state, set, this.tip));
		const { grid } = this.maps.at(-1);
		const cell = time((grid.period / grid.rows) * 1e9);
		this.legend = element("i", { class: "heat-legend" });
		this.tools = element(
			"div",
			{ class: "tools" },
			element("span", { class: "hint" }, `columns of ${time(grid.period * 1e9)}, ${count(grid.rows)} cells of ${cell} each, time runs upwards; drag from one cell to another to select the time between`),
			element("span", { class: "legend" }, element("span", {}, "idle", this.legend, "busy")),
		);
		this.element = element("section", { class: "view heat-view" }, this.tools, ...this.maps.map((map) => map.element), this.tip.element);
	}

	update() {
		const dark = isDark();
		this.legend.style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((part) => heatColour(part, dark)).join(", ")})`;
		for (const map of this.maps) map.update();
	}

	get canPicture() {
		return true;
	}

	/** Returns the cells with time as lines. */
	text() {
		return this.maps.at(-1).text();
	}

	picture() {
		return this.maps.at(-1).picture();
	}
}
