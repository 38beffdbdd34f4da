// SPDX-License-Identifier: MIT
// svg_context.js - takes what is painted to a canvas, as far as this page needs it, and writes it as SVG: a picture has one painter.

const escape = (text) => text.replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]);
const round = (number) => String(Math.round(number * 100) / 100);

export class SvgContext {
	/** measure(text, font) returns the width of a text. */
	constructor(width, height, measure) {
		Object.assign(this, { width, height, measure, parts: [], y: 0 });
		Object.assign(this, { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1, font: "12px monospace", textBaseline: "alphabetic" });
	}

	translate(_, y) {
		this.y += y;
	}

	measureText(text) {
		return { width: this.measure(text, this.font) };
	}

	get #opacity() {
		return this.globalAlpha === 1 ? "" : ` opacity="${this.globalAlpha}"`;
	}

	fillRect(x, y, width, height) {
		this.parts.push(`<rect x="${round(x)}" y="${round(y + this.y)}" width="${round(width)}" height="${round(height)}" fill="${escape(this.fillStyle)}"${this.#opacity}/>`);
	}

	fillText(text, x, y) {
		const base = this.textBaseline === "middle" ? ' dominant-baseline="central"' : "";
		this.parts.push(`<text x="${round(x)}" y="${round(y + this.y)}" fill="${escape(this.fillStyle)}"${base}${this.#opacity} style="font:${escape(this.font)}">${escape(text)}</text>`);
	}

	toString() {
		return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}">\n${this.parts.join("\n")}\n</svg>\n`;
	}
}
