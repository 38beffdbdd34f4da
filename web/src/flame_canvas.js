// SPDX-License-Identifier: MIT
// flame_canvas.js - lays out a shape as a flame graph and paints it. Handles pixels, not the meaning of frames.
import { cutMiddle, sharpContext, styleColour } from "./dom.js";

export const ROW = 20;
const NARROWEST = 0.6; // pixels; narrower boxes and those below them are not laid out
const FONT = "12px ui-monospace, 'SF Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace";

/**
* Returns the rectangles of a shape: the full-width ones above the zoomed node, that node, and all below it.
* valueOf(node) is the width of a node.
 */
export function layOut(shape, zoomed, width, valueOf) {
	const boxes = [];
	const above = [];
	for (let node = zoomed; node !== 0; node = shape.parent(node)) above.push(node);
	above.push(0);
	above.reverse().forEach((node, row) => boxes.push({ node, x: 0, width, row }));
	const stack = [boxes[boxes.length - 1]];
	while (stack.length) {
		const box = stack.pop();
		const whole = valueOf(box.node);
		if (!whole) continue;
		const scale = box.width / whole;
		const children = shape.children(box.node).map((node) => ({ node, value: valueOf(node) }));
		children.sort((a, b) => b.value - a.value);
		let { x } = box;
		for (const { node, value } of children) {
			const wide = value * scale;
			if (wide < NARROWEST) break;
			const child = { node, x, width: wide, row: box.row + 1, parent: box };
			boxes.push(child);
			stack.push(child);
			x += wide;
		}
	}
	return boxes;
}

/** Paints boxes; look(node) returns { fill, text, isFaint, isMarked }, topOf(row) the upper end of a row. */
function paintBoxes(context, boxes, look, topOf) {
	const inks = { plain: styleColour("--frame-ink"), mark: styleColour("--match"), match: styleColour("--match-ink") };
	context.font = FONT;
	context.textBaseline = "middle";
	const letter = context.measureText("x").width;
	for (const box of boxes) {
		const { fill, text, isFaint, isMarked } = look(box.node);
		const y = topOf(box.row);
		const width = Math.max(0.5, box.width - (box.width > 3 ? 1 : 0.2));
		context.globalAlpha = isFaint ? 0.35 : 1;
		context.fillStyle = isMarked ? inks.mark : fill;
		context.fillRect(box.x, y, width, ROW - 1);
		const letters = Math.floor((box.width - 8) / letter);
		if (letters >= 2) {
			context.fillStyle = isMarked ? inks.match : inks.plain;
			context.fillText(cutMiddle(text, letters), box.x + 4, y + ROW / 2);
		}
	}
	context.globalAlpha = 1;
}

/**
* Paints boxes on a canvas, and finds the box at a point. The canvas is as large as the visible part of its
* container, and stays in place while that is scrolled: stacks can be deeper than canvases may be tall. `isFlipped`: the first row
* is the lowest.
 */
export class FlameCanvas {
	constructor(canvas, room, scroll, isFlipped = false) {
		this.canvas = canvas;
		this.room = room;
		this.scroll = scroll;
		this.isFlipped = isFlipped;
		this.rows = [];
		this.boxes = [];
	}

	setBoxes(boxes) {
		this.boxes = boxes;
		this.rows = [];
		for (const box of boxes) (this.rows[box.row] ??= []).push(box);
		for (const row of this.rows) row.sort((a, b) => a.x - b.x);
		this.room.style.height = `${this.rows.length * ROW + 2}px`;
		this.canvas.style.height = `${this.scroll.clientHeight}px`;
	}

	/** Returns the place of a row from the top, or the row at a place. */
	#placed(row) {
		return this.isFlipped ? this.rows.length - 1 - row : row;
	}

	/** Returns the pixels above the first place: flipped rows stand on the lower end of a canvas that is taller than they are. */
	get #base() {
		return this.isFlipped ? Math.max(0, this.scroll.clientHeight - this.rows.length * ROW) : 0;
	}

	/** Returns the box at a point of the canvas, or null. */
	at(x, y) {
		const row = this.#placed(Math.floor((y - this.#base + this.scroll.scrollTop) / ROW));
		return this.rows[row]?.find((box) => x >= box.x && x < box.x + box.width) ?? null;
	}

	/** Returns the box that an arrow key leads to from another, or undefined. */
	next(box, key) {
		const row = this.rows[box.row];
		const place = row.indexOf(box);
		return {
			ArrowLeft: row[place - 1],
			ArrowRight: row[place + 1],
			ArrowUp: box.parent ?? this.rows[box.row - 1]?.[0],
			ArrowDown: this.rows[box.row + 1]?.find((child) => !child.parent || child.parent === box),
		}[key];
	}

	/** Scrolls until a box is visible. */
	reveal(box) {
		const top = this.#placed(box.row) * ROW;
		if (top < this.scroll.scrollTop) this.scroll.scrollTop = top;
		const low = top + ROW - this.scroll.clientHeight;
		if (low > this.scroll.scrollTop) this.scroll.scrollTop = low;
	}

	/** Paints the visible boxes. isChosen(box) holds for the one with a ring. */
	paint(look, isChosen) {
		const { context, height } = sharpContext(this.canvas);
		const top = this.scroll.scrollTop;
		const seen = this.rows
			.filter((_, row) => this.#placed(row) * ROW > top - ROW && this.#placed(row) * ROW < top + height)
			.flat();
		context.translate(0, this.#base - top);
		paintBoxes(context, seen, look, (row) => this.#placed(row) * ROW);
		const box = seen.find(isChosen);
		if (!box) return;
		context.strokeStyle = styleColour("--focus");
		context.lineWidth = 2;
		context.strokeRect(box.x + 1, this.#placed(box.row) * ROW + 1, Math.max(2, box.width - 3), ROW - 3);
	}

	/** Returns the picture of all boxes, also of those that are not visible. */
	picture(look) {
		return {
			width: this.scroll.clientWidth,
			height: this.rows.length * ROW,
			paint: (context) => paintBoxes(context, this.boxes, look, (row) => this.#placed(row) * ROW),
		};
	}
}
