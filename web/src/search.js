// SPDX-License-Identifier: MIT
// search.js - which functions a word matches: part of their name or object, or /a regular expression/.

/** A test of texts; null: the word is empty. What is no regular expression is looked for as it stands. */
export function matcher(word) {
	const pattern = /^\/(.+)\/$/.exec(word);
	if (pattern) {
		try {
			const expression = new RegExp(pattern[1], "i");
			return (text) => expression.test(text);
		} catch {
			// It is being typed.
		}
	}
	const plain = word.toLowerCase();
	return plain ? (text) => text.toLowerCase().includes(plain) : null;
}

/** A mark for each function of a model, and for each of its threads; null: nothing is looked for. */
export function findMatches(model, word) {
	const test = matcher(word.trim());
	if (!test) return null;
	const marks = new Uint8Array(model.functions.length + model.threads.length);
	for (let fn = 0; fn < marks.length; fn++) marks[fn] = test(model.name(fn)) || test(model.object(fn)) ? 1 : 0;
	return marks;
}
