// SPDX-License-Identifier: MIT
// main.js - reads the data, creates the views, and switches between them.
import { AboutView } from "./about_view.js";
import { AddressBar } from "./address_bar.js";
import { CallsTree } from "./calls_tree.js";
import { CallsView } from "./calls_view.js";
import { ChartView } from "./chart_view.js";
import { Palette } from "./colours.js";
import { element, toggle } from "./dom.js";
import { FlameView } from "./flame_view.js";
import { countEvent } from "./format.js";
import { FunctionView } from "./function_view.js";
import { FunctionsView } from "./functions_view.js";
import { headOf } from "./head.js";
import { HeatView } from "./heat_view.js";
import { Model } from "./model.js";
import { readRecordings } from "./recording.js";
import { State } from "./state.js";
import { TakeAway } from "./take_away.js";
import { Theme, watchPixels } from "./theme.js";
import { Timeline } from "./timeline.js";
import { TreeView } from "./tree_view.js";
import { NO_REGION } from "./weights.js";

/** Returns objects in descending order of their self time, to which total time adds a little. */
function objectsByTime(model, sums) {
	const times = new Map();
	model.functions.forEach(({ object }, fn) => {
		times.set(object, (times.get(object) ?? 0) + sums.self[fn] + sums.total[fn] / 50);
	});
	return [...times.entries()]
		.filter(([object, ns]) => ns > 0 && object !== "dwell")
		.sort((a, b) => b[1] - a[1])
		.map(([object]) => object);
}

class Page {
	constructor(recordings) {
		this.model = new Model(recordings);
		this.state = new State(this.model);
		this.event = recordings[0].meta.sample_event ?? null;
		countEvent(this.event);
		this.hasSamples = recordings.some(({ sampleCount }) => sampleCount);
		document.body.classList.toggle("diff", this.model.isDiff);
		this.hasCalls = recordings.some(({ calls }) => calls.length);
		this.#makeViews();
		this.#makeHead();
		this.#makeTabs();
		this.state.listeners.push((names) => this.#update(names));
		this.address = new AddressBar(this.state, this.callsState ?? null);
		this.theme = new Theme(() => this.#repaint());
		watchPixels(() => this.#repaint());
		document.addEventListener("keydown", (event) => this.#key(event));
		this.theme.set();
		this.address.follow();
		this.#update(["view"]);
	}

	#makeViews() {
		const open = (fn) => this.state.change({ view: "function", fn });
		const flame = (fn, inverted) => this.state.change({ view: "flame", focus: fn, inverted, zoom: "", row: "" });
		const back = () => this.address.back(() => this.show("functions"));
		this.views = {};
		let palette = null;
		if (this.hasSamples) {
			palette = new Palette(objectsByTime(this.model, this.state.sums.at(-1)));
			this.views.flame = { title: "Flame graph", view: new FlameView(this.state, palette, open) };
			this.views.functions = { title: "Functions", view: new FunctionsView(this.state, open) };
			this.views.stacks = { title: "Call tree", view: new TreeView(this.state, open) };
			// Both divide time among samples, and events take none.
			if (!this.event) {
				this.views.chart = { title: "Stack chart", view: new ChartView(this.state, palette, open) };
				this.views.heat = { title: "Heat map", view: new HeatView(this.state) };
			}
		}
		if (!this.model.isDiff && this.model.recordings[0].callsTree.length) this.#makeCallsTree(this.model.recordings[0]);
		if (this.hasCalls) this.views.calls = { title: "Calls", view: new CallsView(this.state, open) };
		this.views.about = { title: "About", view: new AboutView(this.state) };
		this.function = this.hasSamples ? new FunctionView(this.state, palette, open, flame, back) : null;
		this.timelines = this.hasSamples
			? this.model.recordings.map(
					(_, set) => new Timeline(this.state, set, this.model.isDiff ? (set ? "new" : "old") : "time"),
				)
			: [];
		[this.state.initial.view] = Object.keys(this.views);
		this.main = document.getElementById("main");
		document.getElementById("timelines").append(...this.timelines.map(({ element: rows }) => rows));
		document.getElementById("spans").append(...this.timelines.map(({ status }) => status));
		if (this.model.recordings.some(({ meta }) => meta.samples_blocked)) this.#makeStates();
		if (this.model.recordings.some(({ regions }) => regions.length)) this.#makeRegions();
	}

	/** Creates the flame graph of calls, which has a state of its own: it shows another tree. */
	#makeCallsTree(recording) {
		const state = new State(new CallsTree(recording));
		const palette = new Palette(objectsByTime(state.model, state.sums[0]));
		const view = new FlameView(state, palette, null);
		state.listeners.push(() => this.shown === view && view.update());
		this.state.listeners.push((names) => names.includes("word") && state.change({ word: this.state.get("word") }));
		this.callsState = state;
		this.views.tree = { title: "Flame graph of calls", view };
	}

	/** Changes the selections of all recordings. */
	#select(patch) {
		this.state.change({ selections: this.state.get("selections").map((selection) => ({ ...selection, ...patch })) });
	}

	/** Creates the list of regions that the program has named, one of which can be chosen. */
	#makeRegions() {
		const names = [...new Set(this.model.recordings.flatMap(({ regions }) => regions.map(({ name }) => name)))].sort();
		const option = (name) => element("option", { value: name }, name);
		this.regions = element(
			"select",
			{ id: "region", "aria-label": "region", title: "only samples in a region that the program has named", onchange: () => this.#select({ region: this.regions.value || null }) },
			element("option", { value: "" }, "all regions"),
			...[...names, NO_REGION].map(option),
		);
		document.getElementById("spans").append(this.regions);
	}

	/** Creates the buttons that choose samples of running or waiting threads. */
	#makeStates() {
		const choose = (state) => this.#select({ state });
		this.states = ["all", "running", "waiting"].map((name) => {
			const { button, set } = toggle(name, `${name === "all" ? "all samples" : `of threads that were ${name}`}`, () => choose(name));
			return { name, button, set };
		});
		document
			.getElementById("spans")
			.append(element("div", { class: "states", role: "group", "aria-label": "threads that" }, ...this.states.map(({ button }) => button)));
	}

