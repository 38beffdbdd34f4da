// SPDX-License-Identifier: MIT
// tree_view.js - the call tree: functions with their callees below them, or with their callers, expanded by mouse or keyboard.
import { cutText, element, toggle } from "./dom.js";
import { pathOf } from "./flame_shapes.js";
import { amount, count, share, whole } from "./format.js";
import { changeCell, shareBar } from "./functions_view.js";
import { sorted, Table } from "./table.js";
import { TreeRows } from "./tree_rows.js";
import { matchedTotal } from "./weights.js";

export class TreeView {
	constructor(state, openFunction) {
		this.state = state;
		this.model = state.model;
		this.openFunction = openFunction;
		this.sort = { key: this.model.isDiff ? "change" : "total", descending: true };
		this.table = new Table({
			label: "call tree; right expands a row, left collapses it, * expands its hottest path, Enter opens its function",
			columns: this.#columns(),
			sort: this.sort,
			onsort: (sort) => state.setSort("tree", sort, this.sort),
			choose: (row) => this.#choose(row),
			tree: { order: () => this.#rebuild(), key: (event, row) => this.#key(event, row), attributes: (row) => this.#attributes(row) },
		});
		this.table.element.addEventListener("dblclick", () => this.#open(this.table.rows[this.table.at]));
		this.ways = [
			[toggle("Top down", "callees below their callers", () => this.#turn(false)), false],
			[toggle("Bottom up", "callers below their callees (i)", () => this.#turn(true)), true],
		];
		this.byThread = toggle("By thread", "each thread on its own (b)", () => state.change({ byThread: !state.get("byThread"), zoom: "", row: "" }));
		this.unfocus = element("button", { type: "button", class: "chip", title: "show all functions again", onclick: () => state.change({ focus: null, zoom: "", row: "" }) });
		this.found = element("span", { class: "found", role: "status" });
		this.hint = element("span", { class: "hint" }, "→ expands, * follows the hottest path, Enter opens the function");
		this.tools = element("div", { class: "tools" }, ...this.ways.map(([{ button }]) => button), this.byThread.button, this.unfocus, this.found, this.hint);
		this.element = element("section", { class: "view tree-view" }, this.tools, this.table.element);
	}

	#turn(inverted) {
		this.state.change({ inverted, zoom: "", row: "" });
	}

	get #set() {
		return this.model.recordings.length - 1;
	}

	#number(key, title, hint, width, value, write) {
		return { key, title, hint, width, number: true, value: (row) => value(row.node), cell: (row) => write(value(row.node)) };
	}

	#columns() {
		const shape = () => this.state.shape;
		const total = (node) => shape().total(node, this.#set);
		const columns = [this.#number("total", "total", `${whole()} of the function as called here, with all below`, "6rem", total, amount)];
		if (this.model.isDiff) columns.push(...this.#diffColumns(total));
		else
			columns.push(
				{
					...this.#number("share", "share", `of all ${whole()} or of the selection`, "7rem", total, amount),
					cell: (row) => shareBar(total(row.node), shape().total(0, 0)),
				},
				this.#number("self", "self", `${whole()} in the function itself`, "6rem", (node) => shape().self(node, 0), amount),
				this.#number("samples", "samples", "with the function on their stack", "6rem", (node) => shape().samples(node, 0), count),
			);
		return [...columns, this.#nameColumn(), this.#objectColumn()];
	}

	#diffColumns(total) {
		const was = (node) => this.state.shape.total(node, 0) * this.state.factor;
		const change = (node) => total(node) - was(node);
		return [
			this.#number("was", "was", "in the old recording", "6rem", was, amount),
			{
				...this.#number("change", "change", "since then; the largest come first, whatever their sign", "7rem", (node) => Math.abs(change(node)), amount),
				cell: (row) => changeCell(change(row.node), true),
			},
		];
	}

	#nameColumn() {
		return {
			key: "function",
			title: "function",
			hint: "its name",
			width: "minmax(16rem, 3fr)",
			isName: true,
			value: (row) => this.#name(row.node),
			whole: (row) => this.model.whole(this.state.shape.fn(row.node)),
			cell: (row) => this.#nameCell(row),
		};
	}

	#objectColumn() {
		const object = (row) => this.model.place(this.state.shape.fn(row.node));
		return { key: "object", title: "object", hint: "the file it is in", width: "minmax(7rem, 1fr)", value: object, cell: (row) => cutText(object(row), this.state.get("word")) };
	}

	#name(node) {
		return this.model.name(this.state.shape.fn(node));
	}

	#nameCell(row) {
		const twisty = element("span", {
			class: `twisty${this.shape.hasChildren(row.node) ? (row.isOpen ? " is-open" : " is-closed") : ""}`,
			"aria-hidden": "true",
			onclick: (event) => {
				event.stopPropagation();
				this.#flip(this.table.rows.indexOf(row));
			},
		});
		twisty.style.setProperty("--level", String(row.level - 1));
		return [element("span", { class: "tree-name" }, twisty, ...cutText(this.#name(row.node), this.state.get("word")))];
	}

	#attributes(row) {
		return {
			"aria-level": String(row.level),
			"aria-posinset": String(row.place),
			"aria-setsize": String(row.size),
			"aria-expanded": this.shape.hasChildren(row.node) ? String(row.isOpen) : null,
		};
	}

	#flip(index) {
		if (!this.tree.collapse(index)) this.tree.expand(index);
		this.#show(index);
	}

	/** Shows the rows of the tree, with one of them selected. */
	#show(index) {
		this.table.setRows(this.tree.rows);
		if (index >= 0) this.table.go(index);
	}

	#choose(row) {
		this.isOwnRow = true;
		this.state.change({ row: pathOf(this.state.shape, row.node) });
		this.isOwnRow = false;
	}

