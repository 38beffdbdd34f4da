// SPDX-License-Identifier: MIT
// format.js - formats numbers for people, as the reports of dwell do.

/** Formats a duration in nanoseconds with three significant digits and its unit: "999 ns", "12.3 us", "1.20 s". */
export function time(ns) {
	if (ns === 0) return "0";
	const units = ["ns", "us", "ms", "s"];
	let value = Math.abs(ns);
	let unit = 0;
	for (; unit < 3 && value >= 999.5; unit++) value /= 1000;
	// Clocks have no fractions of a nanosecond; those of a mean are worth one digit.
	const digits = unit === 0 && value < 9.995 ? 1 : value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	return `${ns < 0 ? "-" : ""}${fixed(value, digits)} ${units[unit]}`;
}

/** Rounds to a number of decimals; halves are rounded to even, as by C's printf(). */
function fixed(value, digits) {
	const scaled = value * 10 ** digits;
	const below = Math.floor(scaled);
	return scaled - below === 0.5 && below % 2 === 0 ? (below / 10 ** digits).toFixed(digits) : value.toFixed(digits);
}

/** Formats a count with separators between thousands. */
export function count(number) {
	return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** The event that samples count, in place of time; null: time. */
let event = null;

/** Chooses what amount() formats. */
export function countEvent(name) {
	event = name ?? null;
}

/** Formats what samples stand for: a duration, or a count of events. */
export function amount(value) {
	return event === null ? time(value) : `${value < 0 ? "-" : ""}${count(Math.abs(value))}`;
}

/** Returns whether amounts count an event. */
export function isEvent() {
	return event !== null;
}

/** Returns what the whole of amounts is called. */
export function whole() {
	return event === null ? "time" : event;
}

/** Formats a part of a whole in per cent; of nothing: "-". */
export function share(part, whole) {
	return whole ? `${fixed((100 * part) / whole, 1)}%` : "-";
}

/** Formats a difference, always with its sign. */
export function signed(value, write) {
	return value > 0 ? `+${write(value)}` : value < 0 ? `−${write(-value)}` : write(0);
}

/** Formats seconds of a run, as precisely as a step between them requires. */
export function seconds(value, step) {
	const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(step))));
	return `${value.toFixed(digits)} s`;
}

/** Returns a step of an axis near a wanted one: 1, 2 or 5 times a power of ten. */
export function niceStep(wanted) {
	const power = 10 ** Math.floor(Math.log10(wanted));
	const rest = wanted / power;
	return power * (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10);
}
