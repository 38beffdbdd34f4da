// SPDX-License-Identifier: MIT
// thread_groups.js - groups the threads of a recording by rank or process; those of very many processes by program. The rows of
// the timeline are groups and, of unfolded ones, their threads.
import { count } from "./format.js";
import { threadTitle } from "./model.js";

const FEW = 12; // threads that are shown without folding
const MANY = 12; // processes that are still shown one by one

/** Returns the total time and samples of each thread. */
export function sumsOf(recording) {
	return recording.threads.map(({ first, end }, number) => {
		let ns = 0;
		for (let i = first; i < end; i++) ns += recording.durations[i];
		return { number, ns, samples: end - first };
	});
}

/** Compares ranks as numbers; a group without one is behind all that have one. */
function byRank({ rank: a }, { rank: b }) {
	if (a == null || b == null) return (a == null) - (b == null);
	return Number(a) - Number(b);
}

/** Returns the name of a thread's program, without its folder and its arguments. */
export function programOf({ command, name }) {
	const [file] = (command ?? "").split(" ");
	return file.split("/").at(-1) || name || "?";
}

function titleOf({ rank, pid, program, numbers, processes }, recording) {
	if (rank != null) return `rank ${rank}`;
	if (program) return `${program}, ${count(processes.size)} ${processes.size === 1 ? "process" : "processes"}`;
	return pid == null ? threadTitle(recording.threads[numbers[0]]) : `${programOf(recording.threads[numbers[0]])} ${pid}`;
}

/** Returns all groups with samples, by rank or else those with the most time first; so are the threads of each. */
export function groupsOf(recording) {
	const isMany = new Set(recording.threads.map(({ pid }) => pid)).size > MANY;
	const groups = new Map();
	for (const { number, ns, samples } of sumsOf(recording).sort((a, b) => b.ns - a.ns)) {
		if (!samples) continue;
		const thread = recording.threads[number];
		const { rank, pid } = thread;
		const program = rank == null && isMany ? programOf(thread) : null;
		const key = rank != null ? `rank ${rank}` : (program ?? `pid ${pid}`);
		if (!groups.has(key)) groups.set(key, { rank, pid, program, numbers: [], processes: new Set(), ns: 0, samples: 0 });
		const group = groups.get(key);
		group.numbers.push(number);
		group.processes.add(pid);
		group.ns += ns;
		group.samples += samples;
	}
	const sorted = [...groups.values()].sort((a, b) => byRank(a, b) || b.ns - a.ns);
	sorted.forEach((group, index) => Object.assign(group, { index, title: titleOf(group, recording) }));
	return sorted;
}

/** Returns whether a group is unfolded before the user says otherwise: ranks never are, few threads always. */
function isOpenAtFirst(group, groups) {
	const threads = groups.reduce((sum, { numbers }) => sum + numbers.length, 0);
	return group.rank == null && (groups.length === 1 || threads <= FEW);
}

/**
 * Returns the rows that are shown, at most so many, and the number of all. `turned` has the indices of groups that the user
 * folded or unfolded. The threads of a single small process need no row of their process.
 */
export function rowsOf(groups, turned, most) {
	const rows = [];
	const needsHeads = groups.length > 1 || (groups[0]?.numbers.length ?? 0) > FEW;
	for (const group of groups) {
		const isSingle = group.numbers.length === 1;
		const isOpen = !isSingle && (isOpenAtFirst(group, groups) !== turned.has(group.index) || !needsHeads);
		if (isSingle || needsHeads || group.rank != null) rows.push({ group, numbers: group.numbers, isGroup: !isSingle, isOpen, level: 0 });
		if (isOpen) rows.push(...group.numbers.map((number) => ({ group, numbers: [number], isGroup: false, isOpen: false, level: needsHeads ? 1 : 0 })));
	}
	return { rows: rows.slice(0, most), all: rows.length };
}
