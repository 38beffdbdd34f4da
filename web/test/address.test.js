// SPDX-License-Identifier: MIT
// address.test.js - the state in the address, and the head of the page, without a browser: node --test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readAddress, writeAddress } from "../src/address.js";
import { cutMiddle, stemLength } from "../src/dom.js";
import { nodeAt, pathOf } from "../src/flame_shapes.js";
import { isAlarm } from "../src/head.js";
import { State } from "../src/state.js";
import { THREADS, modelOf, shapeOf } from "./models.js";

test("the address has all of the state, and reads it again", () => {
	const { recordings } = modelOf(THREADS);
	recordings[0].regions = [{ name: "load & save", outer: 0 }];
	const { initial } = new State(modelOf(THREADS));
	assert.equal(writeAddress(initial, initial, recordings), "flame");
	const values = {
		...initial,
		view: "function",
		fn: 3,
		word: "a&b=/c d%/",
		selections: [{ span: [0.0005, 0.0025], threads: new Set([1, 0]), state: "running", region: "load & save" }],
		inverted: true,
		byThread: true,
		focus: 0,
		zoom: "0.2.1",
		row: "4",
		as: "sandwich",
		chart: 1,
		sorts: { functions: { key: "total-change", descending: true }, calls: { key: "function", descending: false } },
	};
	const calls = { ...initial, inverted: true, zoom: "7" };
	const text = writeAddress(values, initial, recordings, calls);
	assert.match(text, /^function\/3\?q=a%26b%3D\/c%20d%25\/&/);
	const { calls: callsAgain, ...again } = readAddress(text, initial, recordings);
	assert.deepEqual(again, values);
	assert.deepEqual([callsAgain.inverted, callsAgain.zoom, callsAgain.word], [true, "7", values.word]);
});

test("invalid values in an address are ignored", () => {
	const { recordings } = modelOf(THREADS);
	const { initial } = new State(modelOf(THREADS));
	const { calls, ...values } = readAddress("functions?up=x&focus=-1&zoom=1..2&span=3-1&thread=9&state=x&region=y&as=x&sort-a=%3Cb&x=1", initial, recordings);
	assert.deepEqual(values, { ...initial, view: "functions" });
	assert.equal(readAddress("", initial, recordings).view, "flame");
	assert.equal(calls.zoom, "");
});

test("a path leads to its node, or as far as there is one", () => {
	const model = modelOf(THREADS);
	for (const values of [{}, { inverted: true }, { byThread: true }]) {
		const shape = shapeOf(model, values);
		const node = shape.children(shape.children(0)[0])[0];
		assert.equal(nodeAt(shape, pathOf(shape, node)), node);
		assert.equal(nodeAt(shape, `${pathOf(shape, node)}.999`), node);
		assert.equal(nodeAt(shape, ""), 0);
	}
});

test("a loss is an alarm above one per cent", () => {
	const meta = { lost_samples: 1, samples: 99, unwatched_ns: 2, unsampled_ns: 1, cpu_ns: 100, lost_calls: 0, calls: 5 };
	const alarm = (note, changed) => isAlarm(note, { ...meta, ...changed });
	assert.equal(alarm("LOST: samples without room in the recording: 1, 1 ms"), false);
	assert.equal(alarm("LOST: samples without room in the recording: 2, 1 ms", { lost_samples: 2 }), true);
	assert.equal(alarm("LOST: CPU time of threads that could not be sampled, and more"), true);
	assert.equal(alarm("LOST: CPU time without samples: 1 ms, 1.0% of all: ..."), false);
	assert.equal(alarm("DAMAGED: invalid records, ignored: 1"), true);
	assert.equal(alarm("LOST: threads that were not counted: 1"), true);
	assert.equal(alarm("clock: x"), false);
});

test("a long text is cut in its middle", () => {
	assert.equal(cutMiddle("short", 5), "short");
	assert.equal(cutMiddle("std::vector<int>::push_back", 16), "std::vecto…_back");
	assert.equal(cutMiddle("abcdefghij", 4), "abc…");
	assert.equal(cutMiddle("toplev::main(int, char**)", 16), "toplev::main(…)");
	assert.equal(cutMiddle("toplev::main(int, char**)", 13), "toplev::main");
	assert.equal(cutMiddle("instantiate_pending_templates(int)", 12), "instanti…tes");
	assert.equal(cutMiddle("(anonymous namespace)::name", 12), "(anonymo…ame");
	assert.equal(stemLength("Book::operator()(int) const"), "Book::operator()".length);
});