	#showStates() {
		const [{ state, region }] = this.state.get("selections");
		for (const { name, set } of this.states ?? []) set(state === name);
		if (this.regions) this.regions.value = region ?? "";
	}

	#makeHead() {
		const { recordings, isDiff } = this.model;
		const command = recordings.at(-1).meta.command;
		document.title = `${isDiff ? "diff" : command} - dwell`;
		document.getElementById("recordings").append(...recordings.map((recording, set) => headOf(recording, isDiff ? set : -1)));
	}

	#makeTabs() {
		const tabs = Object.entries(this.views).map(([name, { title }]) =>
			element(
				"button",
				{ type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "main", onclick: () => this.show(name) },
				title,
			),
		);
		this.tabs = document.getElementById("tabs");
		this.tabs.append(...tabs);
		this.takeAway = new TakeAway(() => this.shown);
		document.getElementById("theme").before(this.takeAway.element);
		this.tabs.addEventListener("keydown", (event) => this.#moveTab(event));
		this.search = document.getElementById("search");
		this.search.addEventListener("input", () => this.state.change({ word: this.search.value }));
		this.search.addEventListener("keydown", (event) => {
			if (event.key !== "Escape") return;
			this.state.change({ word: "" });
			this.search.blur();
			event.stopPropagation();
		});
	}

	#moveTab(event) {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		const all = [...this.tabs.children];
		const at = all.indexOf(document.activeElement);
		if (!step || at < 0) return;
		const next = all[(at + step + all.length) % all.length];
		next.focus();
		next.click();
	}

	#repaint() {
		for (const timeline of this.timelines) timeline.paint();
		if (this.shown) this.shown.update(["theme"]);
	}

	/** Shows one of the views with a tab. */
	show(name) {
		this.state.change({ view: name });
	}

	/** Returns the view that the state selects, or the first if there is no such view here. */
	get #selected() {
		const { view, fn } = this.state.values;
		if (view === "function" && this.function && fn !== null && fn < this.model.functions.length) return [view, this.function];
		const name = Object.hasOwn(this.views, view) ? view : Object.keys(this.views)[0];
		return [name, this.views[name].view];
	}

	#showSelected() {
		const [name, view] = this.#selected;
		for (const tab of this.tabs.children) {
			const is = tab.id === `tab-${name}`;
			tab.setAttribute("aria-selected", String(is));
			tab.tabIndex = is || (name === "function" && tab.id === "tab-functions") ? 0 : -1;
		}
		document.getElementById(`tab-${name}`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
		this.main.setAttribute("aria-labelledby", `tab-${name === "function" ? "functions" : name}`);
		this.shown = view;
		this.main.replaceChildren(view.element);
		view.update(["view", "selections"]);
		this.takeAway.update();
	}

	#update(names) {
		if (names.includes("word") && this.search.value !== this.state.get("word")) this.search.value = this.state.get("word");
		if (names.some((name) => ["selections", "view", "folds"].includes(name))) {
			this.#showStates();
			for (const timeline of this.timelines) timeline.update();
		}
		if (names.includes("view") || names.includes("fn")) this.#showSelected();
		else if (this.shown) {
			this.shown.update(names);
			this.takeAway.update();
		}
	}

	/** Handles keys that work in all views, but not while a text is typed. */
	#key(event) {
		if (event.ctrlKey || event.metaKey || event.altKey || ["INPUT", "SELECT"].includes(event.target.tagName)) return;
		const names = Object.keys(this.views);
		const place = Number(event.key) - 1;
		if (event.key === "/") this.search.focus();
		else if (event.key === "t") this.theme.turn();
		else if (event.key === "i" && this.shown instanceof FlameView) this.shown.flip("inverted");
		else if (event.key === "i" && this.views.flame) this.views.flame.view.flip("inverted");
		else if (event.key === "b" && this.views.flame) this.views.flame.view.flip("byThread");
		else if (event.key === "Escape") this.#back();
		else if (Number.isInteger(place) && place >= 0 && place < names.length) this.show(names[place]);
		else return;
		event.preventDefault();
	}

	/** Takes one step back: the search, then the zoom or focus, then the span of time. */
	#back() {
		const selections = this.state.get("selections").map((selection) => ({ ...selection, span: null, threads: null }));
		if (this.state.get("word")) this.state.change({ word: "" });
		else if (this.shown instanceof FlameView && this.shown.back()) return;
		else if (this.shown === this.function) this.address.back(() => this.show("functions"));
		else this.state.change({ selections });
	}
}

async function start() {
	const message = document.getElementById("message");
	try {
		const recordings = await readRecordings(document);
		if (!recordings.length) throw new Error("there is no recording in this page");
		message.remove();
		document.body.classList.remove("empty");
		window.dwell = new Page(recordings);
		// Marks the time when everything is shown, for measurements.
		requestAnimationFrame(() => performance.mark("dwell-shown"));
	} catch (error) {
		message.textContent = `This page cannot be shown: ${error.message}`;
		throw error;
	}
}

start();
