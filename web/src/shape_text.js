// SPDX-License-Identifier: MIT
// shape_text.js - a tree as indented lines, as dwell report --tree prints them.
import { amount, share } from "./format.js";

const SMALLEST = 0.005; // share of all below which a node is not written
const MOST = 2000; // lines

/** Returns the nodes below one that are worth a line, the largest first. */
function worth(shape, node, set) {
	const least = SMALLEST * shape.total(0, set);
	return shape
		.children(node)
		.filter((child) => shape.total(child, set) >= least)
		.sort((a, b) => shape.total(b, set) - shape.total(a, set));
}

/** Returns the lines of a node and all below it. */
export function shapeText(shape, name, set, from = 0) {
	const all = shape.total(0, set);
	const lines = [`${"total".padStart(8)}  ${"self".padStart(8)}  ${"share".padStart(6)}  function`];
	const stack = from ? [[from, 0]] : worth(shape, 0, set).map((node) => [node, 0]).reverse();
	while (stack.length && lines.length <= MOST) {
		const [node, depth] = stack.pop();
		const total = shape.total(node, set);
		lines.push(`${amount(total).padStart(8)}  ${amount(shape.self(node, set)).padStart(8)}  ${share(total, all).padStart(6)}  ${"  ".repeat(depth)}${name(shape.fn(node))}`);
		for (const child of worth(shape, node, set).reverse()) stack.push([child, depth + 1]);
	}
	return `${lines.join("\n")}\n`;
}
