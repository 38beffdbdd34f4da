// SPDX-License-Identifier: MIT
// time_axis.js - paints the axis of a span of time.
import { sharpContext, styleColour } from "./dom.js";
import { niceStep, seconds } from "./format.js";

export function paintAxis(canvas, from, until) {
	const { context, width } = sharpContext(canvas);
	const all = until - from;
	if (!(all > 0) || !width) return;
	const step = niceStep((all * 90) / width);
	context.fillStyle = styleColour("--ink-soft");
	context.font = "11px system-ui, sans-serif";
	for (let at = Math.ceil(from / step - 1e-9) * step; at <= until + step / 1e6; at += step) {
		const x = ((at - from) / all) * width;
		context.textAlign = x < 30 ? "left" : x > width - 30 ? "right" : "center";
		context.fillRect(Math.min(width - 1, x), 0, 1, 4);
		context.fillText(seconds(at, step), x, 16);
	}
}
