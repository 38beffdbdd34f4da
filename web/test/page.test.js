// SPDX-License-Identifier: MIT
// page.test.js - tests the calculations of the page, without a browser: node --test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { NumberReader, bytesOfBase64, inflate } from "../src/bytes.js";
import { CallsTree } from "../src/calls_tree.js";
import { pairRows } from "../src/calls_view.js";
import { Palette } from "../src/colours.js";
import { layOut } from "../src/flame_canvas.js";
import { FocusedShape, InvertedShape, PlainShape } from "../src/flame_shapes.js";
import { count, niceStep, share, signed, time } from "../src/format.js";
import { barsOf } from "../src/histogram.js";
import { Model, plainName, plainObject, threadTitle } from "../src/model.js";
import { Recording, boundsOf } from "../src/recording.js";
import { findMatches, matcher } from "../src/search.js";
import { limitOf, pValue } from "../src/significance.js";
import { State } from "../src/state.js";
import { binsOf } from "../src/timeline.js";
import { GrowingTree } from "../src/stack_tree.js";
import { Weights, everything, matchedTotal, neighbours } from "../src/weights.js";
import { bytesOf } from "./helpers.js";
import { THREADS, fnOf, modelOf, ms, shapeOf, written } from "./models.js";

test("functions of scripts have the color of their language, and their line", () => {
	const model = modelOf(THREADS);
	const palette = new Palette(["libm.so.1", "libf.so.1"]);
	const [fib, main] = [fnOf(model, "fib"), fnOf(model, "main")];
	Object.assign(model.functions[fib], { language: "Python", line: 7, object: "app.py" });
	assert.equal(model.place(fib), "app.py:7");
	assert.equal(model.place(main), model.object(main));
	assert.deepEqual(model.languages(), ["Python"]);
	const colour = (fn) => palette.of(model.object(fn), "", false, model.language(fn));
	assert.equal(colour(fib), palette.of("other.py", "", false, "Python"));
	assert.notEqual(colour(fib), palette.of("app.py", "", false, null));
	assert.notEqual(colour(fib), colour(main));
});

test("base64 and deflate are undone", async () => {
	const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * i) % 251);
	const text = Buffer.from(deflateSync(bytes)).toString("base64");
	assert.deepEqual(await inflate(bytesOfBase64(text)), bytes);
});

test("numbers of several bytes, and steps both ways", () => {
	const reader = new NumberReader(Uint8Array.of(5, 0xac, 0x02, 4, 1, 0x80));
	assert.equal(reader.number(), 5);
	assert.equal(reader.number(), 300);
	assert.deepEqual([...reader.steps(new Float64Array(2))], [2, 1]);
	assert.throws(() => reader.number(), /ends too early/);
});

test("an unknown format is refused", () => {
	assert.throws(() => new Recording(bytesOf({ threads: [[]], meta: { page_format: 99 } })), /format 99/);
});

test("samples of a thread are put in the order of time", () => {
	const recording = new Recording(bytesOf({ threads: THREADS }));
	assert.deepEqual([...recording.times], [1000, 2000, 3000, 4000, 500, 1500]);
	assert.deepEqual([...recording.durations.slice(4)], [6 * ms, 5 * ms]);
	assert.equal(recording.seconds, 0.004);
});

test("self and total of functions; recursion counts once", () => {
	const model = modelOf(THREADS);
	const [weights] = model.weigh([everything]);
	const sums = weights.byFunction(model.functions.length);
	const of = (name) => [sums.self, sums.total, sums.selfSamples, sums.totalSamples].map((column) => column[fnOf(model, name)]);
	assert.equal(weights.all, 21 * ms);
	assert.deepEqual(of("main"), [0, 16 * ms, 0, 5]);
	assert.deepEqual(of("fib"), [7 * ms, 7 * ms, 2, 2]);
	assert.deepEqual(of("read"), [12 * ms, 12 * ms, 3, 3]);
});

test("selections: a span, threads, running or waiting", () => {
	const model = modelOf(THREADS);
	const all = (selection) => model.weigh([{ ...everything, ...selection }])[0].all / ms;
	assert.equal(all({ span: [0.001, 0.003] }), 8);
	assert.equal(all({ threads: new Set([1]) }), 11);
	assert.equal(all({ threads: new Set([1]), span: [0, 0.001] }), 6);
	assert.equal(all({ state: "waiting" }), 4);
	assert.equal(all({ state: "running" }), 17);
});

