#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_times.py DWELL PROGRAMS - the times that `dwell calls` reports are those that were spent.

Nothing here is compared with a time written down beforehand, which a busy machine would not keep. The functions of
sees_times measure each of their calls from inside, and their caller from outside, by CLOCK_MONOTONIC; the time that
dwell reports must lie between the two. That holds for each call, however long it was interrupted, since the three
intervals lie within each other; so it holds for sums, for the smallest and the largest, and for each percentile.
Allowed beyond that:

    CLOCK   dwell may read another clock than the program; while the time daemon corrects one of
            them, they differ by up to 500 ppm
    EDGE    dwell takes off what its own work costs, by an estimate a call: one for the call itself, and one for
            each of those that it makes. Calls that take long have their CPU time measured as well, by two system
            calls each. The function's own clock goes on through all that work, for as long as the
            program sees between the inside and the outside of the calls that it makes: that time is not the function's
    BIN     a percentile comes from a histogram
"""
import math
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_recording import OURS, VIAS, Recording, program, run, text  # noqa: E402
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

CLOCK = 0.001
EDGE_NS = 50
BIN = 0.02
LONGEST_NS = 20000  # of what `sees_times varied` calls
RUNS = 12
WAITING = 0.05
PERCENTILES = (("p50_ns", 0.50), ("p90_ns", 0.90), ("p99_ns", 0.99))


class Times:
    """One run of sees_times: its own measurements, and the report."""

    def __init__(self, what, *options, via="audit"):
        self.recording = Recording(program("sees_times"), what, options=["-f", OURS, "--via", via, *options])
        self.title = " ".join([what, "--via", via, *options])
        self.inside, self.outside, self.own, self.wall = {}, {}, {}, 0
        for line in text(self.recording.run.stdout).splitlines():
            kind, *fields = line.split()
            if kind == "call":
                self.inside.setdefault(fields[0], []).append(int(fields[1]))
                self.outside.setdefault(fields[0], []).append(int(fields[2]))
            elif kind == "own":
                self.own[fields[0]] = int(fields[1])
            else:
                self.wall = int(fields[0])

    def ok(self, holds, what):
        ok(holds, f"{self.title}: {what}")

    def row(self, symbol):
        return self.recording.row(symbol)


def between(what, low, found, high, calls=1, slack=CLOCK):
    """Returns true if found lies between low and high, give or take the tolerance for that many calls."""
    fine = found is not None and low * (1 - slack) - calls * EDGE_NS <= found <= high * (1 + slack) + calls * EDGE_NS
    if not fine:
        note(f"{what}: {found} is not between {low} and {high}")
    return fine


def figure(row, key):
    """Returns that cell, or a number that is wrong everywhere."""
    value = row.get(key)
    return -1 if value is None else value


def in_order(row):
    values = [row.get(key) for key in ("min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns")]
    fine = None not in values and values == sorted(values)
    if not fine:
        note(f"{row.get('symbol')}: {values}")
    return fine


def percentile(values, part, shift):
    """Returns the value at that rank of the sorted ones, or at its neighbour: there are two ways to round."""
    rank = math.ceil(part * len(values)) - 1 + shift
    return sorted(values)[min(max(rank, 0), len(values) - 1)]


def percentiles_hold(times, symbol, calls_within=0):
    row, fine = times.row(symbol), True
    for key, part in PERCENTILES:
        low = percentile(times.inside[symbol], part, -1)
        high = percentile(times.outside[symbol], part, +1)
        fine &= between(f"{symbol} {key}", low, row.get(key), high, 1 + calls_within, slack=BIN)
    return fine


def one_function(times, symbol, calls_within=0):
    """Checks one function; calls_within is the number of wrapped calls that each of its calls makes."""
    row, inside, outside = times.row(symbol), times.inside[symbol], times.outside[symbol]
    count, each = len(inside), 1 + calls_within
    fine = row.get("calls") == count and row.get("returned") == count
    fine &= between(f"{symbol} total", sum(inside), row.get("total_ns"), sum(outside), count * each)
    fine &= between(f"{symbol} min", min(inside), row.get("min_ns"), min(outside), each)
    fine &= between(f"{symbol} max", max(inside), row.get("max_ns"), max(outside), each)
    fine &= between(f"{symbol} mean", sum(inside) / count, row.get("mean_ns"), sum(outside) / count, each)
    return fine and in_order(row)


def spins(via):
    times = Times("spins", via=via)
    for symbol in ("sees_short", "sees_long", "sees_mixed", "sees_sleep"):
        times.ok(one_function(times, symbol), f"{symbol}: total, min, max and mean are right")
        row = times.row(symbol)
        times.ok(row and row["self_ns"] == row["total_ns"], f"{symbol}: calls no chosen function, so all time is its own")
        times.ok(percentiles_hold(times, symbol), f"{symbol}: p50, p90 and p99 are within {BIN:.0%} of its calls'")
    self_time_is_real(times)


def self_time_is_real(times):
    """Checks that one thread has not spent more time than there was, however functions call each other."""
    total = sum(row["self_ns"] or 0 for row in times.recording.rows)
    times.ok(0 < total <= times.wall * (1 + CLOCK), "the self times of all functions add up to less than the wall time")


def net_of_calls(times, outer, inner):
    """Returns the time inside each call of outer, less what dwell may have taken for the calls of inner that it makes."""
    work = [outside - inside for inside, outside in zip(times.inside[inner], times.outside[inner])]
    each = len(work) // len(times.inside[outer])
    return [inside - sum(work[i * each:(i + 1) * each]) for i, inside in enumerate(times.inside[outer])]


def nested(via):
    times = Times("nested", via=via)
    times.inside["sees_outer"] = net_of_calls(times, "sees_outer", "sees_inner")
    outer, inner = times.row("sees_outer"), times.row("sees_inner")
    count = len(times.inside["sees_inner"])
    for symbol, within in (("sees_outer", count // len(times.inside["sees_outer"])), ("sees_inner", 0)):
        times.ok(one_function(times, symbol, within), f"{symbol}: total, min, max and mean are right")
        times.ok(percentiles_hold(times, symbol, within),
                 f"{symbol}: p50, p90 and p99 are within {BIN:.0%} of its calls'")
    rest = figure(outer, "total_ns") - figure(inner, "total_ns")
    # The difference is dwell's own work for each call of inner: it belongs to neither.
    times.ok(between("outer self", rest, outer.get("self_ns"), rest, count, slack=0),
             "the outer's self is its total less the inner's")
    times.ok(between("outer self", times.own["sees_outer"], outer.get("self_ns"),
                     sum(times.outside["sees_outer"]) - sum(times.inside["sees_inner"]), count),
             "that is what it worked itself, by its own account")
    times.ok(inner and inner["self_ns"] == inner["total_ns"], "the inner's self is its total")
    self_time_is_real(times)


def recursion(via):
    times = Times("recursion", via=via)
    row = times.row("sees_recurse")
    own, outside = times.own["sees_recurse"], sum(times.outside["sees_recurse"])
    times.ok(row.get("calls") == 300, "one that calls itself: each level is a call")
    times.ok(between("total", own, row.get("total_ns"), outside, 300), "its total is that of the outermost calls")
    times.ok(between("self", own, row.get("self_ns"), outside, 300),
             "its self is each level's own, and no time is counted twice")
    ping, pong = times.row("sees_ping"), times.row("sees_pong")
    own, outside = times.own["sees_ping"], sum(times.outside["sees_ping"])
    times.ok((ping.get("calls"), pong.get("calls")) == (150, 150), "two that call each other: each level is a call")
    times.ok(between("ping", own, ping.get("total_ns"), outside, 300), "the first's total is that of the outermost")
    # The outermost calls of pong lack the self time of the outermost calls of ping.
    times.ok(between("pong", figure(ping, "total_ns") - figure(ping, "self_ns"), pong.get("total_ns"), outside, 300),
             "so is the second's")
    times.ok(between("both", own, figure(ping, "self_ns") + figure(pong, "self_ns"), outside, 300),
             "their selves together are what they worked")
    times.ok(all([in_order(row), in_order(ping), in_order(pong)]), "min <= p50 <= p90 <= p99 <= max")
    self_time_is_real(times)


def wall_of(*options):
    times = Times("cheap", *options)
    return times.wall, times.row("sees_add")


def plain_wall():
    output = text(run(program("sees_times"), "cheap").stdout)
    return int(output.split()[1])


def cheap():
    """Checks a million calls of an almost empty function: dwell's overhead for them is more than the function
    takes, and must not be reported as the function's time."""
    wall, row = wall_of()
    ok(figure(row, "calls") == figure(row, "returned") == 1000000, "a million calls are counted, all of them")
    ok(0 <= figure(row, "self_ns") <= wall, "they took no longer than the loop that made them")
    ok(row.get("self_ns") == row.get("total_ns") and in_order(row), "and their figures agree")

    def nearer_to_the_truth():
        plain, (wall, row) = plain_wall(), wall_of()
        note(f"plain {plain / 1e6:.1f} ns a call, under dwell {wall / 1e6:.1f}, it says {row.get('mean_ns')}")
        reported = figure(row, "total_ns")
        return reported >= 0 and plain < wall and abs(reported - plain) < abs(reported - wall)

    def only_counting_is_cheaper():
        counting, timing = wall_of("--count")[0], wall_of()[0]
        note(f"counting {counting / 1e6:.1f} ns a call, timing {timing / 1e6:.1f}")
        return counting < timing

    def sampling_is_cheaper():
        sampling, timing = wall_of("--sample-timing")[0], wall_of()[0]
        note(f"sampling {sampling / 1e6:.1f} ns a call, timing {timing / 1e6:.1f}")
        return sampling < timing

    # Statistical, because the two runs may meet with different luck on a busy machine.
    ok_in_three(nearer_to_the_truth, "the reported time is nearer to that without dwell than to that under it")
    ok_in_three(only_counting_is_cheaper, "--count costs less")
    ok_in_three(sampling_is_cheaper, "--sample-timing costs less")


