// SPDX-License-Identifier: MIT
// inside.js - the inside of a function: lines of its source and its instructions, each with the time spent
// there. They are sums of the whole recording: the page does not contain the line of each sample.
import { cutText, element, toggle } from "./dom.js";
import { amount, count, share } from "./format.js";

/** Returns a row of code: its time, its share of the function's time, its position and its text. */
function codeRow(row, whole, place, text, isTarget) {
	const heat = element("i", { class: "heat" });
	heat.style.width = `${whole ? Math.min(100, (100 * (row.total_ns ?? 0)) / whole) : 0}%`;
	const hint = row.total ? `${count(row.self)} samples in it, ${count(row.total)} with what is called there` : null;
	const made = element(
		"div",
		{ class: `code-row${row.total_ns > whole / 10 ? " hot" : ""}`, title: hint },
		element("span", { class: "number" }, row.total_ns ? share(row.total_ns, whole) : ""),
		element("span", { class: "number" }, row.self_ns ? amount(row.self_ns) : ""),
		element("span", { class: `place${isTarget ? " target" : ""}` }, place),
		element("code", { title: text.trim() }, heat, ...cutText(text)),
	);
	made.heat = row.self_ns || 0;
	return made;
}

const gap = () => element("div", { class: "code-gap" }, "⋯");

function lineRows(lines, whole) {
	const rows = [];
	let before = null;
	for (const line of lines) {
		if (!before || line.file !== before.file || line.inlined !== before.inlined)
			rows.push(
				element(
					"div",
					{ class: "code-file" },
					line.inlined ? `inlined: ${line.inlined}, ${line.file ?? "of an unknown file"}` : (line.file ?? "of an unknown file"),
				),
			);
		else if (line.line !== before.line + 1) rows.push(gap());
		rows.push(codeRow(line, whole, line.line === null ? "?" : String(line.line), line.text ?? "", false));
		before = line;
	}
	return rows;
}

function instructionRows(instructions, whole) {
	const rows = [];
	let end = null;
	for (const row of instructions) {
		if (end !== null && row.address !== end) rows.push(gap());
		end = row.address + row.size;
		rows.push(codeRow(row, whole, row.address.toString(16), row.text, row.target));
	}
	return rows;
}

/** Returns a panel with the available parts, or null if there are none. */
export function insidePanel({ lines, instructions }) {
	const views = [];
	const wholeOf = (rows, isCounted) => rows.reduce((sum, row) => sum + (isCounted(row) ? (row.total_ns ?? 0) : 0), 0);
	// Samples in inlined code are also counted there, so only the function's own lines add up to all.
	if (lines.length) views.push(["Source", lineRows(lines, wholeOf(lines, (row) => row.inlined === null))]);
	if (instructions.length) views.push(["Instructions", instructionRows(instructions, wholeOf(instructions, () => true))]);
	if (!views.length) return null;
	const body = element("div", { class: "code", tabindex: "0", role: "region", "aria-label": "source and instructions" });
	const toggles = views.map(([name], i) => toggle(name, `show ${name.toLowerCase()}`, () => choose(i)));
	function choose(chosen) {
		toggles.forEach((one, i) => one.set(i === chosen));
		body.replaceChildren(...views[chosen][1]);
		// Scrolls to the hottest row once the panel has a height.
		const hottest = views[chosen][1].reduce((best, row) => ((row.heat ?? 0) > (best?.heat ?? 0) ? row : best), null);
		requestAnimationFrame(() => {
			if (hottest) body.scrollTop = hottest.offsetTop - body.offsetTop - body.clientHeight / 3;
		});
	}
	choose(0);
	return element(
		"div",
		{ class: "panel inside" },
		element(
			"div",
			{ class: "tools" },
			element("h3", {}, "From inside"),
			...toggles.map(({ button }) => button),
			element("span", { class: "hint" }, "of the whole recording; what is near samples"),
		),
		body,
	);
}
