// SPDX-License-Identifier: MIT
// views.test.js - the calculations of the call tree, the stack chart, the heat map, groups of threads and pictures, without a
// browser: node --test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellsOf, fullOf, gridOf } from "../src/heat_cells.js";
import { Recording } from "../src/recording.js";
import { shapeText } from "../src/shape_text.js";
import { boxesOf, columnsOf } from "../src/stack_chart.js";
import { NO_NODE } from "../src/stack_tree.js";
import { SvgContext } from "../src/svg_context.js";
import { groupsOf, programOf, rowsOf } from "../src/thread_groups.js";
import { TreeRows } from "../src/tree_rows.js";
import { everything } from "../src/weights.js";
import { bytesOf } from "./helpers.js";
import { THREADS, modelOf, ms, shapeOf } from "./models.js";

const chartOf = (stacks, { span = [0, 0.004], count = 8, wanted = () => true } = {}) => {
	const model = modelOf([stacks.map(([stack, at, ns]) => ({ stack, at, ns }))]);
	const [{ recording, nodes }] = model.parts;
	const columns = columnsOf(recording, nodes, recording.threads[0], span, count, wanted);
	return { model, columns, boxes: boxesOf(columns, model.tree) };
};

test("rows of a tree: expanded, collapsed, revealed", () => {
	const model = modelOf(THREADS);
	const shape = shapeOf(model, {});
	const order = (nodes) => [...nodes].sort((a, b) => shape.total(b, 0) - shape.total(a, 0));
	const tree = new TreeRows(shape, order, (node) => shape.total(node, 0));
	const shown = () => tree.rows.map(({ node, level }) => `${level}${model.name(shape.fn(node))}`).join(" ");
	assert.equal(shown(), "1main 1start");
	assert.equal(tree.expand(0), true);
	assert.equal(tree.expand(0), false, "once");
	assert.equal(shown(), "1main 2parse 2fib 1start");
	assert.deepEqual([tree.rows[2].place, tree.rows[2].size], [2, 2]);
	tree.expand(1);
	assert.equal(tree.parentOf(2), 1);
	assert.equal(tree.parentOf(3), 0, "behind a row with children of its own");
	assert.equal(tree.parentOf(0), -1);
	assert.deepEqual(tree.openPaths.length, 2);
	const open = tree.openPaths;
	tree.collapse(0);
	assert.equal(shown(), "1main 1start");
	assert.equal(tree.expandHot(0), 2, "main, parse, read: each has most of the time");
	assert.equal(shown(), "1main 2parse 3read 2fib 1start");
	const again = new TreeRows(shape, order, (node) => shape.total(node, 0));
	again.reopen(open);
	assert.deepEqual(again.openPaths, open);
	const path = open[1];
	const index = new TreeRows(shape, order, () => 0).reveal(path);
	assert.equal(index, 1);
	assert.equal(new TreeRows(shape, order, () => 0).reveal(""), -1);
	const inverted = shapeOf(model, { inverted: true });
	for (const node of inverted.children(0)) assert.equal(inverted.hasChildren(node), inverted.children(node).length > 0);
	for (let node = 0; node < model.tree.count; node++) assert.equal(shape.hasChildren(node), shape.children(node).length > 0);
});

test("a stack chart: samples side by side, a sample before its time, gaps where none is", () => {
	const { model, columns, boxes } = chartOf([["main a", 1000, 1 * ms], ["main b", 2000, 0.5 * ms], ["main b", 3000, 1 * ms]]);
	const names = [...columns].map((node) => (node === NO_NODE ? "-" : model.name(model.tree.functions[node])));
	assert.deepEqual(names, ["a", "a", "-", "b", "b", "b", "-", "-"]);
	const placed = boxes.map(({ node, x, width, row }) => [model.name(model.tree.functions[node]), row, x, width]);
	assert.deepEqual(placed, [["main", 0, 0, 2], ["a", 1, 0, 2], ["main", 0, 3, 3], ["b", 1, 3, 3]]);
	assert.equal(boxes[1].parent, boxes[0]);
});

test("a stack chart: neighbours share frames; a column has the sample with most of it; a span cuts", () => {
	const near = chartOf([["main a", 500, 0.5 * ms], ["main b", 1000, 0.5 * ms]], { span: [0, 0.001], count: 2 });
	assert.deepEqual(near.boxes.map(({ width, row }) => [row, width]), [[0, 2], [1, 1], [1, 1]]);
	const mixed = chartOf([["a", 300, 0.3 * ms], ["b", 1000, 0.7 * ms]], { span: [0, 0.001], count: 1 });
	assert.equal(mixed.model.name(mixed.model.tree.functions[mixed.columns[0]]), "b");
	const cut = chartOf([["a", 4000, 4 * ms]], { span: [0.001, 0.002], count: 4 });
	assert.deepEqual(cut.boxes.map(({ x, width }) => [x, width]), [[0, 4]]);
	assert.equal(chartOf([["a", 4000, 4 * ms]], { wanted: () => false }).boxes.length, 0);
});

