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

/** Letters at the end of a text that stay visible if it is cut. */
const TAIL = 12;

/** Returns the parts of a text, with the match of a word in <mark>. */
function markedParts(text, from, match) {
	const [begin, end] = match.map((at) => Math.max(0, Math.min(text.length, at - from)));
	if (begin >= end) return [text];
	return [text.slice(0, begin), element("mark", {}, text.slice(begin, end)), text.slice(end)].filter(Boolean);
}

/** Returns the length of a C++ name without its parameters, which say least of it; that of any other text. */
export function stemLength(text) {
	const last = text.lastIndexOf(")");
	// "(anonymous namespace)::name" has none.
	if (last < 0 || text.includes("::", last)) return text.length;
	let depth = 0;
	for (let at = last; at > 0; at--) {
		depth += (text[at] === ")") - (text[at] === "(");
		if (depth === 0) return text.endsWith("operator", at) ? text.length : at;
	}
	return text.length;
}

/**
 * Returns a text, with the match of a word in <mark>, that the style sheet cuts in the middle where it is too long, after the
 * parameters of a function. Give the whole to a tooltip. It is still one text for those who copy it.
 */
export function cutText(text, word = "") {
	const at = word ? text.toLowerCase().indexOf(word.toLowerCase()) : -1;
	const match = at < 0 ? [0, 0] : [at, at + word.length];
	if (text.length <= TAIL) return markedParts(text, 0, match);
	const stem = stemLength(text);
	const split = stem - Math.min(TAIL, Math.floor(stem / 2));
	return [
		element(
			"span",
			{ class: "cut" },
			element("span", { class: "cut-head" }, ...markedParts(text.slice(0, split), 0, match)),
			element("span", { class: "cut-tail" }, ...markedParts(text.slice(split, stem), split, match)),
			...(stem < text.length ? [element("span", { class: "cut-rest" }, ...markedParts(text.slice(stem), stem, match))] : []),
		),
	];
}

/** Cuts a text in the middle to a number of letters, after the parameters of a function; more of its beginning is kept. */
export function cutMiddle(text, letters) {
	if (text.length <= letters) return text;
	const stem = stemLength(text);
	if (stem < text.length) return stem + 3 <= letters ? `${text.slice(0, stem)}(…)` : cutMiddle(text.slice(0, stem), letters);
	if (letters < 8) return `${text.slice(0, Math.max(0, letters - 1))}…`;
	const tail = Math.min(TAIL, Math.floor((letters - 1) / 3));
	return `${text.slice(0, letters - 1 - tail)}…${text.slice(text.length - tail)}`;
}