def varied():
    times = Times("varied")
    ok(one_function(times, "sees_varied"), "times from 1 to 20 us: total, min, max and mean are right")
    ok(percentiles_hold(times, "sees_varied"), f"p50, p90 and p99 are within {BIN:.0%} of its calls'")


def beyond_the_inside():
    """Returns the time per call that dwell counts beyond the function's own measurement: getting there and back. It
    is the least of three runs in which all calls are timed, so the one that was interrupted least."""
    found = []
    for _ in range(3):
        times = Times("varied")
        inside = times.inside["sees_varied"]
        found.append(figure(times.row("sees_varied"), "mean_ns") - sum(inside) / len(inside))
    return min(found)


def errors_of_sampling():
    """Returns, for each run, by how many of its stated standard errors the mean misses that of all calls. Leaves
    out runs in which a call was interrupted for long: a handful of calls that are a thousand times as long as the
    others have a mean that no sample can estimate, and no standard error either."""
    errors, beyond = [], beyond_the_inside()
    for _ in range(5 * RUNS):
        times = Times("varied", "--sample-timing")
        row, inside = times.row("sees_varied"), times.inside["sees_varied"]
        if max(inside) > 10 * LONGEST_NS:
            continue
        missed_by, error = figure(row, "mean_ns") - sum(inside) / len(inside) - beyond, figure(row, "stderr_ns")
        errors.append(missed_by / error if error > 0 else math.inf)
        if len(errors) == RUNS:
            break
    return errors


