// SPDX-License-Identifier: MIT
// flame_view.js - the flame graph with its tools: zoom, invert, split by thread, focus; mouse and keyboard.
import { changeColour } from "./colours.js";
import { element, toggle } from "./dom.js";
import { FlameCanvas, layOut } from "./flame_canvas.js";
import { nodeAt, pathOf } from "./flame_shapes.js";
import { amount, count, share, signed, whole } from "./format.js";
import { fillOf, isDark } from "./look.js";
import { shapeText } from "./shape_text.js";
import { factElements, Tip } from "./tip.js";
import { matchedTotal } from "./weights.js";

export class FlameView {
	/** openFunction is null if there is no view of one function. */
	constructor(state, palette, openFunction) {
		this.state = state;
		this.model = state.model;
		this.palette = palette;
		this.openFunction = openFunction;
		this.zoomed = 0;
		this.chosen = 0;
		this.hovered = null;
		this.#build();
	}

	get #set() {
		return this.model.isDiff && this.state.get("width") === "old" ? 0 : this.model.recordings.length - 1;
	}

	#build() {
		const { state } = this;
		this.tools = {
			inverted: toggle("Invert", "callers below callees (i)", () => this.flip("inverted")),
			byThread: toggle("By thread", "each thread on its own (b)", () => this.flip("byThread")),
		};
		this.canvas = element("canvas", {
			class: "flame",
			tabindex: "0",
			role: "application",
			"aria-label": "flame graph; arrow keys move, Enter zooms, Escape goes back, o opens the function",
			onmousemove: (event) => this.#hover(event),
			onmouseleave: () => this.#unhover(),
			onclick: (event) => this.#click(event),
			onkeydown: (event) => this.#key(event),
			onfocus: () => this.paint(),
			onblur: () => this.paint(),
		});
		const room = element("div", { class: "flame-room" }, this.canvas);
		this.scroll = element("div", { class: "flame-scroll", onscroll: () => this.paint() }, room);
		this.flame = new FlameCanvas(this.canvas, room, this.scroll);
		this.tip = new Tip();
		this.found = element("span", { class: "found", role: "status" });
		this.legend = element("div", { class: "legend" });
		this.detail = element("div", { class: "detail", "aria-live": "polite" });
		this.reset = element("button", { type: "button", onclick: () => this.back(), title: "Escape" }, "Reset zoom");
		this.unfocus = element("button", {
			type: "button",
			class: "chip",
			title: "show all functions again",
			onclick: () => state.change({ focus: null, zoom: "", row: "" }),
		});
		const bar = element("div", { class: "tools" }, this.tools.inverted.button);
		if (this.model.threads.length) bar.append(this.tools.byThread.button);
		if (this.model.isDiff) bar.append(...this.#diffTools());
		bar.append(this.reset, this.unfocus, this.found, this.legend);
		this.element = element("section", { class: "view flame-view" }, bar, this.scroll, this.detail, this.tip.element);
		new ResizeObserver(() => this.lay()).observe(this.scroll);
	}

	#diffTools() {
		const { state } = this;
		this.tools.share = toggle("By share", "compare shares of all time, not times", () =>
			state.change({ compare: state.get("compare") === "share" ? "time" : "share" }),
		);
		this.tools.old = toggle("Widths of old", "frames as wide as they were", () =>
			state.change({ width: state.get("width") === "old" ? "new" : "old" }),
		);
		return [this.tools.share.button, this.tools.old.button];
	}

	flip(name) {
		this.state.change({ [name]: !this.state.get(name), zoom: "", row: "" });
	}

	/** Updates the view after a change of the state, or when it is shown again. Nodes belong to one shape only. */
	update() {
		const { state } = this;
		if (this.shape !== state.shape || this.path !== state.get("zoom")) {
			this.shape = state.shape;
			this.path = state.get("zoom");
			this.zoomed = nodeAt(this.shape, this.path);
			this.chosen = this.zoomed;
			this.hovered = null;
			this.tip.hide();
			this.scroll.scrollTop = 0;
		}
		this.tools.inverted.set(state.get("inverted"));
		this.tools.byThread.set(state.get("byThread"));
		this.tools.share?.set(state.get("compare") === "share");
		this.tools.old?.set(state.get("width") === "old");
		const focus = state.get("focus");
		this.unfocus.hidden = focus === null;
		this.unfocus.textContent = focus === null ? "" : `${state.get("inverted") ? "callers of" : "below"} ${this.model.name(focus)} ✕`;
		this.#showFound();
		this.#showLegend();
		this.lay();
	}

	#showFound() {
		const { matches, weights } = this.state;
		const set = this.#set;
		this.found.textContent = "";
		if (!matches) return;
		const sum = matchedTotal(weights[set], matches);
		this.found.textContent = `${share(sum, weights[set].all)} ${this.state.isPart ? "of the selection" : `of ${whole()}`} matches (${amount(sum)})`;
	}

	#showLegend() {
		const { isDiff } = this.model;
		const entries = isDiff
			? [
					["less", changeColour(-1, isDark())],
					["the same", changeColour(0, isDark())],
					["more", changeColour(1, isDark())],
				]
			: [
					...this.model.languages().map((language) => [language, this.palette.of("", "", isDark(), language)]),
					...this.#objects().map((object) => [object, this.palette.of(object, "", isDark())]),
				];
		this.legend.replaceChildren(
			...entries.map(([name, colour]) => {
				const swatch = element("i", { class: "swatch" });
				swatch.style.background = colour;
				return element("span", {}, swatch, name);
			}),
		);
	}

	/** Returns the objects of native code that have most of the time. */
	#objects() {
		const files = new Set(this.model.functions.filter((fn) => fn.language).map((fn) => fn.object));
		return [...this.palette.hues.keys()].filter((object) => !files.has(object)).slice(0, 6);
	}

	lay() {
		const { shape } = this.state;
		const set = this.#set;
		const width = this.scroll.clientWidth;
		if (!width) return;
		this.flame.setBoxes(layOut(shape, this.zoomed, width, (node) => shape.total(node, set)));
		this.reset.disabled = this.zoomed === 0;
		this.paint();
	}

	paint() {
		const hasKeyboard = document.activeElement === this.canvas;
		const chosen = hasKeyboard ? this.chosen : this.hovered;
		this.flame.paint(this.#look(), ({ node }) => node === chosen);
		this.#showDetail(this.hovered ?? this.chosen);
	}

	/** Returns a function that returns the look of a node. */
	#look() {
		const { matches, shape } = this.state;
		const dark = isDark();
		const faint = new Set();
		for (let node = this.zoomed; node !== 0; ) {
			node = shape.parent(node);
			faint.add(node);
		}
		return (node) => ({
			fill: fillOf(this.state, this.palette, shape, node, dark),
			text: this.#text(shape, node),
			isFaint: faint.has(node) || Boolean(matches && node && !matches[shape.fn(node)]),
			isMarked: Boolean(matches && node && matches[shape.fn(node)]),
		});
	}

	get canPicture() {
		return true;
	}

	/** Returns the frames that are shown as lines. */
	text() {
		return shapeText(this.state.shape, (fn) => this.model.name(fn), this.#set, this.zoomed);
	}

	/** Returns the picture of the whole graph, for a file. */
	picture() {
		return this.flame.picture(this.#look());
	}

	#text(shape, node) {
		if (node === 0) {
			const set = this.#set;
			const samples = shape.samples(0, set);
			return `all: ${amount(shape.total(0, set))}, ${count(samples)} ${this.model.unit}${samples === 1 ? "" : "s"}`;
		}
		return this.model.name(shape.fn(node));
	}

	/** Returns the facts about a node: [[what, value]...]. */
	#facts(node) {
		const { shape } = this.state;
		const set = this.#set;
		const calls = this.model.callsAt(shape, node);
		const facts = [
			["total", amount(this.model.totalAt(shape, node, set))],
			[this.state.isPart ? "of the selection" : "of all", share(shape.total(node, set), shape.total(0, set))],
		];
		if (calls) facts.unshift(["calls", count(calls)]);
		if (!this.state.get("inverted")) facts.push(["self", amount(shape.self(node, set))]);
		if (this.model.unit === "sample") facts.push(["samples", count(shape.samples(node, set))]);
		if (this.model.isDiff) {
			const change = shape.total(node, 1) - shape.total(node, 0) * this.state.factor;
			facts.push(["was", amount(shape.total(node, 0) * this.state.factor)], ["change", signed(change, amount)]);
		}
		return facts;
	}

	#showDetail(node) {
		const { shape } = this.state;
		const fn = shape.fn(node);
		const isFunction = node !== 0 && fn < this.model.threadBase;
		const key = `${node} ${this.#facts(node).join()} ${this.#text(shape, node)}`;
		if (this.shown === key) return;
		this.shown = key;
		this.detail.replaceChildren(
			element("strong", { class: "name" }, node ? this.model.name(fn) : "all"),
			element("span", { class: "object" }, node ? this.model.place(fn) : ""),
			...factElements(this.#facts(node)),
			element("span", { class: "spring" }),
			element("button", { type: "button", disabled: !isFunction, title: "f", onclick: () => this.#focusOn(fn) }, "Focus"),
			...(this.openFunction ? [this.#opener(fn, isFunction)] : []),
		);
	}

	#opener(fn, isFunction) {
		return element("button", { type: "button", disabled: !isFunction, title: "o", onclick: () => this.openFunction(fn) }, "Callers and callees");
	}

	#focusOn(fn) {
		if (fn < this.model.threadBase) this.state.change({ focus: fn, zoom: "", row: "" });
	}

	#point(event) {
		const frame = this.canvas.getBoundingClientRect();
		return this.flame.at(event.clientX - frame.left, event.clientY - frame.top);
	}

	#hover(event) {
		const box = this.#point(event);
		const node = box ? box.node : null;
		this.canvas.style.cursor = box ? "pointer" : "default";
		if (node !== this.hovered) {
			this.hovered = node;
			this.paint();
			if (box) this.#fillTip(node);
			else this.tip.hide();
		}
		if (box) this.tip.place(event);
	}

	#fillTip(node) {
		const { shape } = this.state;
		this.tip.show(
			element("div", { class: "name" }, node ? this.model.whole(shape.fn(node)) : this.#text(shape, node)),
			element("div", { class: "object" }, node ? this.model.object(shape.fn(node)) : ""),
			element("div", { class: "facts" }, ...factElements(this.#facts(node))),
		);
	}

	#unhover() {
		this.hovered = null;
		this.tip.hide();
		this.paint();
	}

	#click(event) {
		const box = this.#point(event);
		if (box) this.zoom(box.node);
	}

	zoom(node) {
		this.state.change({ zoom: pathOf(this.state.shape, node) });
	}

	/** Removes the zoom, or else the focus. Returns whether there was one. */
	back() {
		if (this.zoomed !== 0) this.zoom(0);
		else if (this.state.get("focus") !== null) this.state.change({ focus: null, zoom: "", row: "" });
		else return false;
		return true;
	}

	#key(event) {
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		const { shape } = this.state;
		const fn = shape.fn(this.chosen);
		if (event.key.startsWith("Arrow")) this.#move(event.key);
		else if (event.key === "Enter" || event.key === " ") this.zoom(this.chosen);
		else if (event.key === "f" && this.chosen) this.#focusOn(fn);
		else if (event.key === "o" && this.openFunction && this.chosen && fn < this.model.threadBase) this.openFunction(fn);
		else return;
		event.preventDefault();
		event.stopPropagation();
	}

	#move(key) {
		const box = this.flame.boxes.find(({ node }) => node === this.chosen) ?? this.flame.boxes[0];
		const next = this.flame.next(box, key);
		if (!next) return;
		this.chosen = next.node;
		this.hovered = null;
		this.flame.reveal(next);
		this.paint();
	}
}
