// SPDX-License-Identifier: MIT
// take_away.js - buttons that take what is shown away: as text to the clipboard, as SVG or PNG to a file, and on paper.
import { element, styleColour } from "./dom.js";
import { SvgContext } from "./svg_context.js";

const SCALE = 2; // pixels of a PNG per pixel of the page
const TALLEST = 16000; // pixels; browsers refuse larger canvases

/** Returns a picture as SVG, on the color of the page. */
export function svgOf({ width, height, paint }) {
	const ruler = document.createElement("canvas").getContext("2d");
	const context = new SvgContext(width, height, (text, font) => {
		ruler.font = font;
		return ruler.measureText(text).width;
	});
	context.fillStyle = styleColour("--paper");
	context.fillRect(0, 0, width, height);
	paint(context);
	return context.toString();
}

function pngOf({ width, height, paint }) {
	const canvas = document.createElement("canvas");
	const scale = Math.min(SCALE, TALLEST / Math.max(width, height));
	canvas.width = Math.round(width * scale);
	canvas.height = Math.round(height * scale);
	const context = canvas.getContext("2d");
	context.scale(scale, scale);
	context.fillStyle = styleColour("--paper");
	context.fillRect(0, 0, width, height);
	paint(context);
	return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function save(blob, name) {
	const link = element("a", { href: URL.createObjectURL(blob), download: name });
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Copies a text; where pages have no clipboard, by a text that is selected. */
async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const area = element("textarea", { class: "offscreen", "aria-hidden": "true" });
		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
}

export class TakeAway {
	/** shown() returns the view: with text() it can be copied, with picture() saved. */
	constructor(shown) {
		this.shown = shown;
		const button = (label, title, onclick) => element("button", { type: "button", title, onclick }, label);
		this.copy = button("Copy", "copy what is shown as text", () => this.#copy());
		this.svg = button("SVG", "save the picture as SVG", () => save(new Blob([svgOf(this.shown().picture())], { type: "image/svg+xml" }), "dwell.svg"));
		this.png = button("PNG", "save the picture as PNG", async () => save(await pngOf(this.shown().picture()), "dwell.png"));
		this.print = button("Print", "print this view", () => window.print());
		this.said = element("span", { class: "offscreen", role: "status" });
		this.element = element("div", { class: "take-away", role: "group", "aria-label": "take away" }, this.copy, this.svg, this.png, this.print, this.said);
		this.#watchPrints();
	}

	async #copy() {
		await copy(this.shown().text());
		this.copy.textContent = "Copied";
		this.said.textContent = "copied";
		setTimeout(() => {
			this.copy.textContent = "Copy";
			this.said.textContent = "";
		}, 1500);
	}

	/** On paper everything is light, and tables have more rows than fit into a window. */
	#watchPrints() {
		const root = document.documentElement;
		window.addEventListener("beforeprint", () => {
			this.theme = root.dataset.theme;
			Object.assign(root.dataset, { theme: "light", print: "1" });
			this.shown().update(["view", "theme"]);
		});
		window.addEventListener("afterprint", () => {
			root.dataset.theme = this.theme;
			delete root.dataset.print;
			this.shown().update(["view", "theme"]);
		});
	}

	/** Enables what the view can do. */
	update() {
		const view = this.shown();
		this.copy.hidden = !view.text;
		this.svg.hidden = !view.canPicture;
		this.png.hidden = !view.canPicture;
	}
}
