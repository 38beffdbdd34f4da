// SPDX-License-Identifier: MIT
// colours.js - the colors of frames: a hue per object, and a scale from blue to red for decreases and
// increases, which people who cannot tell red from green can distinguish.

// Objects with most of the time get the first ones. Neighbours differ even if hues look alike.
const HUES = [24, 204, 44, 262, 164, 330, 90, 232, 8, 182, 292, 68];

// Functions of scripts have the color of their language, in whatever file they are.
const LANGUAGES = new Map([["Python", 130], ["PHP", 250], ["Lua", 220], ["Ruby", 350], ["Java", 30], ["Perl", 190]]);

function hash(text) {
	let sum = 0;
	for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0;
	return sum >>> 0;
}

export class Palette {
	/** Takes the objects in descending order of their time. */
	constructor(objects) {
		this.hues = new Map(objects.slice(0, HUES.length).map((object, i) => [object, HUES[i]]));
		this.shades = new Map();
	}

	/** Returns the color of an object, or of a language; a function's name shifts it slightly, so that neighbours differ. */
	of(object, name, dark, language) {
		const key = `${dark}\n${language ?? object}\n${name}`;
		let colour = this.shades.get(key);
		if (!colour) {
			const own = object === "dwell" ? undefined : this.hues.get(object);
			const hue = language ? LANGUAGES.get(language) : own;
			const shift = name ? (hash(name) % 9) - 4 : 0;
			const plain = !object || object === "dwell" ? 4 : 16;
			const saturation = hue === undefined ? plain : dark ? 40 : 74;
			const lightness = (dark ? 40 : 75) + shift;
			colour = `hsl(${(hue ?? hash(object) % 360) + shift / 2} ${saturation}% ${lightness}%)`;
			this.shades.set(key, colour);
		}
		return colour;
	}
}

/** Returns the color of a change, from -1 (gone) to 0 (none) to 1 (new). */
export function changeColour(change, dark) {
	const part = Math.min(1, Math.abs(change)) ** 0.6;
	const [hue, saturation] = change > 0 ? [8, 78] : [214, 74];
	const plain = dark ? 30 : 90;
	const full = dark ? 50 : 60;
	return `hsl(${hue} ${Math.round(saturation * part)}% ${(plain + (full - plain) * part).toFixed(1)}%)`;
}
