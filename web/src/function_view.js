// SPDX-License-Identifier: MIT
// function_view.js - one function: its time, its callers and its callees.
import { cutText, element, toggle } from "./dom.js";
import { amount, count, share, whole } from "./format.js";
import { changeCell, shareBar } from "./functions_view.js";
import { chart } from "./histogram.js";
import { insidePanel } from "./inside.js";
import { Sandwich } from "./sandwich.js";
import { pValue } from "./significance.js";
import { Table } from "./table.js";
import { neighbours } from "./weights.js";

const CHANCE = 0.01;
const SORT = { key: "total", descending: true };

export class FunctionView {
	constructor(state, palette, openFunction, showFlame, goBack) {
		this.state = state;
		this.model = state.model;
		this.showFlame = showFlame;
		this.title = element("h2", {});
		this.object = element("div", { class: "object" });
		this.facts = element("div", { class: "cards" });
		this.callers = this.#tableOf("callers", openFunction);
		this.callees = this.#tableOf("callees", openFunction);
		this.more = element("div", { class: "more" });
		this.sandwich = new Sandwich(state, palette, openFunction);
		this.forms = ["tables", "sandwich"].map((as) => ({
			as,
			...toggle(as === "tables" ? "Tables" : "Sandwich", as === "tables" ? "callers and callees in tables" : "callers above, callees below", () => state.change({ as })),
		}));
		this.columns = element(
			"div",
			{ class: "columns" },
			element("div", { class: "panel" }, element("h3", {}, "Callers"), this.callers.element),
			element("div", { class: "panel" }, element("h3", {}, "Callees"), this.callees.element),
		);
		this.element = element(
			"section",
			{ class: "view function-view" },
			element(
				"div",
				{ class: "function-head" },
				element("button", { type: "button", class: "back", onclick: goBack }, "← back"),
				element("div", { class: "function-title" }, this.title, this.object),
				...this.forms.map(({ button }) => button),
				element("button", { type: "button", onclick: () => showFlame(state.get("fn"), false) }, "Flame graph of callees"),
				element("button", { type: "button", onclick: () => showFlame(state.get("fn"), true) }, "of callers"),
			),
			this.facts,
			this.columns,
			this.sandwich.element,
			this.more,
		);
	}

