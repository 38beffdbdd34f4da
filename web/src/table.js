// SPDX-License-Identifier: MIT
// table.js - a table of any length: only visible rows are elements. It is sorted by any column, and controlled by
// mouse or keyboard: arrows, Page Up and Down, Home and End choose a row, Enter opens it.
import { element } from "./dom.js";

const ROW = 28; // pixels, as in page.css
const MARGIN = 8; // rows above and below the visible ones, so that scrolling shows no gaps
let tables = 0;

/**
 * columns: [{ key, title, hint, width, number, value(row), cell(row) }], where value is the sort key, and cell
* returns texts and elements. open(row) is called for a row that is clicked or entered, choose(row) for one that is
* selected.
 */
export class Table {
	constructor({ columns, label, sort, open, choose }) {
		this.columns = columns;
		this.sortBy = sort;
		this.open = open;
		this.choose = choose;
		this.rows = [];
		this.at = -1;
		this.name = `table${tables++}`;
		this.head = element("div", { class: "table-head", role: "row" });
		this.body = element("div", { class: "table-rows", role: "rowgroup" });
		this.element = element(
			"div",
			{
				class: "table",
				role: "grid",
				tabindex: "0",
				"aria-label": label,
				onscroll: () => this.#paint(),
				onkeydown: (event) => this.#key(event),
			},
			element("div", { class: "table-top", role: "rowgroup" }, this.head),
			this.body,
		);
		new ResizeObserver(() => this.#paint()).observe(this.element);
		this.setColumns(columns);
	}

	setColumns(columns) {
		this.columns = columns;
		this.element.style.setProperty("--columns", columns.map(({ width }) => width).join(" "));
		this.heads = columns.map((column) => this.#headOf(column));
		this.head.replaceChildren(...this.heads);
		this.#showSort();
	}

	#headOf(column) {
		const button = element("button", { type: "button", title: column.hint }, column.title);
		button.addEventListener("click", () => this.#sortAgain(column));
		return element(
			"div",
			{ role: "columnheader", class: column.number ? "number" : null, "data-key": column.key },
			button,
		);
	}

	setRows(rows) {
		const chosen = this.rows[this.at];
		this.rows = rows;
		this.#order();
		this.at = chosen === undefined ? -1 : this.rows.indexOf(chosen);
		this.element.setAttribute("aria-rowcount", String(rows.length + 1));
		this.#paint();
	}

	/** Repaints the same rows after a change of their looks. */
	refresh() {
		this.#paint();
	}

	/** Sorts by a column; a second call for the same column reverses the order. Numbers begin with the largest. */
	#sortAgain(column) {
		const same = this.sortBy.key === column.key;
		this.sortBy = { key: column.key, descending: same ? !this.sortBy.descending : Boolean(column.number) };
		this.#order();
		this.#showSort();
		this.element.scrollTop = 0;
		this.#paint();
	}

	#showSort() {
		this.columns.forEach((column, i) => {
			const is = column.key === this.sortBy.key;
			const order = this.sortBy.descending ? "descending" : "ascending";
			this.heads[i].setAttribute("aria-sort", is ? order : "none");
		});
	}

	#order() {
		const column = this.columns.find(({ key }) => key === this.sortBy.key) ?? this.columns[0];
		const keys = new Map(this.rows.map((row) => [row, column.value(row)]));
		const sign = this.sortBy.descending ? -1 : 1;
		// Rows without a value are at the end either way.
		this.rows = [...this.rows].sort((one, other) => {
			const a = keys.get(one);
			const b = keys.get(other);
			if (a === null || b === null) return (a === null) - (b === null);
			if (typeof a === "string") return sign * (a < b ? -1 : a > b ? 1 : 0);
			return sign * (a - b);
		});
	}

	#paint() {
		const { clientHeight, scrollTop } = this.element;
		const first = Math.max(0, Math.floor(scrollTop / ROW) - MARGIN);
		const end = Math.min(this.rows.length, Math.ceil((scrollTop + clientHeight) / ROW) + MARGIN);
		this.body.style.height = `${this.rows.length * ROW}px`;
		const made = [];
		for (let i = first; i < end; i++) made.push(this.#rowOf(i));
		this.body.replaceChildren(...made);
		const active = this.at >= first && this.at < end ? `${this.name}-${this.at}` : "";
		this.element.setAttribute("aria-activedescendant", active);
	}

	#rowOf(place) {
		const row = this.rows[place];
		const cells = this.columns.map((column) => {
			const cell = column.cell(row);
			return element(
				"div",
				{ role: "gridcell", class: column.number ? "number" : "text", "data-key": column.key },
				...(Array.isArray(cell) ? cell : [cell]),
			);
		});
		const made = element(
			"div",
			{
				class: "table-row",
				role: "row",
				id: `${this.name}-${place}`,
				"aria-rowindex": String(place + 2),
				"aria-selected": String(place === this.at),
				onclick: () => {
					this.#go(place);
					this.open?.(row);
				},
			},
			...cells,
		);
		made.style.top = `${place * ROW}px`;
		return made;
	}

	#go(place) {
		this.at = Math.max(0, Math.min(this.rows.length - 1, place));
		const top = this.at * ROW;
		const seen = this.element.clientHeight - this.head.offsetHeight;
		if (top < this.element.scrollTop) this.element.scrollTop = top;
		else if (top + ROW > this.element.scrollTop + seen) this.element.scrollTop = top + ROW - seen;
		this.#paint();
		if (this.rows.length) this.choose?.(this.rows[this.at]);
	}

	#key(event) {
		const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 2);
		const moves = {
			ArrowDown: this.at + 1,
			ArrowUp: this.at - 1,
			PageDown: this.at + page,
			PageUp: this.at - page,
			Home: 0,
			End: this.rows.length - 1,
		};
		if (event.target !== this.element || event.ctrlKey || event.metaKey || event.altKey) return;
		if (event.key in moves) this.#go(moves[event.key]);
		else if (event.key === "Enter" && this.at >= 0) this.open?.(this.rows[this.at]);
		else return;
		event.preventDefault();
	}
}
