# SPDX-License-Identifier: MIT
"""plot.py - line plots as SVG: axes, lines with their names beside their ends, nothing else."""
import math
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from verdict import is_ours

WIDTH, HEIGHT = 760, 430
LEFT, RIGHT, TOP, BOTTOM = 78, 236, 44, 56  # margins; names of lines are in the right one
NAME_STEP = 17  # between the names of two lines

OUR_COLOURS = ["#0b5cad", "#3f9be0", "#123a63", "#7cc0f4"]
PEER_COLOURS = ["#d1495b", "#e08a1e", "#4f9d4f", "#7a5ab5", "#8c6d3f", "#6b7280", "#c2439e"]
PEER_DASHES = ["", "6 3", "2 3", "8 3 2 3"]


@dataclass
class Plot:
    title: str
    x_name: str
    y_name: str
    series: dict = field(default_factory=dict)  # name: [(x, y)]
    log_x: bool = True
    log_y: bool = True
    least_y: float = 0  # of a logarithmic axis: what is less is noise, and not drawn

    def add(self, name, x, y):
        self.series.setdefault(name, []).append((x, y))


def tick_text(value):
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def round_step(span, count):
    """A step of 1, 2 or 5 with zeroes that divides the span in about so many."""
    rough = span / count
    size = 10 ** math.floor(math.log10(rough))
    return next(step * size for step in (1, 2, 5, 10) if step * size >= rough)


class Axis:
    """From values to points between `begin` and `end`, by logarithms or not."""

    def __init__(self, values, is_log, begin, end):
        self.is_log, self.begin, self.end = is_log, begin, end
        if is_log:
            self.low = math.floor(math.log10(min(values)) + 1e-9)
            self.high = max(math.ceil(math.log10(max(values)) - 1e-9), self.low + 1)
            every = 1 + (self.high - self.low) // 8
            self.ticks = [10.0**power for power in range(self.low, self.high + 1, every)]
        else:
            self.low = min(0, *values) if len(values) > 1 else 0
            step = round_step((max(values) - self.low) or 1, 6)
            self.low = math.floor(self.low / step) * step
            self.high = math.ceil(max(values) / step) * step or step
            self.ticks = [self.low + i * step for i in range(round((self.high - self.low) / step) + 1)]

    def at(self, value):
        place = math.log10(value) if self.is_log else value
        return self.begin + (place - self.low) / (self.high - self.low) * (self.end - self.begin)


def text(x, y, words, anchor="start", **more):
    extra = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{escape(words)}</text>'


def line(x1, y1, x2, y2, colour):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def styles(names):
    """{name: (colour, dashes, width)}: ours are blue and thick."""
    ours, peers, found = 0, 0, {}
    for name in names:
        if is_ours(name):
            found[name] = (OUR_COLOURS[ours % len(OUR_COLOURS)], "", 3)
            ours += 1
        else:
            found[name] = (PEER_COLOURS[peers % len(PEER_COLOURS)], PEER_DASHES[peers % len(PEER_DASHES)], 1.6)
            peers += 1
    return found


def spread_out(places, low, high):
    """The same order, moved apart so that names do not lie upon each other."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    result = [0.0] * len(places)
    last = low - NAME_STEP
    for i in order:
        last = result[i] = max(places[i], last + NAME_STEP)
    limit = high
    for i in reversed(order):
        result[i] = min(result[i], limit)
        limit = result[i] - NAME_STEP
    return result


def frame(plot, x_axis, y_axis):
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = [text(LEFT, 24, plot.title, font_size="16", font_weight="bold")]
    for value in y_axis.ticks:
        y = y_axis.at(value)
        parts += [line(LEFT, y, right, y, "#e3e6ea"), text(LEFT - 8, y + 4, tick_text(value), "end")]
    for value in x_axis.ticks:
        x = x_axis.at(value)
        parts += [line(x, bottom, x, bottom + 5, "#444"), text(x, bottom + 20, tick_text(value), "middle")]
    parts += [line(LEFT, bottom, right, bottom, "#444"), line(LEFT, TOP, LEFT, bottom, "#444")]
    parts.append(text((LEFT + right) / 2, HEIGHT - 14, plot.x_name, "middle"))
    middle = (TOP + bottom) / 2
    parts.append(text(18, middle, plot.y_name, "middle", transform=f"rotate(-90 18 {middle:.1f})"))
    return parts


def curve(points, style):
    colour, dashes, width = style
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dashes}"/>'
    ]
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{width / 2 + 2:.1f}" fill="{colour}"/>' for x, y in points]
    return parts


def drawable(plot):
    """{name: points in order}, without what a logarithm has no place for."""
    found = {}
    for name, points in plot.series.items():
        kept = sorted(p for p in points if (p[0] > 0 or not plot.log_x) and (p[1] > plot.least_y or not plot.log_y))
        if kept:
            found[name] = kept
    return found


def render(plot):
    """SVG. Raises ValueError where there is nothing to be drawn."""
    series = drawable(plot)
    if not series:
        raise ValueError("there is nothing to draw")
    every = [point for points in series.values() for point in points]
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    x_axis = Axis([x for x, _ in every], plot.log_x, LEFT, right)
    y_axis = Axis([y for _, y in every], plot.log_y, bottom, TOP)
    style = styles(series)
    placed = {name: [(x_axis.at(x), y_axis.at(y)) for x, y in points] for name, points in series.items()}
    name_y = spread_out([points[-1][1] for points in placed.values()], TOP + 4, bottom)
    parts = frame(plot, x_axis, y_axis)
    for (name, points), y in sorted(zip(placed.items(), name_y), key=lambda one: is_ours(one[0][0])):  # ours on top
        parts += curve(points, style[name])
        x_end, y_end = points[-1]
        parts.append(f'<line x1="{x_end + 4:.1f}" y1="{y_end:.1f}" x2="{right + 12}" y2="{y:.1f}" '
                     f'stroke="{style[name][0]}" stroke-width="0.7" stroke-opacity="0.6"/>')
        parts.append(text(right + 16, y + 4, name, fill=style[name][0],
                          font_weight="bold" if is_ours(name) else "normal"))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">\n'
            '<rect width="100%" height="100%" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n")
