// SPDX-License-Identifier: MIT
// about_view.js - the settings and losses of a recording, as `dwell report` prints them, and the keys of the page.
import { element } from "./dom.js";

const KEYS = [
	["/", "search in functions and objects; /word/ is a regular expression"],
	["1 2 3 ...", "the views, from left to right"],
	["arrows, Enter", "move in a graph and zoom; choose a row and open it"],
	["→ ← *", "call tree: expand, collapse, follow the hottest path"],
	["+ −, Shift and arrows", "stack chart: less or more time, earlier or later"],
	["Shift and arrows", "timeline, heat map: select a span of time"],
	["f", "flame graph, call tree: only this function and its callees, from all callers"],
	["o", "callers and callees of this function"],
	["i, b", "turn the flame graph or call tree upside down; split it by thread"],
	["Escape", "one step back: search, zoom, focus, span of time"],
	["t", "light or dark"],
];

/** Returns a table of all figures in the data of a recording. */
function metaTable(meta) {
	const rows = Object.entries(meta)
		.filter(([name, value]) => !Array.isArray(value) && value !== null && !["page_format", "nodes", "histogram_bins"].includes(name))
		.map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, String(value))));
	return element("table", { class: "meta" }, element("tbody", {}, ...rows));
}

export class AboutView {
	constructor(state) {
		const { recordings, isDiff } = state.model;
		this.element = element(
			"section",
			{ class: "view about-view" },
			...recordings.map(({ meta }, set) =>
				element(
					"div",
					{ class: "panel" },
					element("h2", { class: "title" }, isDiff ? `${set ? "New" : "Old"}: ${meta.title}` : meta.title),
					element("ul", { class: "notes" }, ...meta.notes.map((note) => element("li", {}, note))),
					element("details", {}, element("summary", {}, "All figures"), metaTable(meta)),
				),
			),
			element(
				"div",
				{ class: "panel" },
				element("h2", { class: "title" }, "Keys"),
				element("dl", { class: "keys" }, ...KEYS.flatMap(([key, what]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, what)])),
			),
		);
	}

	update() {}
}
