// SPDX-License-Identifier: MIT
// calls_view.js - functions whose calls were counted, with counts, times and histograms.
import { cutText, element } from "./dom.js";
import { amount, count, isEvent, share, signed, whole } from "./format.js";
import { changeCell } from "./functions_view.js";
import { chart, sparkline } from "./histogram.js";
import { plainObject } from "./model.js";
import { matcher } from "./search.js";
import { Table } from "./table.js";

/** Joins rows of two recordings: each new row gets the old row of the same function, or an empty one. */
export function pairRows(old, now) {
	const key = (row) => `${row.symbol}\n${row.version ?? ""}\n${plainObject(row.object)}`;
	const rest = new Map(old.map((row) => [key(row), row]));
	const pairs = now.map((row) => {
		const was = rest.get(key(row)) ?? null;
		rest.delete(key(row));
		return { ...row, was };
	});
	for (const row of rest.values())
		pairs.push({ ...row, calls: 0, total_ns: 0, self_ns: 0, mean_ns: null, histogram: [], was: row });
	return pairs;
}

export class CallsView {
	constructor(state, openFunction) {
		this.state = state;
		this.model = state.model;
		this.openFunction = openFunction;
		const all = this.model.recordings.map(({ calls }) => calls);
		this.rows = this.model.isDiff ? pairRows(all[0], all[1]) : all[0];
		this.isTimed = this.rows.some((row) => typeof row.total_ns === "number");
		this.hasSpread = this.rows.some((row) => row.histogram.length);
		this.selfAll = this.rows.reduce((sum, row) => sum + (row.self_ns ?? 0), 0);
		this.sort = { key: this.model.isDiff && this.isTimed ? "total-change" : this.isTimed ? "total" : "calls", descending: true };
		this.table = new Table({
			label: "calls",
			columns: this.#columns(),
			sort: this.sort,
			onsort: (sort) => state.setSort("calls", sort, this.sort),
			choose: (row) => this.#show(row),
		});
		this.panel = element("section", { class: "panel calls-panel", "aria-label": "calls of one function", "aria-live": "polite" });
		this.note = element("span", { class: "hint", role: "status" });
		this.element = element(
			"section",
			{ class: "view calls-view" },
			element(
				"div",
				{ class: "tools" },
				this.note,
				this.model.threads.length
					? element("span", { class: "hint" }, "calls of the whole recording, not of the selected span of time")
					: null,
			),
			element("div", { class: "calls-body" }, this.table.element, this.panel),
		);
	}