	#open(row) {
		const fn = row ? this.state.shape.fn(row.node) : -1;
		if (fn >= 0 && fn < this.model.threadBase) this.openFunction(fn);
	}

	/** Returns whether the key was handled. */
	#key(event, row) {
		const at = this.table.at;
		if (event.key === "ArrowRight") {
			if (this.tree.expand(at)) this.#show(at);
			else if (row.isOpen) this.table.go(at + 1);
		} else if (event.key === "ArrowLeft") {
			if (this.tree.collapse(at)) this.#show(at);
			else if (this.tree.parentOf(at) >= 0) this.table.go(this.tree.parentOf(at));
		} else if (event.key === " ") this.#flip(at);
		else if (event.key === "*") this.#show(this.tree.expandHot(at));
		else if (event.key === "Enter" || event.key === "o") this.#open(row);
		else if (event.key === "f" && this.state.shape.fn(row.node) < this.model.threadBase)
			this.state.change({ focus: this.state.shape.fn(row.node), zoom: "", row: "" });
		else return false;
		return true;
	}

	#rebuild() {
		const { shape } = this.state;
		const open = this.tree && this.shape === shape ? this.tree.openPaths : (this.openPaths ?? []);
		this.shape = shape;
		const order = (nodes) => sorted(nodes.map((node) => ({ node })), this.table.sortColumn.value, this.table.sortBy.descending).map(({ node }) => node);
		this.tree = new TreeRows(shape, order, (node) => shape.total(node, this.#set));
		this.tree.reopen(open);
		const row = this.state.get("row");
		this.#show(row ? this.tree.reveal(row) : -1);
		// A single way down is opened at once.
		if (!row && !open.length && this.tree.rows.length) this.#openFirst();
	}

	#openFirst() {
		this.tree.expandHot(0);
		this.table.setRows(this.tree.rows);
	}

	update(names = []) {
		const { state } = this;
		if (this.isOwnRow) return;
		for (const [{ set }, inverted] of this.ways) set(state.get("inverted") === inverted);
		this.byThread.set(state.get("byThread"));
		const focus = state.get("focus");
		this.unfocus.hidden = focus === null;
		this.unfocus.textContent = focus === null ? "" : `${state.get("inverted") ? "callers of" : "below"} ${this.model.name(focus)} ✕`;
		this.#showFound();
		this.table.setSort(state.sortOf("tree", this.sort));
		if (this.shape !== state.shape) {
			// Rows that are open stay open in another span of time.
			this.openPaths = names.includes("selections") && this.tree ? this.tree.openPaths : [];
			this.#rebuild();
		} else if (names.includes("row")) this.#show(this.tree.reveal(state.get("row")));
		else this.table.refresh();
	}

	/** Returns the rows that are expanded as lines. */
	text() {
		return this.table.text();
	}

	#showFound() {
		const { matches, weights } = this.state;
		const main = weights[this.#set];
		const sum = matches ? matchedTotal(main, matches) : 0;
		this.found.textContent = matches ? `${share(sum, main.all)} ${this.state.isPart ? "of the selection" : `of ${whole()}`} matches (${amount(sum)})` : "";
	}
}
