// SPDX-License-Identifier: MIT
// address.js - writes the state of a page as the fragment of its address, and reads it again: "flame?q=word&span=0.5-1.2". Values
// that are not there are the initial ones, so that a link always shows the same.
import { NO_REGION, everything } from "./weights.js";

/** The plain values: [key in the address, name in the state, writer, reader]. A reader returns undefined for an invalid text. */
const texts = (...allowed) => (text) => (allowed.includes(text) ? text : undefined);
const flag = (text) => (text === "1" ? true : undefined);
const number = (text) => (/^\d+$/.test(text) ? Number(text) : undefined);
const numbers = (text) => (/^\d+(\.\d+)*$/.test(text) ? text : undefined);
const VALUES = [
	["q", "word", String, (text) => text],
	["up", "inverted", () => "1", flag],
	["threads", "byThread", () => "1", flag],
	["focus", "focus", String, number],
	["zoom", "zoom", String, numbers],
	["row", "row", String, numbers],
	["compare", "compare", String, texts("time", "share")],
	["width", "width", String, texts("new", "old")],
	["as", "as", String, texts("tables", "sandwich")],
	["chart", "chart", String, number],
	["folds", "folds", String, numbers],
];

/** Returns seconds without zeroes at the end; microseconds are as precise as samples are. */
function secondsText(value) {
	return String(Number(value.toFixed(6)));
}

function writeSelection(pairs, { span, threads, state, region }, suffix) {
	if (span) pairs.push([`span${suffix}`, span.map(secondsText).join("-")]);
	if (threads) pairs.push([`thread${suffix}`, [...threads].join(".")]);
	if (state !== "all" && !suffix) pairs.push(["state", state]);
	if (region !== null && !suffix) pairs.push(["region", region]);
}

/** Returns the region that an address names, if a recording has it; null: all. */
function readRegion(fields, recordings) {
	const name = fields.get("region");
	const isKnown = recordings.some(({ regions }) => regions.length && (name === NO_REGION || regions.some((region) => region.name === name)));
	return isKnown ? name : null;
}

function readSelection(fields, recording, suffix) {
	const selection = { ...everything };
	const span = /^([\d.]+)-([\d.]+)$/.exec(fields.get(`span${suffix}`) ?? "");
	if (span && Number(span[1]) < Number(span[2])) selection.span = [Number(span[1]), Number(span[2])];
	const threads = (numbers(fields.get(`thread${suffix}`) ?? "") ?? "").split(".").filter(Boolean).map(Number);
	const known = threads.filter((thread) => thread < recording.threads.length);
	if (known.length) selection.threads = new Set(known);
	selection.state = texts("running", "waiting")(fields.get("state")) ?? "all";
	return selection;
}

/** Returns the suffix of a recording's selection: none for the main one. */
const suffixOf = (set, recordings) => (set === recordings.length - 1 ? "" : "0");

/** Returns the pairs of values that are not the initial ones; `prefix` tells the states of a page apart. */
function writeValues(values, initial, prefix) {
	return VALUES.filter(([, name]) => values[name] !== initial[name]).map(([key, name, write]) => [prefix + key, write(values[name])]);
}

function readValues(fields, initial, prefix) {
	const values = {};
	for (const [key, name, , read] of VALUES) values[name] = read(fields.get(prefix + key) ?? "") ?? initial[name];
	return values;
}

/** The prefix of the values of the tree of calls, which has a state of its own. */
const CALLS = "calls-";

/** Returns the fragment for values of a state; `initial` has the values of a new page. `calls`: those of the tree of calls. */
export function writeAddress(values, initial, recordings, calls = initial) {
	const pairs = [...writeValues(values, initial, ""), ...writeValues({ ...calls, word: "" }, initial, CALLS)];
	values.selections.forEach((selection, set) => writeSelection(pairs, selection, suffixOf(set, recordings)));
	for (const [table, { key, descending }] of Object.entries(values.sorts))
		pairs.push([`sort-${table}`, `${descending ? "-" : ""}${key}`]);
	// "/" and "." need not be escaped here, and an address is easier to read without.
	const query = pairs.map(([key, text]) => `${key}=${encodeURIComponent(text).replace(/%2F/g, "/")}`).join("&");
	const view = values.view === "function" ? `function/${values.fn}` : values.view;
	return query ? `${view}?${query}` : view;
}

function readSorts(fields) {
	const sorts = {};
	for (const [key, text] of fields) {
		const found = /^sort-([a-z]+)$/.exec(key);
		if (found && /^-?[a-z0-9-]+$/.test(text)) sorts[found[1]] = { key: text.replace(/^-/, ""), descending: text.startsWith("-") };
	}
	return sorts;
}

/** Returns all values that a fragment has, and initial ones for the others. Unknown or invalid ones are ignored. */
export function readAddress(fragment, initial, recordings) {
	const [path, query = ""] = fragment.split(/\?(.*)/s);
	const [view, fn] = path.split("/");
	const fields = new URLSearchParams(query);
	const values = { ...initial, ...readValues(fields, initial, ""), view: view || initial.view, fn: number(fn ?? "") ?? null, sorts: readSorts(fields) };
	const region = readRegion(fields, recordings);
	values.selections = recordings.map((recording, set) => ({ ...readSelection(fields, recording, suffixOf(set, recordings)), region }));
	values.calls = { ...readValues(fields, initial, CALLS), word: values.word };
	return values;
}