def stated_error_holds():
    """Checks the mean square of the errors, which is 1 where the stated error is right; with 12 errors, it exceeds
    2.4 by chance once in 240 times. Returns None if the machine is too busy to tell."""
    errors = errors_of_sampling()
    note("misses, in standard errors: " + " ".join(f"{error:.1f}" for error in errors))
    if len(errors) < RUNS:
        return None
    return sum(error * error for error in errors) / len(errors) < 2.4


def mean_of_sample(what):
    first = [stated_error_holds()]
    if first[0] is None:
        skip(what, "the machine is too busy to run a program undisturbed for a hundredth of a second")
    else:
        ok_in_three(lambda: first.pop() if first else stated_error_holds(), what)


def sampled():
    times = Times("varied", "--sample-timing")
    row = times.row("sees_varied")
    ok(row.get("calls") == 2000, "--sample-timing: counts are exact")
    ok(figure(row, "returned") > 0 and figure(row, "returned") + figure(row, "untimed") == 2000,
       "each call is timed or not")
    ok(in_order(row), "min <= p50 <= p90 <= p99 <= max")
    mean_of_sample("the mean is as near to that of all calls as the stated standard error says")
    _, row = wall_of("--sample-timing")
    ok(row.get("calls") == 1000000 and 0 < figure(row, "returned") < 1000000,
       "of a million cheap calls, some are timed")


def waiting(way):
    """Compares the share of waiting with the program's own CPU time and wall time of the same calls. All of these take
    milliseconds, so each is measured, and both see the same interruptions; what the program does between its clock and
    the calls, and a preemption there, must stay below WAITING of the whole."""
    recording = Recording(program("sees_waits"), options=["-f", "poll,read,qsort", "--via", way])
    own = {name: (int(calls), 1 - int(cpu) / int(wall)) for name, calls, wall, cpu in
           re.findall(r"^wait (\S+) (\d+) (\d+) (\d+)$", text(recording.run.stdout), re.M)}
    rows = {name: recording.row(name) for name in own}
    found = {name: row.get("waiting") for name, row in rows.items()}
    note(f"waiting: {found}, own {own}")
    return len(own) == 3 and all(
        found[name] is not None and abs(found[name] - share) <= WAITING and rows[name]["watched"] >= calls - 1
        and abs(rows[name]["cpu_ns"] - rows[name]["total_ns"] * (1 - found[name])) <= 1e-3 * rows[name]["total_ns"]
        for name, (calls, share) in own.items()) and found["poll"] > found["qsort"]


def sorted_by_cpu():
    """Checks that what works comes before what waits."""
    recording = Recording(program("sees_waits"), options=["-f", "poll,qsort"], report=["--sort", "cpu"])
    order = sorted(recording.rows, key=lambda row: -row["cpu_ns"])
    ok(len(order) == 2 and recording.rows == order, "--sort cpu: by the total without waiting")


for way in VIAS:
    ok_in_three(lambda: waiting(way), f"--via {way}: the share of waiting is that of the program's own clocks")
    spins(way)
    nested(way)
    recursion(way)
cheap()
varied()
sampled()
sorted_by_cpu()
done()