test("selections: a region contains those in it", () => {
	const threads = [
		[
			{ stack: "a", at: 1, ns: 1 * ms },
			{ stack: "a", at: 2, ns: 2 * ms, region: 1 },
			{ stack: "a", at: 3, ns: 4 * ms, region: 2, blocked: true },
			{ stack: "b", at: 4, ns: 8 * ms, region: 3 },
		],
	];
	const regions = [{ name: "parse", outer: 0 }, { name: "read", outer: 1 }, { name: "read", outer: 0 }];
	const model = new Model([new Recording(bytesOf({ threads, regions }))]);
	const all = (selection) => model.weigh([{ ...everything, ...selection }])[0].all / ms;
	assert.equal(all({}), 15);
	assert.equal(all({ region: "parse" }), 6);
	assert.equal(all({ region: "read" }), 12);
	assert.equal(all({ region: "[no region]" }), 1);
	assert.equal(all({ region: "read", state: "waiting" }), 4);
	assert.equal(all({ region: "read", state: "running" }), 8);
	assert.equal(all({ region: "else" }), 0);
	const selections = [{ ...everything, region: "parse" }];
	const shape = model.shape({ inverted: false, byThread: true, focus: null }, model.weigh(selections), selections);
	assert.equal(written(model, shape), "all:6(t0 10:6(a:6))");
});

test("titles of threads", () => {
	assert.equal(threadTitle({ name: "app", tid: 7, rank: "3" }), "rank 3, app 7");
	assert.equal(threadTitle({ name: "app", tid: 7, rank: null }), "app 7");
});

test("callers and callees", () => {
	const model = modelOf(THREADS);
	const [weights] = model.weigh([everything]);
	const named = (map) => Object.fromEntries([...map].map(([fn, { total }]) => [fn < 0 ? "-" : model.name(fn), total / ms]));
	const read = neighbours(weights, fnOf(model, "read"));
	assert.deepEqual(named(read.callers), { parse: 7, start: 5 });
	assert.deepEqual(named(read.callees), {});
	const fib = neighbours(weights, fnOf(model, "fib"));
	assert.deepEqual(named(fib.callers), { main: 7 });
	assert.deepEqual(named(fib.callees), { fib: 3, other: 4 });
	assert.deepEqual(named(neighbours(weights, fnOf(model, "main")).callers), { "-": 16 });
});

test("shapes of flame graphs", () => {
	const model = modelOf(THREADS);
	assert.equal(written(model, shapeOf(model, {})), "all:21(main:16(fib:7(fib:3(fib:3) other:4(fib:4)) parse:9(read:7)) start:5(read:5))");
	assert.equal(
		written(model, shapeOf(model, { byThread: true })),
		"all:21(t0 10:10(main:10(fib:7(fib:3(fib:3) other:4(fib:4)) parse:3(read:1))) t1 11:11(main:6(parse:6(read:6)) start:5(read:5)))",
	);
	assert.equal(written(model, shapeOf(model, { focus: fnOf(model, "parse") })), "all:9(parse:9(read:7))");
	assert.equal(
		written(model, shapeOf(model, { focus: fnOf(model, "read"), byThread: true })),
		"all:12(t0 10:1(read:1) t1 11:11(read:11))",
	);
	assert.equal(
		written(model, shapeOf(model, { inverted: true })),
		"all:21(fib:7(fib:3(fib:3(main:3)) other:4(fib:4(main:4))) parse:2(main:2) read:12(parse:7(main:7) start:5))",
	);
	assert.equal(
		written(model, shapeOf(model, { inverted: true, focus: fnOf(model, "parse") })),
		"all:9(parse:9(main:9))",
	);
});

/** Returns a shape with all values of its nodes as text. */
function valuesOf(shape, sets, node = 0) {
	const own = sets.map((set) => [shape.total(node, set), shape.samples(node, set), node && shape.self(node, set), node && shape.ownSamples(node, set)].join("/"));
	const below = shape.children(node).map((child) => valuesOf(shape, sets, child));
	return `${node ? shape.fn(node) : ""}:${own.join("|")}${shape.hasChildren(node) ? `(${below.sort().join(" ")})` : ""}`;
}

