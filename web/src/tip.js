// SPDX-License-Identifier: MIT
// tip.js - a box beside the pointer, which says what is there.
import { element } from "./dom.js";

export class Tip {
	constructor() {
		this.element = element("div", { class: "tip", hidden: true });
	}

	show(...children) {
		this.element.hidden = false;
		this.element.replaceChildren(...children);
	}

	hide() {
		this.element.hidden = true;
	}

	/** Moves it beside the pointer, inside the window. */
	place(event) {
		const { offsetWidth, offsetHeight } = this.element;
		const x = Math.min(event.clientX + 14, window.innerWidth - offsetWidth - 8);
		const below = event.clientY + 18;
		const y = below + offsetHeight > window.innerHeight - 8 ? event.clientY - offsetHeight - 10 : below;
		this.element.style.transform = `translate(${Math.max(4, x)}px, ${y}px)`;
	}
}

/** Returns the elements of facts: [[what, value]...]. */
export function factElements(facts) {
	return facts.map(([what, value]) => element("span", { class: "fact" }, element("small", {}, what), value));
}
