// SPDX-License-Identifier: MIT
// look.js - the colors of frames: by object, or by their change between two recordings.
import { changeColour } from "./colours.js";

export function isDark() {
	return document.documentElement.dataset.theme === "dark";
}

/** Returns a change from -1 to 1, and 0 if there are too few samples. */
function changeAt(state, shape, node) {
	const old = shape.total(node, 0) * state.factor;
	const now = shape.total(node, 1);
	const samples = shape.samples(node, 0) + shape.samples(node, 1);
	const change = (now - old) / Math.max(now, old, 1);
	return Math.abs(change) * Math.sqrt(samples) < 2 ? 0 : change;
}

/** Returns the color of a node of a shape. */
export function fillOf(state, palette, shape, node, dark) {
	const { model } = state;
	if (model.isDiff) return changeColour(node ? changeAt(state, shape, node) : 0, dark);
	if (node === 0) return palette.of("", "", dark);
	const fn = shape.fn(node);
	return palette.of(model.object(fn), model.name(fn), dark, model.language(fn));
}
