// SPDX-License-Identifier: MIT
// tree_rows.js - the rows of a tree that is expanded step by step. A node has no row before its parent is expanded, so a
// tree of millions of nodes costs as much as what is visible of it.
import { nodeAt, pathOf } from "./flame_shapes.js";

/** Children that have a part of their parent's time above this are followed by expandHot(). */
const HOT = 0.5;

export class TreeRows {
	/** order(nodes) returns nodes below one parent in the order of their rows; weigh(node) is their time. */
	constructor(shape, order, weigh) {
		this.shape = shape;
		this.order = order;
		this.weigh = weigh;
		this.rows = this.#below(0, 0);
	}

	#below(node, level) {
		const children = this.order(this.shape.children(node));
		return children.map((child, i) => ({ node: child, level: level + 1, place: i + 1, size: children.length, isOpen: false }));
	}

	indexOf(node) {
		return this.rows.findIndex((row) => row.node === node);
	}

	/** Returns the index of a row's parent, or -1. */
	parentOf(index) {
		const { level } = this.rows[index];
		let at = index - 1;
		while (at >= 0 && this.rows[at].level >= level) at--;
		return at;
	}

	/** Returns the end of the rows below one. */
	#endOf(index) {
		let end = index + 1;
		while (end < this.rows.length && this.rows[end].level > this.rows[index].level) end++;
		return end;
	}

	expand(index) {
		const row = this.rows[index];
		if (row.isOpen || !this.shape.hasChildren(row.node)) return false;
		row.isOpen = true;
		this.rows = [...this.rows.slice(0, index + 1), ...this.#below(row.node, row.level), ...this.rows.slice(index + 1)];
		return true;
	}

	collapse(index) {
		if (!this.rows[index].isOpen) return false;
		this.rows[index].isOpen = false;
		this.rows = [...this.rows.slice(0, index + 1), ...this.rows.slice(this.#endOf(index))];
		return true;
	}

	/** Expands a row and, as long as one child has most of the time, that child. Returns the index of the last. */
	expandHot(index) {
		let at = index;
		while (this.expand(at) || this.rows[at].isOpen) {
			const { node, level } = this.rows[at];
			let best = -1;
			for (let i = at + 1; i < this.rows.length && this.rows[i].level > level; i++)
				if (this.rows[i].level === level + 1 && (best < 0 || this.weigh(this.rows[i].node) > this.weigh(this.rows[best].node))) best = i;
			if (best < 0 || this.weigh(this.rows[best].node) < HOT * this.weigh(node)) return at;
			at = best;
		}
		return at;
	}

	/** Expands all rows above the node of a path. Returns the index of its row, or -1 for an empty path. */
	reveal(path) {
		const way = [];
		for (let node = nodeAt(this.shape, path); node !== 0; node = this.shape.parent(node)) way.push(node);
		let index = -1;
		for (const node of way.reverse()) {
			if (index >= 0) this.expand(index);
			index = this.indexOf(node);
		}
		return index;
	}

	/** Returns the paths of all expanded rows. */
	get openPaths() {
		return this.rows.filter(({ isOpen }) => isOpen).map(({ node }) => pathOf(this.shape, node));
	}

	/** Expands the rows of these paths that are in the tree; paths above others come first. */
	reopen(paths) {
		for (const path of paths) {
			const node = nodeAt(this.shape, path);
			if (node === 0 || pathOf(this.shape, node) !== path) continue;
			const index = this.reveal(path);
			if (index >= 0) this.expand(index);
		}
	}
}
