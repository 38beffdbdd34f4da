// SPDX-License-Identifier: MIT
// head.js - the head of a recording: the command, the sums, and the notes of the report.
import { cutText, element } from "./dom.js";
import { count, share, time } from "./format.js";

/** Losses up to this share of all do not change what a profile says. */
const SMALL = 0.01;

/** Returns whether a note reports a loss. */
const isLoss = (note) => /^(LOST|DAMAGED)/.test(note);

/** Losses whose share is known: a pattern of their note, and the part and the whole. All others are alarms. */
const SHARES = [
	[/^LOST: samples without room/, ({ lost_samples: lost, samples }) => [lost, lost + samples]],
	[/^LOST: CPU time of threads that could not be sampled/, ({ unwatched_ns: lost, cpu_ns: all }) => [lost, all]],
	[/^LOST: CPU time without samples/, ({ unsampled_ns: lost, cpu_ns: all }) => [lost, all]],
	[/^LOST: calls that were not counted/, ({ lost_calls: lost, calls }) => [lost, lost + calls]],
];

/** Returns whether a note is an alarm: it reports a loss of more than a small share. */
export function isAlarm(note, meta) {
	if (!isLoss(note)) return false;
	const [, parts] = SHARES.find(([pattern]) => pattern.test(note)) ?? [];
	if (!parts) return true;
	const [lost, all] = parts(meta);
	return !(all > 0 && lost <= SMALL * all);
}

/** Returns the facts about a recording: [[what, value]...]. */
function factsOf({ meta, sampleCount }) {
	const facts = [];
	if (meta.wall_ns !== null) facts.push(["duration", time(meta.wall_ns)]);
	if (meta.exit_status !== null) facts.push(["exit status", String(meta.exit_status)]);
	if (meta.signal !== null) facts.push(["killed by signal", String(meta.signal)]);
	if (meta.samples) {
		if (meta.sample_event) facts.push([meta.sample_event, count(meta.samples_shown_events)]);
		else facts.push([`${meta.sample_time === "wall" ? "wall" : "CPU"} time`, time(meta.samples_shown_ns)]);
		const all = meta.samples_shown === meta.samples ? "" : ` of ${count(meta.samples)}`;
		facts.push(["samples", `${count(meta.samples_shown)}${all}`]);
		if (!meta.sample_event)
			facts.push(["samples/s", `${count(meta.rate_achieved)} of ${count(meta.rate_asked)}`], ["clock", meta.sample_clock || "unknown"]);
		facts.push(["threads", count(meta.sampled_threads)], ["processes", count(meta.sampled_processes)]);
	}
	if (meta.calls) facts.push(["calls", count(meta.calls)]);
	if (meta.lost_samples) facts.push(["lost", share(meta.lost_samples, meta.lost_samples + sampleCount)]);
	return facts;
}

/** `set`: 0 is the old and 1 the new one of two recordings; -1: there is one. */
export function headOf(recording, set) {
	const { meta } = recording;
	// The first notes repeat the facts above.
	const notes = meta.notes.slice(meta.samples ? 2 : 1).sort((a, b) => isLoss(b) - isLoss(a));
	const fact = ([what, value]) => element("span", { class: "fact" }, element("small", {}, what), value);
	const kind = (note) => (isAlarm(note, meta) ? "loss" : isLoss(note) ? "small-loss" : null);
	return element(
		"div",
		{ class: "recording" },
		element(
			"div",
			{ class: "what" },
			set < 0 ? null : element("span", { class: `set set-${set}` }, set ? "new" : "old"),
			element("code", { title: meta.command }, ...cutText(meta.command)),
		),
		element("div", { class: "head-facts" }, ...factsOf(recording).map(fact)),
		element("ul", { class: "head-notes", tabindex: "0", "aria-label": "notes" }, ...notes.map((note) => element("li", { class: kind(note) }, note))),
	);
}
