# SPDX-License-Identifier: MIT
"""verdict.py - names the best tool of a comparison, and the reason if that is not dwell.

A reason is given beforehand, for what is known; it is printed only where dwell has turned out not to be best.
"""
from statistics import median

AS_GOOD = 1.05  # a lesser ratio counts as equal
OURS = ("dwell", "libprofil")  # how the names of our contenders begin
BEST, AS_BEST, OVERLAP, NOT_BEST, ALONE = "Best", "As good as the best", "Ranges overlap", "Not best", "No peer"
KINDS = (BEST, AS_BEST, OVERLAP, NOT_BEST, ALONE)
UNEXPLAINED = "The reason is unknown, which is a bug."


def is_ours(name):
    return name.startswith(OURS)


def number(value):
    """With as many digits as say something."""
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if size >= 0.1 or not size else f"{value:.2g}"


def within(value, values):
    return min(values) <= value <= max(values)


def about_equal(a, b):
    """Returns whether two medians are less than 5 % apart. A figure below 0 is noise, and counts as 0."""
    low, high = sorted((max(a, 0), max(b, 0)))
    return low == high or (low > 0 and high / low < AS_GOOD)


def overlap(a, b):
    """Returns whether each median lies in the range of the other."""
    return within(median(a), b) and within(median(b), a)


def times(worse, better):
    """Where the better one is nothing, or less by noise, no ratio says anything."""
    return f", {number(worse / better)} x" if better > 0 and worse > 0 else ""


def verdict(what, rivals, unit, why=""):
    """A line that names the best of `rivals`, {name: [value a round]}, where less is better. Empty: none of ours is there."""
    ours = {name: values for name, values in rivals.items() if is_ours(name) and values}
    peers = {name: values for name, values in rivals.items() if not is_ours(name) and values}
    if not ours:
        return ""
    our_name = min(ours, key=lambda name: median(ours[name]))
    our_value = median(ours[our_name])
    us = f"{our_name}, {number(our_value)} {unit}".rstrip()
    if not peers:
        return f"* **{ALONE}**, {what}: {us}; no peer could be measured."
    peer_name = min(peers, key=lambda name: median(peers[name]))
    peer_value = median(peers[peer_name])
    peer = f"{peer_name}, {number(peer_value)} {unit}".rstrip()
    if about_equal(our_value, peer_value):
        return f"* **{AS_BEST}**, {what}: {us}; {peer}, less than 5 % apart."
    if overlap(ours[our_name], peers[peer_name]):
        return f"* **{OVERLAP}**, {what}: {us}; {peer}."
    if our_value < peer_value:
        return f"* **{BEST}**, {what}: {us}; the next is {peer}{times(peer_value, our_value)}."
    return f"* **{NOT_BEST}**, {what}: best is {peer}; {us}{times(our_value, peer_value)}. {why or UNEXPLAINED}"


def verdicts(*lines):
    """Returns the lines that are not empty, as a list, with an empty line before it."""
    said = [line for line in lines if line]
    return "\n" + "\n".join(said) if said else ""
