// SPDX-License-Identifier: MIT
// table.js - a table of any length: only visible rows are elements. It is sorted by any column, and controlled by
// mouse or keyboard: arrows, Page Up and Down, Home and End choose a row, Enter opens it.
import { element } from "./dom.js";

const ROW = 28; // pixels, as in page.css
const MARGIN = 8; // rows above and below the visible ones, so that scrolling shows no gaps
const PRINTED = 500; // rows on paper
const NARROW = "(max-width: 700px)";
let tables = 0;

/** Returns rows in the order of a column. Rows without a value are at the end either way. */
export function sorted(rows, value, descending) {
	const keys = new Map(rows.map((row) => [row, value(row)]));
	const sign = descending ? -1 : 1;
	return [...rows].sort((one, other) => {
		const a = keys.get(one);
		const b = keys.get(other);
		if (a === null || b === null) return (a === null) - (b === null);
		if (typeof a === "string") return sign * (a < b ? -1 : a > b ? 1 : 0);
		return sign * (a - b);
	});
}

/**
 * columns: [{ key, title, hint, width, number, value(row), cell(row), whole(row) }], where value is the sort key, and cell
* returns texts and elements; on narrow screens, columns with isName come first. open(row) is called for a row that is clicked
* or entered, choose(row) for one that is selected, onsort(sort) for a new order. A tree has its own order, keys and attributes:
 * tree: { order(sort), key(event, row), attributes(row) }.
 */
export class Table {
	constructor({ columns, label, sort, open, choose, onsort, tree }) {
		this.columns = columns;
		this.sortBy = sort;
		this.open = open;
		this.choose = choose;
		this.onsort = onsort;
		this.tree = tree ?? null;
		this.rows = [];
		this.at = -1;
		this.name = `table${tables++}`;
		this.head = element("div", { class: "table-head", role: "row" });
		this.body = element("div", { class: "table-rows", role: "rowgroup" });
		this.element = element(
			"div",
			{
				class: "table",
				role: tree ? "treegrid" : "grid",
				tabindex: "0",
				"aria-label": label,
				onscroll: () => this.refresh(),
				onkeydown: (event) => this.#key(event),
			},
			element("div", { class: "table-top", role: "rowgroup" }, this.head),
			this.body,
		);
		new ResizeObserver(() => this.refresh()).observe(this.element);
		this.narrow = matchMedia(NARROW);
		this.narrow.addEventListener("change", () => this.setColumns(this.columns));
		this.setColumns(columns);
	}

	/** Returns the columns in the order in which they are shown. */
	get shownColumns() {
		const first = ({ isName }) => (isName ? 0 : 1);
		return this.narrow.matches ? [...this.columns].sort((a, b) => first(a) - first(b)) : this.columns;
	}

	setColumns(columns) {
		this.columns = columns;
		const shown = this.shownColumns;
		const width = (column) => (this.narrow.matches && column.isName ? "minmax(13rem, 1fr)" : column.width);
		this.element.style.setProperty("--columns", shown.map(width).join(" "));
		this.heads = shown.map((column) => this.#headOf(column));
		this.head.replaceChildren(...this.heads);
		this.#showSort();
		this.refresh();
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
		this.refresh();
	}

	/** Sorts by a column; a second call for the same column reverses the order. Numbers begin with the largest. */
	#sortAgain(column) {
		const same = this.sortBy.key === column.key;
		this.setSort({ key: column.key, descending: same ? !this.sortBy.descending : Boolean(column.number) });
		this.onsort?.(this.sortBy);
	}

	setSort(sort) {
		if (sort.key === this.sortBy.key && sort.descending === this.sortBy.descending) return;
		this.sortBy = sort;
		this.#showSort();
		this.element.scrollTop = 0;
		if (this.tree) this.tree.order();
		else this.setRows(this.rows);
	}

	/** Returns the column that the table is sorted by. */
	get sortColumn() {
		return this.columns.find(({ key }) => key === this.sortBy.key) ?? this.columns[0];
	}

	#showSort() {
		this.shownColumns.forEach((column, i) => {
			const is = column.key === this.sortBy.key;
			const order = this.sortBy.descending ? "descending" : "ascending";
			this.heads[i].setAttribute("aria-sort", is ? order : "none");
		});
	}

	#order() {
		if (!this.tree) this.rows = sorted(this.rows, this.sortColumn.value, this.sortBy.descending);
	}

	/** Paints the visible rows, also after a change of their looks; on paper, all up to a limit. */
	refresh() {
		const { clientHeight, scrollTop } = this.element;
		const isPrinted = document.documentElement.dataset.print === "1";
		const first = isPrinted ? 0 : Math.max(0, Math.floor(scrollTop / ROW) - MARGIN);
		const end = Math.min(this.rows.length, isPrinted ? PRINTED : Math.ceil((scrollTop + clientHeight) / ROW) + MARGIN);
		this.body.style.height = `${(isPrinted ? end : this.rows.length) * ROW}px`;
		const made = [];
		for (let i = first; i < end; i++) made.push(this.#rowOf(i));
		this.body.replaceChildren(...made);
		if (this.at >= first && this.at < end) this.element.setAttribute("aria-activedescendant", `${this.name}-${this.at}`);
		else this.element.removeAttribute("aria-activedescendant");
	}

	#rowOf(place) {
		const row = this.rows[place];
		const cells = this.shownColumns.map((column) => {
			const parts = [column.cell(row)].flat();
			const cell = element("div", { role: "gridcell", class: column.number ? "number" : "text", "data-key": column.key }, ...parts);
			if (!column.number) cell.title = column.whole?.(row) ?? cell.textContent;
			return cell;
		});
		const made = element(
			"div",
			{
				class: "table-row",
				role: "row",
				id: `${this.name}-${place}`,
				"aria-rowindex": String(place + 2),
				"aria-selected": String(place === this.at),
				...this.tree?.attributes(row),
				onclick: () => {
					this.go(place);
					this.open?.(row);
				},
			},
			...cells,
		);
		made.style.top = `${place * ROW}px`;
		return made;
	}

	/** Selects a row, and scrolls to it. */
	go(place) {
		this.at = Math.max(0, Math.min(this.rows.length - 1, place));
		const top = this.at * ROW;
		const seen = this.element.clientHeight - this.head.offsetHeight;
		if (top < this.element.scrollTop) this.element.scrollTop = top;
		else if (top + ROW > this.element.scrollTop + seen) this.element.scrollTop = top + ROW - seen;
		this.refresh();
		if (this.rows.length) this.choose?.(this.rows[this.at]);
	}

	/** Returns all rows as lines, columns aligned: for a clipboard. */
	text(most = Infinity) {
		const columns = this.shownColumns;
		const cell = (column, row) => element("div", {}, ...[column.cell(row)].flat()).textContent;
		const lines = [columns.map(({ title }) => title), ...this.rows.slice(0, most).map((row) => columns.map((column) => cell(column, row)))];
		const widths = columns.map((_, i) => lines.reduce((most, line) => Math.max(most, line[i].length), 0));
		const line = (cells) => cells.map((text, i) => (columns[i].number ? text.padStart(widths[i]) : text.padEnd(widths[i]))).join("  ");
		return lines.map((cells) => `${line(cells).trimEnd()}\n`).join("");
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
		if (event.key in moves) this.go(moves[event.key]);
		else if (this.at >= 0 && this.tree?.key(event, this.rows[this.at])) event.stopPropagation();
		else if (event.key === "Enter" && this.at >= 0 && !this.tree) this.open?.(this.rows[this.at]);
		else return;
		event.preventDefault();
	}
}