test("long names have a short form, which is shown; a search finds both", () => {
	const whole = "std::vector<int, std::allocator<int> >::push_back(int const&)";
	const recording = new Recording(bytesOf({ threads: THREADS }));
	Object.assign(recording.functions[0], { name: whole, short: "std::vector<int>::push_back(int const&)" });
	const model = new Model([recording]);
	assert.equal(model.name(0), "std::vector<int>::push_back(int const&)");
	assert.equal(model.whole(0), whole);
	assert.equal(findMatches(model, "allocator")[0], 1);
	assert.equal(findMatches(model, "vector<int>::")[0], 1);
	assert.equal(findMatches(model, "nothing")[0], 0);
});

/** Returns the tree in which each thread has its own stacks below it, and the nodes of all samples: what shapes by thread do not build. */
function treeByThread({ tree, parts, threadBase }) {
	const growing = new GrowingTree();
	let fn = threadBase;
	const way = (top, node) => (node ? growing.node(way(top, tree.parents[node]), tree.functions[node]) : top);
	const nodeOf = parts.map(({ recording, nodes }) => {
		const places = new Uint32Array(nodes.length);
		for (const { first, end } of recording.threads) {
			const top = growing.node(0, fn++);
			for (let i = first; i < end; i++) places[i] = way(top, nodes[i]);
		}
		return places;
	});
	const { tree: whole, moved } = growing.arrange();
	return { tree: whole, nodeOf: nodeOf.map((places) => places.map((place) => moved[place])) };
}

/** Returns the values of a shape by thread with a focus: those of each thread by itself. */
function focusByThread(model, selections, focus, sets) {
	let fn = model.threadBase;
	const threads = model.recordings.flatMap((recording, set) =>
		recording.threads.map((_, number) => {
			const only = (one) => new Set(one === set && !(selections[set].threads && !selections[set].threads.has(number)) ? [number] : []);
			const weights = model.weigh(selections.map((selection, one) => ({ ...selection, threads: only(one) })));
			const shape = new FocusedShape(model.tree, weights, focus);
			const own = sets.map((one) => `${shape.total(0, one)}/${shape.samples(0, one)}/0/0`).join("|");
			const inside = shape.children(0).map((child) => valuesOf(shape, sets, child));
			return inside.length ? `${fn++}:${own}(${inside.join(" ")})` : (fn++, null);
		}),
	);
	return threads.filter(Boolean).sort().join(" ");
}

test("nodes by thread that are created on demand are those of the whole tree", () => {
	let seed = 7;
	const random = (limit) => (seed = (seed * 1103515245 + 12345) % 2147483648) % limit;
	const stack = () => Array.from({ length: 1 + random(6) }, () => "abcde"[random(5)]).join(" ");
	const thread = () => Array.from({ length: random(60) }, () => ({ stack: stack(), at: random(9000), ns: (1 + random(9)) * ms, blocked: random(3) === 0 })).sort((a, b) => a.at - b.at);
	for (const model of [modelOf([thread(), thread(), []]), modelOf([thread()], [thread(), thread()])]) {
		const { tree, nodeOf } = treeByThread(model);
		const sets = [...model.recordings.keys()];
		for (const change of [{}, { span: [0.002, 0.006] }, { state: "waiting" }, { state: "running" }, { threads: new Set([0]) }]) {
			const selections = model.recordings.map(() => ({ ...everything, ...change }));
			const all = model.weigh(selections);
			const weights = model.parts.map(({ recording }, set) => new Weights(tree).addSamples(recording, selections[set], nodeOf[set]).finish());
			const lazy = (values) => model.shape({ inverted: false, byThread: true, focus: null, ...values }, all, selections);
			assert.equal(valuesOf(lazy({}), sets), valuesOf(new PlainShape(tree, weights), sets));
			for (const focus of [null, fnOf(model, "b"), fnOf(model, "d")])
				assert.equal(valuesOf(lazy({ inverted: true, focus }), sets), valuesOf(new InvertedShape(tree, weights, focus), sets));
			const shape = lazy({ focus: fnOf(model, "c") });
			const threads = shape.children(0).map((child) => valuesOf(shape, sets, child));
			assert.equal(threads.sort().join(" "), focusByThread(model, selections, fnOf(model, "c"), sets));
			assert.equal(shape.total(0, 0), shape.children(0).reduce((sum, child) => sum + shape.total(child, 0), 0));
		}
	}
});

