// SPDX-License-Identifier: MIT
// theme.js - light or dark: as the user has chosen, or else as the system is.

const KEY = "dwell-theme";

export class Theme {
	/** `changed` is called after each change. */
	constructor(changed) {
		this.changed = changed;
		document.getElementById("theme").addEventListener("click", () => this.turn());
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.set());
	}

	set() {
		let { chosen } = this;
		try {
			chosen ??= localStorage.getItem(KEY);
		} catch {
			// Pages opened from files may have no storage.
		}
		const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
		document.documentElement.dataset.theme = chosen ?? system;
		this.changed();
	}

	turn() {
		this.chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
		try {
			localStorage.setItem(KEY, this.chosen);
		} catch {
			// Without storage, the choice is lost when the page is closed.
		}
		this.set();
	}
}

/** Calls a function whenever the size of pixels changes, as on another screen: sizes of elements do not change then. */
export function watchPixels(changed) {
	const pixels = matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
	const change = () => {
		changed();
		watchPixels(changed);
	};
	pixels.addEventListener("change", change, { once: true });
	// A list of media queries without references may be collected.
	watchPixels.pixels = pixels;
}
