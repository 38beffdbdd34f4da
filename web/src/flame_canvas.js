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

/**
* Paints boxes on a canvas, and finds the box at a point. The canvas is as large as the visible part of its
* container, and stays in place while that is scrolled: stacks can be deeper than canvases may be tall.
 */
export class FlameCanvas {
	constructor(canvas, room, scroll) {
		this.canvas = canvas;
		this.room = room;
		this.scroll = scroll;
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

	/** Returns the box at a point of the canvas, or null. */
	at(x, y) {
		return this.rows[Math.floor((y + this.scroll.scrollTop) / ROW)]?.find((box) => x >= box.x && x < box.x + box.width) ?? null;
	}

	/** Paints all boxes. look(node) returns { fill, text, isFaint, isMarked }; `chosen` is the node with the keyboard focus. */
	paint(look, chosen) {
		const { context, height } = sharpContext(this.canvas);
		const top = this.scroll.scrollTop;
		const seen = this.rows.slice(Math.floor(top / ROW), Math.ceil((top + height) / ROW)).flat();
		context.translate(0, -top);
		const ink = styleColour("--frame-ink");
		const mark = styleColour("--match");
		const ring = styleColour("--focus");
		context.font = FONT;
		context.textBaseline = "middle";
		const letter = context.measureText("x").width;
		for (const box of seen) {
			const { fill, text, isFaint, isMarked } = look(box.node);
			const y = box.row * ROW;
			const width = Math.max(0.5, box.width - (box.width > 3 ? 1 : 0.2));
			context.globalAlpha = isFaint ? 0.35 : 1;
			context.fillStyle = isMarked ? mark : fill;
			context.fillRect(box.x, y, width, ROW - 1);
			const letters = Math.floor((box.width - 8) / letter);
			if (letters >= 2) {
				context.fillStyle = isMarked ? styleColour("--match-ink") : ink;
				context.fillText(cutMiddle(text, letters), box.x + 4, y + ROW / 2);
			}
		}
		context.globalAlpha = 1;
		const box = seen.find(({ node }) => node === chosen);
		if (box) {
			context.strokeStyle = ring;
			context.lineWidth = 2;
			context.strokeRect(box.x + 1, box.row * ROW + 1, Math.max(2, box.width - 3), ROW - 3);
		}
	}
}