test("boxes lie side by side below their caller, as wide as their time", () => {
	const model = modelOf(THREADS);
	const shape = shapeOf(model, {});
	const boxes = layOut(shape, 0, 210, (node) => shape.total(node, 0));
	const at = (name, row) => boxes.find((box) => box.node && model.name(shape.fn(box.node)) === name && box.row === row);
	const place = (box) => [Math.round(box.x), Math.round(box.width)];
	assert.deepEqual(place(at("main", 1)), [0, 160]);
	assert.deepEqual(place(at("start", 1)), [160, 50]);
	assert.deepEqual(place(at("fib", 2)), [90, 70]);
	const zoomed = layOut(shape, at("parse", 2).node, 210, (node) => shape.total(node, 0));
	assert.deepEqual(zoomed.map(({ width }) => Math.round(width)), [210, 210, 210, 163]);
	assert.equal(layOut(shape, 0, 1, (node) => shape.total(node, 0)).length, 2, "boxes that are too narrow are left out");
});

test("search: parts of names and objects, and regular expressions", () => {
	const model = modelOf(THREADS);
	const found = (word) => {
		const marks = findMatches(model, word);
		return marks && model.functions.filter((_, fn) => marks[fn]).map(({ name }) => name);
	};
	assert.equal(found(" "), null);
	assert.deepEqual(found("REA"), ["read"]);
	assert.deepEqual(found("libm"), ["main"]);
	assert.deepEqual(found("/^(m|f)/"), ["main", "fib"]);
	assert.deepEqual(found("/(/"), []);
	assert.equal(matcher(""), null);
	const [weights] = model.weigh([everything]);
	assert.equal(matchedTotal(weights, findMatches(model, "fib")), 7 * ms);
	assert.equal(matchedTotal(weights, findMatches(model, "read")), 12 * ms);
});

test("two recordings: functions by name, stacks merged", () => {
	const old = [[{ stack: "main parse.cold", at: 1, ns: 5 * ms }]];
	const now = [[{ stack: "main parse", at: 1, ns: 8 * ms }, { stack: "main new", at: 2, ns: 1 * ms }]];
	const model = modelOf(old, now);
	const shape = shapeOf(model, {});
	assert.equal(written(model, shape, 0, 0), "all:5(main:5(new:0 parse.cold:5))");
	assert.equal(written(model, shape, 0, 1), "all:9(main:9(new:1 parse.cold:8))");
	const state = new State(model);
	assert.equal(state.factor, 1);
	state.change({ compare: "share" });
	assert.equal(state.factor, 9 / 5);
});

test("names that differ from build to build", () => {
	assert.equal(plainName("foo.constprop.0"), "foo");
	assert.equal(plainName("foo.part.0.cold"), "foo");
	assert.equal(plainName("a.b"), "a.b");
	assert.equal(plainObject("libfoo.so.1.2.3"), "libfoo.so");
	assert.equal(plainObject("libfoo-2.31.so"), "libfoo.so");
	assert.equal(plainObject("python3.11"), "python3.11");
});

test("calls find their function, and their old row", () => {
	const row = { name: "parse", symbol: "parse", object: "libp.so.1", calls: 3, mean_ns: 5, bins: [[70, 2]] };
	const model = new Model([new Recording(bytesOf({ threads: THREADS, calls: [row] }))]);
	assert.equal(model.callsOf.get(fnOf(model, "parse")).calls, 3);
	assert.deepEqual(model.recordings[0].calls[0].histogram, [[38, 39, 2]]);
	const gone = { ...row, symbol: "gone", histogram: [] };
	const pairs = pairRows([{ ...row, calls: 2, object: "libp.so.0" }, gone], [row]);
	assert.deepEqual(pairs.map(({ calls, was }) => [calls, was.calls]), [[3, 2], [0, 3]]);
});

const CALLS_TREE = [
	{ depth: 0, name: "run", calls: 1, total_ns: 42, self_ns: 10 },
	{ depth: 1, name: "parse", calls: 2, total_ns: 30, self_ns: 20 },
	{ depth: 2, name: "read", calls: 7, total_ns: 7, self_ns: 7 },
	{ depth: 1, name: "read", calls: 5, total_ns: 5, self_ns: 5 },
	{ depth: 0, name: "setjmp", calls: 3, total_ns: null, self_ns: null },
].map((row) => ({ ...row, symbol: row.name, version: null, object: "libz.so" }));

