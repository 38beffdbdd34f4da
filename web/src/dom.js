// SPDX-License-Identifier: MIT
// dom.js - creates elements in one expression. Texts become text nodes and nothing else: names of functions are untrusted, and
// may look like markup.

/** Returns an element. Properties that begin with "on" are listeners; true and false switch attributes on and off. */
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

/** Returns a toggle button. */
export function toggle(label, title, onclick) {
	const button = element("button", { type: "button", class: "toggle", title, "aria-pressed": "false", onclick }, label);
	return {
		button,
		set(pressed) {
			button.setAttribute("aria-pressed", String(pressed));
		},
	};
}

/** Gives a canvas the resolution of the screen. Returns its context, with a unit of one CSS pixel, and its size in these. */
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

/** Returns a color of the style sheet, in a form for canvases. */
export function styleColour(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Returns the parts of a text, with matches in <mark>. */
export function marked(text, word) {
	const at = word ? text.toLowerCase().indexOf(word.toLowerCase()) : -1;
	if (at < 0) return [text];
	const end = at + word.length;
	return [text.slice(0, at), element("mark", {}, text.slice(at, end)), text.slice(end)];
}
