// SPDX-License-Identifier: MIT
// main.js - reads the data, creates the views, and switches between them: the address selects the view.
import { AboutView } from "./about_view.js";
import { CallsTree } from "./calls_tree.js";
import { CallsView } from "./calls_view.js";
import { Palette } from "./colours.js";
import { element, toggle } from "./dom.js";
import { FlameView } from "./flame_view.js";
import { count, share, time } from "./format.js";
import { FunctionView } from "./function_view.js";
import { FunctionsView } from "./functions_view.js";
import { Model } from "./model.js";
import { readRecordings } from "./recording.js";
import { State } from "./state.js";
import { Timeline } from "./timeline.js";

const THEME = "dwell-theme";

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
		this.hasSamples = recordings.some(({ sampleCount }) => sampleCount);
		document.body.classList.toggle("diff", this.model.isDiff);
		this.hasCalls = recordings.some(({ calls }) => calls.length);
		this.#makeViews();
		this.#makeHead();
		this.#makeTabs();
		this.state.listeners.push((names) => this.#update(names));
		window.addEventListener("hashchange", () => this.#follow());
		this.#watchPixels();
		document.addEventListener("keydown", (event) => this.#key(event));
		this.#follow();
	}

	#makeViews() {
		const open = (fn) => (location.hash = `function/${fn}`);
		const flame = (fn, inverted) => {
			this.state.change({ focus: fn, inverted });
			location.hash = "flame";
		};
		this.views = {};
		if (this.hasSamples) {
			const palette = new Palette(objectsByTime(this.model, this.state.sums.at(-1)));
			this.views.flame = { title: "Flame graph", view: new FlameView(this.state, palette, open) };
			this.views.functions = { title: "Functions", view: new FunctionsView(this.state, open) };
		}
		if (!this.model.isDiff && this.model.recordings[0].callsTree.length) this.#makeCallsTree(this.model.recordings[0]);
		if (this.hasCalls) this.views.calls = { title: "Calls", view: new CallsView(this.state, open) };
		this.views.about = { title: "About", view: new AboutView(this.state) };
		this.function = this.hasSamples ? new FunctionView(this.state, open, flame) : null;
		this.timelines = this.hasSamples
			? this.model.recordings.map(
					(_, set) => new Timeline(this.state, set, this.model.isDiff ? (set ? "new" : "old") : "time"),
				)
			: [];
		this.main = document.getElementById("main");
		document.getElementById("timelines").append(...this.timelines.map(({ element: rows }) => rows));
		document.getElementById("spans").append(...this.timelines.map(({ status }) => status));
		if (this.model.recordings.some(({ meta }) => meta.samples_blocked)) this.#makeStates();
	}

	/** Creates the flame graph of calls, which has a state of its own: it shows another tree. */
	#makeCallsTree(recording) {
		const state = new State(new CallsTree(recording));
		const palette = new Palette(objectsByTime(state.model, state.sums[0]));
		const view = new FlameView(state, palette, null);
		state.listeners.push(() => this.shown === view && view.update());
		this.state.listeners.push((names) => names.includes("word") && state.change({ word: this.state.get("word") }));
		this.views.tree = { title: "Call tree", view };
	}

	/** Creates the buttons that choose samples of running or waiting threads. */
	#makeStates() {
		const choose = (state) =>
			this.state.change({ selections: this.state.get("selections").map((selection) => ({ ...selection, state })) });
		this.states = ["all", "running", "waiting"].map((name) => {
			const { button, set } = toggle(name, `${name === "all" ? "all samples" : `of threads that were ${name}`}`, () => choose(name));
			return { name, button, set };
		});
		document
			.getElementById("spans")
			.append(element("div", { class: "states", role: "group", "aria-label": "threads that" }, ...this.states.map(({ button }) => button)));
		this.#showStates();
	}

	#showStates() {
		for (const { name, set } of this.states ?? []) set(this.state.get("selections")[0].state === name);
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
				{ type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "main", onclick: () => (location.hash = name) },
				title,
			),
		);
		this.tabs = document.getElementById("tabs");
		this.tabs.append(...tabs);
		this.tabs.addEventListener("keydown", (event) => this.#moveTab(event));
		this.search = document.getElementById("search");
		this.search.addEventListener("input", () => this.state.change({ word: this.search.value }));
		this.search.addEventListener("keydown", (event) => {
			if (event.key !== "Escape") return;
			this.#setWord("");
			this.search.blur();
			event.stopPropagation();
		});
		document.getElementById("theme").addEventListener("click", () => this.#turnTheme());
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#setTheme());
		this.#setTheme();
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

	#setWord(word) {
		this.search.value = word;
		this.state.change({ word });
	}

	/** Sets the theme that the user has chosen, or else the system's. */
	#setTheme() {
		let chosen = this.theme;
		try {
			chosen ??= localStorage.getItem(THEME);
		} catch {
			// Pages opened from files may have no storage.
		}
		const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
		document.documentElement.dataset.theme = chosen ?? system;
		this.#repaint();
	}

	#turnTheme() {
		this.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
		try {
			localStorage.setItem(THEME, this.theme);
		} catch {
			// Without storage, the choice is lost when the page is closed.
		}
		this.#setTheme();
	}

	/** Repaints canvases if the size of pixels changes, as on another screen: sizes of elements do not change then. */
	#watchPixels() {
		// Keeps a reference, so that it is not collected.
		this.pixels = matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
		const change = () => {
			this.#repaint();
			this.#watchPixels();
		};
		this.pixels.addEventListener("change", change, { once: true });
	}

	#repaint() {
		for (const timeline of this.timelines) timeline.paint();
		if (this.shown) this.shown.update(["theme"]);
	}

	/** Shows the view that the address selects. */
	#follow() {
		const [name, number] = location.hash.slice(1).split("/");
		const fn = Number(number);
		if (name === "function" && this.function && Number.isInteger(fn) && fn >= 0 && fn < this.model.functions.length)
			this.#show("function", this.function, { view: "function", fn });
		else {
			const known = name in this.views ? name : Object.keys(this.views)[0];
			this.#show(known, this.views[known].view, { view: known });
		}
	}

	#show(name, view, patch) {
		for (const tab of this.tabs.children) {
			const is = tab.id === `tab-${name}`;
			tab.setAttribute("aria-selected", String(is));
			tab.tabIndex = is || (name === "function" && tab.id === "tab-functions") ? 0 : -1;
		}
		document.getElementById("main").setAttribute("aria-labelledby", `tab-${name}`);
		this.shown = view;
		this.main.replaceChildren(view.element);
		this.state.change(patch);
		view.update(["view", "selections"]);
		for (const timeline of this.timelines) timeline.update();
	}

	#update(names) {
		if (names.includes("selections")) {
			this.#showStates();
			for (const timeline of this.timelines) timeline.update();
		}
		if (this.shown && !names.includes("view")) this.shown.update(names);
	}

	/** Handles keys that work in all views, but not while a text is typed. */
	#key(event) {
		if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
		const names = Object.keys(this.views);
		const place = Number(event.key) - 1;
		if (event.key === "/") this.search.focus();
		else if (event.key === "t") this.#turnTheme();
		else if (event.key === "i" && this.shown instanceof FlameView) this.shown.flip("inverted");
		else if (event.key === "i" && this.views.flame) this.views.flame.view.flip("inverted");
		else if (event.key === "b" && this.views.flame) this.views.flame.view.flip("byThread");
		else if (event.key === "Escape") this.#back();
		else if (Number.isInteger(place) && place >= 0 && place < names.length) location.hash = names[place];
		else return;
		event.preventDefault();
	}

	/** Takes one step back: the search, then the zoom or focus, then the span of time. */
	#back() {
		const selections = this.model.recordings.map((_, set) => ({ ...this.state.get("selections")[set], span: null, threads: null }));
		if (this.state.get("word")) this.#setWord("");
		else if (this.shown instanceof FlameView && this.shown.back()) return;
		else if (this.shown === this.function) history.back();
		else this.state.change({ selections });
	}
}

