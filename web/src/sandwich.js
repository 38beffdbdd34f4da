// SPDX-License-Identifier: MIT
// sandwich.js - a function between its callers, above it, and its callees, below it: two flame graphs of equal scale.
import { element } from "./dom.js";
import { FlameCanvas, layOut } from "./flame_canvas.js";
import { FocusedShape, InvertedShape } from "./flame_shapes.js";
import { amount, share, signed } from "./format.js";
import { fillOf, isDark } from "./look.js";
import { factElements, Tip } from "./tip.js";

/** One half: a canvas with the boxes of a shape, without those of its first rows. */
class Half {
	constructor(owner, label, isFlipped) {
		this.owner = owner;
		this.isFlipped = isFlipped;
		this.canvas = element("canvas", {
			class: "flame",
			tabindex: "0",
			role: "application",
			"aria-label": `${label}; arrow keys move, Enter opens a function`,
			onmousemove: (event) => this.#hover(event),
			onmouseleave: () => this.#point(null),
			onclick: () => owner.open(this.shape, this.hovered),
			onkeydown: (event) => this.#key(event),
			onfocus: () => this.paint(),
			onblur: () => this.paint(),
		});
		const room = element("div", { class: "flame-room" }, this.canvas);
		this.scroll = element("div", { class: "flame-scroll", onscroll: () => this.paint() }, room);
		this.flame = new FlameCanvas(this.canvas, room, this.scroll, isFlipped);
		this.hovered = null;
		new ResizeObserver(() => this.lay()).observe(this.scroll);
	}

	/** Shows a shape, without so many of its first rows. */
	set(shape, skipped) {
		this.shape = shape;
		this.skipped = skipped;
		this.hovered = null;
		this.chosen = null;
		this.lay();
		if (this.isFlipped) this.scroll.scrollTop = this.scroll.scrollHeight;
	}

	lay() {
		const width = this.scroll.clientWidth;
		if (!width || !this.shape) return;
		const top = this.shape.children(0)[0] ?? 0;
		const boxes = layOut(this.shape, top, width, (node) => this.shape.total(node, this.owner.set));
		this.flame.setBoxes(boxes.filter(({ row }) => row >= this.skipped).map((box) => Object.assign(box, { row: box.row - this.skipped })));
		this.paint();
	}

	paint() {
		if (!this.shape) return;
		const ringed = document.activeElement === this.canvas && this.chosen ? this.chosen : this.hovered;
		this.flame.paint(this.owner.look(this.shape), (box) => box === ringed);
	}

	#hover(event) {
		const frame = this.canvas.getBoundingClientRect();
		const box = this.flame.at(event.clientX - frame.left, event.clientY - frame.top);
		this.canvas.style.cursor = box ? "pointer" : "default";
		this.#point(box);
		if (box) this.owner.tip.place(event);
	}

	#point(box) {
		if (box === this.hovered) return;
		this.hovered = box;
		this.owner.say(this.shape, box);
		this.paint();
	}

	#key(event) {
		const turned = this.isFlipped ? { ArrowUp: "ArrowDown", ArrowDown: "ArrowUp" }[event.key] : null;
		if (event.key === "Enter") this.owner.open(this.shape, this.chosen);
		else if (event.key.startsWith("Arrow")) {
			const next = this.chosen ? this.flame.next(this.chosen, turned ?? event.key) : this.flame.boxes[0];
			if (next) this.chosen = next;
			if (next) this.flame.reveal(next);
			this.paint();
		} else return;
		event.preventDefault();
		event.stopPropagation();
	}
}

export class Sandwich {
	constructor(state, palette, openFunction) {
		this.state = state;
		this.palette = palette;
		this.openFunction = openFunction;
		this.set = state.model.recordings.length - 1;
		this.tip = new Tip();
		this.callers = new Half(this, "callers", true);
		this.callees = new Half(this, "callees", false);
		this.element = element(
			"div",
			{ class: "sandwich" },
			element("h3", {}, "Callers ", element("span", { class: "hint" }, "of the function, further out further up")),
			this.callers.scroll,
			this.callees.scroll,
			element("h3", {}, "Callees ", element("span", { class: "hint" }, "below the function")),
			this.tip.element,
		);
	}

	update(fn) {
		const { model, weights } = this.state;
		if (this.fn === fn && this.weights === weights) return this.paint();
		this.fn = fn;
		this.weights = weights;
		this.callers.set(new InvertedShape(model.tree, weights, fn), 2);
		this.callees.set(new FocusedShape(model.tree, weights, fn), 1);
	}

	paint() {
		this.callers.paint();
		this.callees.paint();
	}

	look(shape) {
		const { matches, model } = this.state;
		const dark = isDark();
		return (node) => ({
			fill: fillOf(this.state, this.palette, shape, node, dark),
			text: model.name(shape.fn(node)),
			isFaint: Boolean(matches && !matches[shape.fn(node)]),
			isMarked: Boolean(matches?.[shape.fn(node)]),
		});
	}

	open(shape, box) {
		if (box) this.openFunction(shape.fn(box.node));
	}

	say(shape, box) {
		if (!box) return this.tip.hide();
		const total = shape.total(box.node, this.set);
		const facts = [["total", amount(total)], ["of the function", share(total, shape.total(0, this.set))]];
		if (this.state.model.isDiff) facts.push(["change", signed(total - shape.total(box.node, 0) * this.state.factor, amount)]);
		this.tip.show(
			element("div", { class: "name" }, this.state.model.whole(shape.fn(box.node))),
			element("div", { class: "object" }, this.state.model.place(shape.fn(box.node))),
			element("div", { class: "facts" }, ...factElements(facts)),
		);
	}

	/** Returns the picture of both halves. */
	picture() {
		const [above, below] = [this.callers, this.callees].map((half) => half.flame.picture(this.look(half.shape)));
		return {
			width: below.width,
			height: above.height + below.height,
			paint: (context) => {
				above.paint(context);
				context.translate(0, above.height);
				below.paint(context);
			},
		};
	}
}