	#tableOf(label, openFunction) {
		const { model } = this;
		const row = (key, title, hint, width, value, cell) => ({ key, title, hint, width, number: true, value, cell });
		const columns = [
			row("total", "total", `${whole()} with all below`, "5.5rem", (it) => it.total, (it) => amount(it.total)),
			...(model.isDiff
				? [
						row("was", "was", "in the old recording", "5.5rem", (it) => it.was, (it) => amount(it.was)),
						row("change", "change", "since then", "6rem", (it) => Math.abs(it.total - it.was), (it) =>
							changeCell(it.total - it.was, it.isSure),
						),
					]
				: [
						row("share", "share", "of the function's total time", "7rem", (it) => it.total, (it) =>
							shareBar(it.total, this.whole),
						),
						row("self", "self", `own time of ${label === "callers" ? "this function, so called" : "the callee"}`, "5.5rem", (it) => it.self, (it) =>
							amount(it.self),
						),
						row("samples", "samples", "with the call on their stack", "5.5rem", (it) => it.samples, (it) => count(it.samples)),
					]),
			{
				key: "function",
				isName: true,
				title: "function",
				hint: "its name",
				width: "minmax(10rem, 1fr)",
				value: (it) => it.name,
				whole: (it) => it.whole,
				cell: (it) => cutText(it.name),
			},
		];
		return new Table({
			label,
			columns,
			sort: SORT,
			onsort: (sort) => this.state.setSort(label, sort, SORT),
			open: (it) => it.fn >= 0 && openFunction(it.fn),
		});
	}

	update() {
		const fn = this.state.get("fn");
		if (fn === null) return;
		const sums = this.state.sums.at(-1);
		this.whole = sums.total[fn];
		this.title.textContent = this.model.name(fn);
		const { symbol } = this.model.functions[fn];
		const others = new Set([this.model.whole(fn), symbol]);
		others.delete(this.model.name(fn));
		this.object.textContent = [this.model.place(fn), ...others]
			.filter(Boolean)
			.join(" · ");
		this.#showFacts(fn, sums);
		const isSandwich = this.state.get("as") === "sandwich";
		for (const { as, set } of this.forms) set(this.state.get("as") === as);
		this.columns.hidden = isSandwich;
		this.sandwich.element.hidden = !isSandwich;
		if (isSandwich) this.sandwich.update(fn);
		else this.#showTables(fn);
		this.#showMore(fn);
	}

	#showTables(fn) {
		const sets = this.state.weights.map((weights) => neighbours(weights, fn));
		for (const [name, table] of [["callers", this.callers], ["callees", this.callees]])
			table.setSort(this.state.sortOf(name, SORT));
		this.callers.setRows(this.#rows(sets.map((set) => set.callers)));
		this.callees.setRows(this.#rows(sets.map((set) => set.callees)));
	}

	get canPicture() {
		return this.state.get("as") === "sandwich";
	}

	picture() {
		return this.sandwich.picture();
	}

	/** Returns the function with its callers and callees as lines. */
	text() {
		this.#showTables(this.state.get("fn"));
		return `${this.title.textContent}\n\ncallers\n${this.callers.text()}\ncallees\n${this.callees.text()}`;
	}

	/** Returns whether two counts differ by more than chance, as far as a single test can show. */
	#isSure(old, now) {
		const [before, after] = this.state.exposures;
		return pValue(old, before, now, after) < CHANCE;
	}

	/** Returns the rows of one or two maps from functions to times. */
	#rows(maps) {
		const now = maps.at(-1);
		const old = maps.length > 1 ? maps[0] : new Map();
		return [...new Set([...now.keys(), ...old.keys()])].map((fn) => {
			const { total, samples, self } = now.get(fn) ?? { total: 0, samples: 0, self: 0 };
			const was = (old.get(fn)?.total ?? 0) * this.state.factor;
			const isSure = maps.length > 1 && this.#isSure(old.get(fn)?.samples ?? 0, samples);
			return { fn, total, samples, self, was, isSure, name: fn < 0 ? "(none: the outermost frame)" : this.model.name(fn), whole: fn < 0 ? null : this.model.whole(fn) };
		});
	}

	#showFacts(fn, sums) {
		const { all } = this.state.weights.at(-1);
		const cards = [
			["self", amount(sums.self[fn]), `${share(sums.self[fn], all)} ${this.state.whole}`],
			["total", amount(sums.total[fn]), `${share(sums.total[fn], all)} ${this.state.whole}`],
			["samples", count(sums.selfSamples[fn]), `${count(sums.totalSamples[fn])} with callees`],
		];
		if (this.model.isDiff) {
			const was = (column) => this.state.sums[0][column][fn] * this.state.factor;
			cards.push(["self was", amount(was("self")), changeCell(sums.self[fn] - was("self"), this.state.changed.self[fn])]);
			cards.push([
				"total was",
				amount(was("total")),
				changeCell(sums.total[fn] - was("total"), this.state.changed.total[fn]),
			]);
		}
		const row = this.model.callsOf.get(fn);
		if (row) cards.push(["calls", count(row.calls), row.mean_ns ? `${amount(row.mean_ns)} each` : "not timed"]);
		this.facts.replaceChildren(
			...cards.map(([what, value, more]) =>
				element("div", { class: "card" }, element("small", {}, what), element("b", {}, value), element("span", {}, more)),
			),
		);
	}

	/** Shows the parts that do not depend on the selection. */
	#showMore(fn) {
		if (this.shown === fn) return;
		this.shown = fn;
		const row = this.model.callsOf.get(fn);
		const panels = [insidePanel(this.model.inside(fn))];
		if (row?.histogram.length)
			panels.push(element("div", { class: "panel" }, element("h3", {}, "Durations of calls"), chart(row, 720)));
		this.more.replaceChildren(...panels.filter(Boolean));
		this.element.classList.toggle("has-more", this.more.childElementCount > 0);
	}
}