test("a tree of calls: exact times, and the calls of each node", () => {
	const model = new CallsTree(new Recording(bytesOf({ threads: [], callsTree: CALLS_TREE })));
	const state = new State(model);
	const { shape } = state;
	assert.deepEqual([0, 1, 2, 3, 4, 5].map((node) => shape.total(node, 0)), [42, 42, 27, 7, 5, 0]);
	assert.deepEqual([0, 1, 2, 3, 4, 5].map((node) => model.callsAt(shape, node)), [0, 1, 2, 7, 5, 3]);
	assert.deepEqual(shape.children(1).map((node) => model.name(shape.fn(node))), ["parse", "read"]);
	assert.equal(model.totalAt(shape, 2), 30, "which may be more than the time below it, if it is recursive");
	assert.equal(shape.samples(0, 0), 18);
	const read = fnOf(model, "read");
	state.change({ inverted: true });
	const top = state.shape.children(0).find((node) => state.shape.fn(node) === read);
	assert.deepEqual([state.shape.total(top, 0), model.callsAt(state.shape, top)], [12, 12]);
	state.change({ focus: read });
	assert.equal(model.callsAt(state.shape, state.shape.children(0)[0]), 0, "calls below it are not its own");
	state.change({ inverted: false, focus: fnOf(model, "parse") });
	const parse = state.shape.children(0)[0];
	assert.deepEqual([state.shape.total(parse, 0), model.totalAt(state.shape, parse), model.callsAt(state.shape, parse)], [27, 27, 2]);
});

test("a function from inside, also if functions are merged", () => {
	const now = new Recording(bytesOf({ threads: THREADS, lines: [{ function: 1, line: 7 }, { function: 2, line: 8 }] }));
	assert.equal(now.functions[1].name, "parse");
	assert.deepEqual(new Model([now]).inside(1), { lines: [{ function: 1, line: 7 }], instructions: [] });
	const old = new Recording(bytesOf({ threads: [[{ stack: "a b c", at: 1, ns: 1 }]] }));
	const model = new Model([old, now]);
	assert.equal(model.inside(fnOf(model, "parse")).lines[0].line, 7);
	assert.deepEqual(model.inside(fnOf(model, "a")), { lines: [], instructions: [] });
});

test("bins of times: as wide as their octave", () => {
	assert.deepEqual(boundsOf(63, 32), [63, 64]);
	assert.deepEqual(boundsOf(64, 32), [64, 66]);
	assert.deepEqual(boundsOf(97, 32), [132, 136]);
	assert.deepEqual([...barsOf([[9, 11, 4], [90, 110, 5]], 1, 1000, 3)], [0, 4, 5]);
});

test("time: a sample is at the end of its duration", () => {
	const { running, waiting } = binsOf(new Recording(bytesOf({ threads: THREADS })), 4)[0];
	assert.deepEqual([...running].map((ns) => ns / ms), [3, 2, 1, 0]);
	assert.deepEqual([...waiting].map((ns) => ns / ms), [1, 1, 1, 1]);
});

test("chance: equal counts may be, a hundred to none is not", () => {
	assert.equal(pValue(10, 1, 10, 1), 1);
	assert.ok(pValue(0, 1, 100, 1) < 1e-6);
	assert.ok(pValue(1000, 1, 1100, 1) < 0.05);
	assert.ok(pValue(1000, 1, 1030, 1) > 0.05);
	// The exact sum and the normal distribution agree where one takes over from the other.
	assert.ok(Math.abs(pValue(180, 1, 220, 1) - pValue(180, 1, 221, 1)) < 0.01);
	assert.equal(limitOf([0.001, 0.02, 0.9], 0.05), 0.02);
	assert.equal(limitOf([0.5, 0.9], 0.05), -1);
});

test("numbers as reports write them", () => {
	assert.deepEqual([0, 2, 36, 999, 1000, 12345, 999600, 1.2e9, 125e9, -4321e9].map(time), [
		"0", "2.0 ns", "36.0 ns", "999 ns", "1.00 us", "12.3 us", "1.00 ms", "1.20 s", "125 s", "-4321 s",
	]);
	assert.deepEqual([250.5e6, 251.5e6, 12.25e6, 1.006e6].map(time), ["250 ms", "252 ms", "12.2 ms", "1.01 ms"]);
	assert.equal(count(1234567), "1,234,567");
	assert.equal(share(1, 8), "12.5%");
	assert.equal(share(1, 0), "-");
	assert.equal(signed(-1500, time), "−1.50 us");
	assert.equal(signed(1500, time), "+1.50 us");
	assert.deepEqual([0.03, 0.7, 1, 1.2, 7].map(niceStep), [0.05, 1, 1, 2, 10]);
});