/** Returns the head of a recording: the command, the sums, and the notes of the report. */
function headOf({ meta, sampleCount }, set) {
	const facts = [];
	if (meta.wall_ns !== null) facts.push(["duration", time(meta.wall_ns)]);
	if (meta.exit_status !== null) facts.push(["exit status", String(meta.exit_status)]);
	if (meta.signal !== null) facts.push(["killed by signal", String(meta.signal)]);
	if (meta.samples) {
		facts.push([`${meta.sample_time === "wall" ? "wall" : "CPU"} time`, time(meta.samples_shown_ns)]);
		const all = meta.samples_shown === meta.samples ? "" : ` of ${count(meta.samples)}`;
		facts.push(["samples", `${count(meta.samples_shown)}${all}`]);
		facts.push(["samples/s", `${count(meta.rate_achieved)} of ${count(meta.rate_asked)}`], ["clock", meta.sample_clock || "unknown"]);
		facts.push(["threads", count(meta.sampled_threads)], ["processes", count(meta.sampled_processes)]);
	}
	if (meta.calls) facts.push(["calls", count(meta.calls)]);
	if (meta.lost_samples) facts.push(["lost", share(meta.lost_samples, meta.lost_samples + sampleCount)]);
	// The first notes repeat the facts above.
	const isLoss = (note) => /^(LOST|DAMAGED)/.test(note);
	const notes = meta.notes.slice(meta.samples ? 2 : 1).sort((a, b) => isLoss(b) - isLoss(a));
	return element(
		"div",
		{ class: "recording" },
		element(
			"div",
			{ class: "what" },
			set < 0 ? null : element("span", { class: `set set-${set}` }, set ? "new" : "old"),
			element("code", { title: meta.command }, meta.command),
		),
		element("div", { class: "head-facts" }, ...facts.map(([what, value]) => element("span", { class: "fact" }, element("small", {}, what), value))),
		element(
			"ul",
			{ class: "head-notes" },
			...notes.map((note) => element("li", { class: isLoss(note) ? "loss" : null }, note)),
		),
	);
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
