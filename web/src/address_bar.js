// SPDX-License-Identifier: MIT
// address_bar.js - keeps the address and the state the same: each change becomes an entry of the browser's history, and each
// entry that the user goes back to becomes the state.
import { readAddress, writeAddress } from "./address.js";

const QUIET = 250; // ms; changes that come many times a second are one entry
const CONTINUOUS = ["word", "selections"];

/** Returns an old object if a new one has the same contents: states compare objects by identity. */
function kept(old, now) {
	const text = (value) => JSON.stringify(value, (_, part) => (part instanceof Set ? [...part] : part));
	return text(old) === text(now) ? old : now;
}

export class AddressBar {
	/** `calls` is the state of the tree of calls, or null. */
	constructor(state, calls) {
		this.state = state;
		this.calls = calls;
		this.lastNames = "";
		for (const one of [state, calls]) one?.listeners.push((names) => this.#changed(names));
		window.addEventListener("popstate", () => this.follow());
		window.addEventListener("pagehide", () => this.#write());
	}

	/** Takes the state of the address. Words of a view that this page does not have are for the caller to replace. */
	follow() {
		clearTimeout(this.timer);
		const { state, calls } = this;
		const { calls: callsValues, ...values } = readAddress(location.hash.slice(1), state.initial, state.model.recordings);
		for (const name of ["selections", "sorts"]) values[name] = kept(state.get(name), values[name]);
		this.isFollowing = true;
		calls?.change(callsValues);
		state.change(values);
		this.isFollowing = false;
		this.lastNames = "";
	}

	/** Goes back in the history of this page; `otherwise` is called on its first entry. */
	back(otherwise) {
		this.#write();
		if (history.state?.step) history.back();
		else otherwise();
	}

	#changed(names) {
		if (this.isFollowing) return;
		this.names = [...new Set([...(this.names ?? []), ...names])];
		clearTimeout(this.timer);
		if (names.every((name) => CONTINUOUS.includes(name))) this.timer = setTimeout(() => this.#write(), QUIET);
		else this.#write();
	}

	#write() {
		clearTimeout(this.timer);
		const names = this.names?.join() ?? "";
		this.names = null;
		const { state, calls } = this;
		const fragment = `#${writeAddress(state.values, state.initial, state.model.recordings, calls?.values)}`;
		if (!names || fragment === location.hash) return;
		// A word that is typed on is one entry.
		const isSame = names === "word" && this.lastNames === "word";
		this.lastNames = names;
		const step = (history.state?.step ?? 0) + (isSame ? 0 : 1);
		if (isSame) history.replaceState({ step }, "", fragment);
		else history.pushState({ step }, "", fragment);
	}
}
