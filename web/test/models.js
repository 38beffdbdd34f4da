// SPDX-License-Identifier: MIT
// models.js - the model that most tests use, and ways to look at it.
import { Model } from "../src/model.js";
import { Recording } from "../src/recording.js";
import { everything } from "../src/weights.js";
import { bytesOf } from "./helpers.js";

export const ms = 1e6;
export const THREADS = [
	[
		{ stack: "main parse read", at: 1000, ns: 1 * ms },
		{ stack: "main parse", at: 2000, ns: 2 * ms },
		{ stack: "main fib fib fib", at: 3000, ns: 3 * ms },
		{ stack: "main fib other fib", at: 4000, ns: 4 * ms, blocked: true },
	],
	[
		{ stack: "start read", at: 1500, ns: 5 * ms },
		{ stack: "main parse read", at: 500, ns: 6 * ms },
	],
];

export function modelOf(...threads) {
	return new Model(threads.map((list) => new Recording(bytesOf({ threads: list }))));
}

export function fnOf(model, name) {
	return model.functions.findIndex((fn) => fn.name === name);
}

/** A shape as text: "name:total(children)". */
export function written(model, shape, node = 0, set = 0) {
	const children = shape.children(node).map((child) => written(model, shape, child, set));
	const name = node ? model.name(shape.fn(node)) : "all";
	return `${name}:${shape.total(node, set) / ms}${children.length ? `(${children.sort().join(" ")})` : ""}`;
}

const PLAIN = { inverted: false, byThread: false, focus: null };

export function shapeOf(model, how) {
	const selections = model.recordings.map(() => everything);
	return model.shape({ ...PLAIN, ...how }, model.weigh(selections), selections);
}
