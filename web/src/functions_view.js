// SPDX-License-Identifier: MIT
// functions_view.js - a table of all functions, with self and total time.
import { cutText, element, toggle } from "./dom.js";
import { amount, count, share, signed, whole } from "./format.js";
import { Table } from "./table.js";

/** Returns a part of a whole with a bar of that length. */
export function shareBar(part, whole) {
	const bar = element("i", { class: "share-bar" });
	bar.style.width = `${whole ? Math.min(100, (100 * part) / whole) : 0}%`;
	return [bar, share(part, whole)];
}

/** Returns a difference, in the colors of increase and decrease; faint if it may be chance. */
export function changeCell(change, isSure) {
	const kind = change > 0 ? "more" : change < 0 ? "less" : "";
	return element("span", { class: `change ${kind}${isSure ? "" : " noise"}` }, signed(change, amount));
}

export class FunctionsView {
	constructor(state, openFunction) {
		this.state = state;
		this.model = state.model;
		this.sort = { key: this.model.isDiff ? "change" : "self", descending: true };
		this.table = new Table({
			label: "functions",
			columns: this.model.isDiff ? this.#diffColumns() : this.#columns(),
			sort: this.sort,
			onsort: (sort) => state.setSort("functions", sort, this.sort),
			open: openFunction,
		});
		this.note = element("span", { class: "hint", role: "status" });
		const bar = element("div", { class: "tools" });
		if (this.model.isDiff) {
			this.share = toggle("By share", "compare shares of all time, not times", () =>
				state.change({ compare: state.get("compare") === "share" ? "time" : "share" }),
			);
			bar.append(
				this.share.button,
				element("span", { class: "hint" }, "faint changes may be chance; of the other changes, at most 1 in 20 is"),
			);
		}
		bar.append(this.note);
		this.element = element("section", { class: "view" }, bar, this.table.element);
	}

	get #sums() {
		return this.state.sums.at(-1);
	}

	#number(key, title, hint, width, value, write) {
		const cell = (fn) => {
			const number = value(fn);
			return number === null ? "" : write(number);
		};
		return { key, title, hint, width, number: true, value, cell };
	}

	#texts() {
		const word = () => this.state.get("word");
		return [
			{
				key: "function",
				isName: true,
				title: "function",
				hint: "its name",
				width: "minmax(14rem, 2fr)",
				value: (fn) => this.model.name(fn),
				whole: (fn) => this.model.whole(fn),
				cell: (fn) => cutText(this.model.name(fn), word()),
			},
			{
				key: "object",
				title: "object",
				hint: "the file it is in",
				width: "minmax(8rem, 1fr)",
				value: (fn) => this.model.object(fn),
				cell: (fn) => cutText(this.model.object(fn), word()),
			},
		];
	}

	#columns() {
		const sums = () => this.#sums;
		const columns = [
			this.#number("self", "self", `${whole()} in the function itself`, "6rem", (fn) => sums().self[fn], amount),
			this.#number("total", "total", `${whole()} with all that it called`, "6rem", (fn) => sums().total[fn], amount),
			this.#number("samples", "samples", "samples in the function itself", "6rem", (fn) => sums().selfSamples[fn], count),
			{
				key: "share",
				title: "share",
				hint: `in the function itself, of all ${whole()} or of the selection`,
				width: "8rem",
				number: true,
				value: (fn) => sums().self[fn],
				cell: (fn) => shareBar(sums().self[fn], this.state.weights.at(-1).all),
			},
		];
		if (this.model.callsOf.size) columns.push(...this.#callColumns());
		return [...columns, ...this.#texts()];
	}

	/** Returns the columns for functions whose calls were counted as well. */
	#callColumns() {
		const row = (fn) => this.model.callsOf.get(fn);
		return [
			this.#number("calls", "calls", "number of calls", "6rem", (fn) => row(fn)?.calls ?? null, count),
			this.#number("mean", "mean", `mean ${whole()} per call`, "6rem", (fn) => row(fn)?.mean_ns ?? null, amount),
		];
	}

	#diffColumns() {
		const { state } = this;
		const was = (column, fn) => state.sums[0][column][fn] * state.factor;
		const change = (column, fn) => state.sums[1][column][fn] - was(column, fn);
		const pair = (column, prefix) => [
			this.#number(`${prefix}now`, column, `${column} ${whole()} in the new recording`, "6rem", (fn) => state.sums[1][column][fn], amount),
			this.#number(`${prefix}was`, "was", `${column} ${whole()} in the old recording`, "6rem", (fn) => was(column, fn), amount),
			{
				key: `${prefix}change`,
				title: "change",
				hint: `of ${column} ${whole()}`,
				width: "7rem",
				number: true,
				// The largest changes come first, whatever their sign.
				value: (fn) => Math.abs(change(column, fn)),
				cell: (fn) => changeCell(change(column, fn), state.changed[column][fn]),
			},
		];
		return [...pair("self", ""), ...pair("total", "total-"), ...this.#texts()];
	}

	text() {
		return this.table.text();
	}

	update(names) {
		const { matches, sums } = this.state;
		this.share?.set(this.state.get("compare") === "share");
		this.table.setSort(this.state.sortOf("functions", this.sort));
		if (names && !names.some((name) => ["selections", "word", "compare", "view"].includes(name))) return;
		const rows = [];
		for (let fn = 0; fn < this.model.functions.length; fn++)
			if (sums.some((set) => set.totalSamples[fn]) && (!matches || matches[fn])) rows.push(fn);
		this.note.textContent = `${count(rows.length)} ${rows.length === 1 ? "function" : "functions"}`;
		this.table.setRows(rows);
	}
}