	#number(key, title, hint, field, write, width = "5rem") {
		const value = (row) => row[field] ?? null;
		return { key, title, hint, width, number: true, value, cell: (row) => (value(row) === null ? "" : write(row[field])) };
	}

	#columns() {
		const [name, library] = this.#texts();
		const spread = {
			key: "spread",
			title: "spread",
			hint: "durations of calls, from the shortest to the longest; sorted by p99/p50",
			width: "130px",
			number: true,
			value: (row) => (row.p50_ns ? row.p99_ns / row.p50_ns : null),
			cell: (row) => (row.histogram.length ? sparkline(row) : ""),
		};
		const columns = [name, ...(this.hasSpread && !this.model.isDiff ? [spread] : []), this.#number("calls", "calls", "all calls", "calls", count, "6.2rem")];
		if (this.model.isDiff) columns.push(...this.#diffColumns());
		else if (this.isTimed)
			columns.push(
				this.#number("total", this.#head("total"), `${whole()} of all calls`, "total_ns", amount, this.#width),
				...this.#waiting(),
				this.#number("self", this.#head("self"), `total minus the ${whole()} in other counted functions`, "self_ns", amount, this.#width),
				this.#number("mean", this.#head("mean"), "of a call", "mean_ns", amount, this.#width),
				...this.#percentiles(),
				{
					key: "share",
					title: "share",
					hint: `share of all self ${whole()}`,
					width: "5rem",
					number: true,
					value: (row) => row.self_ns ?? null,
					cell: (row) => (row.self_ns === null ? "" : share(row.self_ns, this.selfAll)),
				},
			);
		return [...columns, library];
	}

	/** Returns the head of a column, which names the event that its amounts count. */
	#head(title) {
		return isEvent() ? `${title} ${whole()}` : title;
	}

	get #width() {
		return isEvent() ? "8rem" : "5rem";
	}

	/** Returns the columns about single calls, which profiles of events do not know. */
	#percentiles() {
		if (isEvent()) return [];
		return [
			this.#number("p50", "p50", "50 % of calls took no longer", "p50_ns", amount),
			this.#number("p90", "p90", "90 % of calls took no longer", "p90_ns", amount),
			this.#number("p99", "p99", "99 % of calls took no longer", "p99_ns", amount),
			this.#number("max", "max", "the longest", "max_ns", amount),
		];
	}

	/** Returns the column of times without a CPU, where there are some. */
	#waiting() {
		if (!this.rows.some((row) => row.waiting)) return [];
		return [this.#number("waiting", "waiting", "share of the total in which the thread did not run", "waiting", (part) => share(part, 1))];
	}

	#diffColumns() {
		const was = (field) => (row) => row.was?.[field] ?? 0;
		const change = (field) => (row) => (row[field] ?? 0) - was(field)(row);
		const pair = (field, title, write) => [
			{ key: `${title}-was`, title: "was", hint: "in the old recording", width: "6rem", number: true, value: was(field), cell: (row) => write(was(field)(row)) },
			{
				key: `${title}-change`,
				title: "change",
				hint: `of ${title}`,
				width: "6.5rem",
				number: true,
				// The largest changes come first, whatever their sign.
				value: (row) => Math.abs(change(field)(row)),
				cell: (row) =>
					write === amount
						? changeCell(change(field)(row), true)
						: element("span", { class: `change ${change(field)(row) > 0 ? "more" : change(field)(row) < 0 ? "less" : ""}` }, signed(change(field)(row), write)),
			},
		];
		return [
			...pair("calls", "calls", count),
			this.#number("total", this.#head("total"), `${whole()} of all calls`, "total_ns", amount, this.#width),
			...pair("total_ns", "total", amount),
			this.#number("mean", this.#head("mean"), "of a call", "mean_ns", amount, this.#width),
			...pair("mean_ns", "mean", amount),
		];
	}

	#texts() {
		const word = () => this.state.get("word");
		const text = (key, title, field, whole, width) => ({
			key,
			title,
			hint: title,
			width,
			isName: key === "function",
			value: (row) => row[field],
			whole: (row) => row[whole],
			cell: (row) => cutText(row[field], word()),
		});
		return [text("function", "function", "short", "name", "minmax(11rem, 2fr)"), text("library", "library", "object", "object", "minmax(9rem, 1fr)")];
	}

	text() {
		return this.table.text();
	}

	update(names) {
		this.table.setSort(this.state.sortOf("calls", this.sort));
		if (names && !names.some((name) => ["word", "view"].includes(name))) return;
		const test = matcher(this.state.get("word").trim());
		const rows = test ? this.rows.filter((row) => test(row.short) || test(row.name) || test(row.object)) : this.rows;
		this.note.textContent = `${count(rows.length)} ${rows.length === 1 ? "function" : "functions"}`;
		this.table.setRows(rows);
		if (!this.shown && rows.length) this.#show(this.table.rows[0]);
	}

	#show(row) {
		this.shown = row;
		const link =
			row.fn >= 0
				? element("button", { type: "button", onclick: () => this.openFunction(row.fn) }, "Callers and callees")
				: null;
		const facts = [
			["calls", row.calls],
			["returned", row.returned],
			["shortest", row.min_ns],
			["longest", row.max_ns],
		];
		this.panel.replaceChildren(
			element(
				"div",
				{ class: "calls-facts" },
				element("h2", { title: row.name }, row.short),
				element("div", { class: "object" }, row.object),
				element(
					"div",
					{ class: "facts" },
					...facts
						.filter(([, value]) => value !== null && value !== undefined)
						.map(([what, value]) =>
							element("span", { class: "fact" }, element("small", {}, what), what.endsWith("est") ? amount(value) : count(value)),
						),
				),
				link,
			),
			row.histogram.length ? chart(row, 640) : element("p", { class: "hint" }, this.isTimed ? "The profile has sums of calls, and no single ones." : "These calls were not timed."),
		);
	}
}
