// SPDX-License-Identifier: MIT
// dom.js - elements in one expression. Texts become text nodes and nothing else: names of functions are foreign, and
// may look like markup.

/** An element. Properties that begin with "on" are listeners; true and false switch attributes on and off. */
export function element(tag, properties = {}, ...children) {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(properties)) {
		if (value === null || value === undefined || value === false) continue;
		if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
		else made.setAttribute(name, value === true ? "" : value);
	}
	made.append(...children.filter((child) => child !== null && child !== undefined));
	return made;
}

const SVG = "http://www.w3.org/2000/svg";

export function drawn(tag, properties = {}, ...children) {
	const made = document.createElementNS(SVG, tag);
	for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
	made.append(...children);
	return made;
}

/** A button that is pressed or not. */
export function toggle(label, title, onclick) {
	const button = element("button", { type: "button", class: "toggle", title, "aria-pressed": "false", onclick }, label);
	return {
		button,
		set(pressed) {
			button.setAttribute("aria-pressed", String(pressed));
		},
	};
}

/** A canvas as sharp as the screen is. Answers its context, with a unit of one CSS pixel, and its size in these. */
export function sharpContext(canvas) {
	const scale = window.devicePixelRatio || 1;
	const width = canvas.clientWidth;
	const height = canvas.clientHeight;
	canvas.width = Math.max(1, Math.round(width * scale));
	canvas.height = Math.max(1, Math.round(height * scale));
	const context = canvas.getContext("2d");
	context.setTransform(scale, 0, 0, scale, 0, 0);
	return { context, width, height };
}

/** A color of the style sheet, as canvases need it. */
export function styleColour(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The parts of a text with those that match in <mark>. */
export function marked(text, word) {
	const at = word ? text.toLowerCase().indexOf(word.toLowerCase()) : -1;
	if (at < 0) return [text];
	const end = at + word.length;
	return [text.slice(0, at), element("mark", {}, text.slice(at, end)), text.slice(end)];
}
