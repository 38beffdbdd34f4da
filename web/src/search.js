// SPDX-License-Identifier: MIT
// search.js - finds the functions that a word matches: part of their name or object, or /a regular expression/.

/** Returns a test for texts, or null if the word is empty. An invalid regular expression is searched for literally. */
export function matcher(word) {
	const pattern = /^\/(.+)\/$/.exec(word);
	if (pattern) {
		try {
			const expression = new RegExp(pattern[1], "i");
			return (text) => expression.test(text);
		} catch {
			// The expression is still being typed.
		}
	}
	const plain = word.toLowerCase();
	return plain ? (text) => text.toLowerCase().includes(plain) : null;
}

/** Returns a mark for each function of a model, and for each of its threads; null without a search. */
export function findMatches(model, word) {
	const test = matcher(word.trim());
	if (!test) return null;
	const marks = new Uint8Array(model.functions.length + model.threads.length);
	for (let fn = 0; fn < marks.length; fn++) marks[fn] = test(model.name(fn)) || test(model.whole(fn)) || test(model.object(fn)) ? 1 : 0;
	return marks;
}