test("a heat map: columns of a period, cells in the order of time", () => {
	assert.deepEqual(gridOf(0.5, 2000), { period: 0.01, rows: 20, columns: 50 });
	assert.deepEqual(gridOf(20, 1000), { period: 0.1, rows: 50, columns: 200 });
	assert.deepEqual(gridOf(100, 99), { period: 1, rows: 50, columns: 100 });
	assert.deepEqual(gridOf(7200, 99), { period: 60, rows: 50, columns: 120 });
	const recording = new Recording(bytesOf({ threads: THREADS }));
	const grid = { period: 0.002, rows: 2, columns: 2 };
	const of = (selection) => [...cellsOf(recording, { ...everything, ...selection }, grid)].map((ns) => ns / ms);
	assert.deepEqual(of({ threads: new Set([0]) }), [4, 3, 2, 1]);
	assert.deepEqual(of({ threads: new Set([0]), span: [0, 0.001] }), [4, 3, 2, 1], "all time, whatever is selected");
	assert.deepEqual(of({ threads: new Set([0]), state: "waiting" }), [1, 1, 1, 1]);
	assert.equal(of({}).reduce((sum, one) => sum + one), 21);
	assert.equal(fullOf(Float64Array.of(0, 0)), 1);
	assert.equal(fullOf(Float64Array.of(0, 3, 5)), 3);
});

test("threads are grouped by process or rank, and many processes by program", () => {
	const sample = (ns) => [{ stack: "main", at: 0, ns }];
	const threads = [sample(5), sample(1), sample(9), sample(7), []];
	const groups = (options) => groupsOf(new Recording(bytesOf({ threads, ...options })));
	const numbers = (options, turned = [], most = 99) => rowsOf(groups(options), new Set(turned), most).rows.map((row) => row.numbers);
	assert.deepEqual(numbers({}), [[2], [3], [0], [1]], "one process needs no row");
	const pids = [1, 2, 1, 2, 3];
	assert.deepEqual(numbers({ pids }), [[2, 0], [2], [0], [3, 1], [3], [1]]);
	assert.deepEqual(numbers({ pids }, [0]), [[2, 0], [3, 1], [3], [1]], "folded");
	assert.deepEqual(groups({ pids }).map(({ title, ns, samples }) => [title, ns, samples]), [["x 1", 14, 2], ["x 2", 8, 2]]);
	assert.equal(rowsOf(groups({ pids }), new Set(), 2).all, 6);
	assert.deepEqual(numbers({ ranks: ["10", "9", "9", null, "9"] }), [[2, 1], [0], [3]]);
	assert.deepEqual(numbers({ ranks: ["10", "9", "9", null, "9"] }, [0]), [[2, 1], [2], [1], [0], [3]], "unfolded");
	const many = Array.from({ length: 30 }, () => sample(1));
	const commands = many.map((_, i) => (i % 3 ? "/usr/bin/cc1 -quiet x.c" : "as x.s"));
	const programs = groupsOf(new Recording(bytesOf({ threads: many, pids: many.map((_, i) => i), commands })));
	assert.deepEqual(programs.map(({ title, program }) => [title, program]), [["cc1, 20 processes", "cc1"], ["as, 10 processes", "as"]]);
	assert.equal(rowsOf(programs, new Set(), 99).all, 2);
	assert.equal(programOf({ command: null, name: "t" }), "t");
});

test("a painting as SVG: names are texts, not markup", () => {
	const context = new SvgContext(10, 20, () => 7);
	context.fillStyle = "red";
	context.globalAlpha = 0.5;
	context.fillRect(1.234, 2, 3, 4);
	context.translate(0, 10);
	context.textBaseline = "middle";
	context.fillText("<b>&\"", 1, 2);
	const text = context.toString();
	assert.match(text, /<rect x="1.23" y="2" width="3" height="4" fill="red" opacity="0.5"\/>/);
	assert.match(text, /<text x="1" y="12" [^>]*>&lt;b&gt;&amp;&quot;<\/text>/);
	assert.equal(context.measureText("x").width, 7);
});

test("a tree as lines", () => {
	const model = modelOf(THREADS);
	const lines = shapeText(shapeOf(model, {}), (fn) => model.name(fn), 0).split("\n");
	assert.deepEqual(lines.slice(0, 4), [
		"   total      self   share  function",
		" 16.0 ms         0   76.2%  main",
		" 9.00 ms   2.00 ms   42.9%    parse",
		" 7.00 ms   7.00 ms   33.3%      read",
	]);
	const shape = shapeOf(model, {});
	assert.equal(shapeText(shape, (fn) => model.name(fn), 0, shape.children(0)[1]).split("\n").length, 4, "from one node on");
});
