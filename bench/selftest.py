#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""selftest.py BUILD_DIR - tests the output of the benchmark: tables, verdicts, plots, RESULTS.md; and one part of
it with next to nothing to do. Asserts no times. Prints TAP."""
import contextlib
import io
import os
import struct
import sys
import tempfile
import xml.etree.ElementTree as trees

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tests")]

import accuracy  # noqa: E402
import plot  # noqa: E402
import record_tools  # noqa: E402
import results  # noqa: E402
from calls_cost import CallsCost  # noqa: E402
from running import Notes, Refused, Tool, run  # noqa: E402
from table import render, spread  # noqa: E402
from tap import done, note, ok  # noqa: E402
from verdict import UNEXPLAINED, number, verdict  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def tables():
    ok(spread([3, 1, 2]) == "2.0 (1.0 .. 3.0)", "a figure is its median and its range")
    lines = render(["a", "b", "c"], [["one", "1", "22"], ["other", "a reason that is longer than its column"]]).splitlines()
    ok(lines[:3] == ["| a     | b |  c |", "| ----- | : | -: |", "| one   | 1 | 22 |"], "columns are as wide as what is in them")
    ok(lines[3].startswith("| other | a reason"), "a row with a reason needs no column")
    ok([number(n) for n in (12345.6, 12.34, 1.234, 0.0123, 0)] == ["12,346", "12.3", "1.23", "0.012", "0.00"],
       "numbers have as many digits as say something")


def verdicts():
    ours, peer = {"dwell x": [10, 11, 12]}, {"peer": [20, 21, 22]}
    ok(verdict("w", ours | peer, "ns", "Because.") == "* **Best**, w: dwell x, 11.0 ns; the next is peer, 21.0 ns, 1.91 x.",
       "dwell is best, and by how much")
    line = verdict("w", {"dwell x": [30]} | peer, "ns", "Because.")
    ok(line == "* **Not best**, w: best is peer, 21.0 ns; dwell x, 30.0 ns, 1.43 x. Because.", "it is not, and why")
    ok(verdict("w", {"dwell x": [30]} | peer, "ns").endswith(UNEXPLAINED), "it is not best, and no reason is known")
    ok("As good" in verdict("w", {"dwell x": [21.9]} | peer, "ns", "Because."), "less than 5 % apart is as good")
    ok("As good" in verdict("w", {"dwell x": [0, 0], "peer": [-1e-5, -2e-5]}, "bytes"), "nothing costs less than nothing")
    ok(verdict("w", {"dwell x": [15, 22, 40], "peer": [12, 18, 30]}, "ns") == "* **Ranges overlap**, w: dwell x, 22.0 ns; peer, 18.0 ns.",
       "ranges overlap where each median is in the other's range")
    ok("Not best" in verdict("w", {"dwell x": [20, 22, 24], "peer": [12, 18, 30]}, "ns"), "but not where only one is")
    ok("No peer" in verdict("w", ours | {"peer": []}, "ns"), "a peer that was not measured is none")
    ok(verdict("w", peer, "ns") == "", "nothing is said where none of ours was measured")
    ok(" x" not in verdict("w", {"dwell x": [5], "peer": [-1]}, "ns", "Because.").split("dwell x")[1].split(".")[1],
       "no ratio to less than nothing is printed")


def plots():
    some = plot.Plot("a <title> & more", "x", "y")
    for x in (1, 10, 1000):
        some.add("dwell calls", x, 2 * x)
        some.add("peer <b>", x, 3 * x)
    some.add("peer <b>", 100, 0)
    tree = trees.fromstring(plot.render(some))
    texts = [one.text for one in tree.iter(SVG + "text")]
    lines = {one.get("stroke"): one.get("points").split() for one in tree.iter(SVG + "polyline")}
    ok("a <title> & more" in texts and "peer <b>" in texts, "names are written as they are")
    ok(sorted(map(len, lines.values())) == [3, 3], "values without a logarithm are left out")
    points = [tuple(map(float, point.split(","))) for line in lines.values() for point in line]
    ok(all(plot.LEFT <= x <= plot.WIDTH - plot.RIGHT and plot.TOP <= y <= plot.HEIGHT - plot.BOTTOM for x, y in points),
       "all points are within the axes")
    heights = [y for _, y in points[:3]]
    ok(heights == sorted(heights, reverse=True), "larger values are higher up")
    apart = sorted(plot.spread_out([50, 51, 52, 52], 10, 400))
    ok(all(b - a >= plot.NAME_STEP for a, b in zip(apart, apart[1:])), "names do not lie upon each other")
    apart = sorted(plot.spread_out([400, 400, 399], 10, 400))
    ok(apart[-1] <= 400 and apart[0] == 400 - 2 * plot.NAME_STEP, "nor below the axis")
    some.least_y = 10
    tree = trees.fromstring(plot.render(some))
    ok(sorted(len(one.get("points").split()) for one in tree.iter(SVG + "polyline")) == [2, 2], "nor is noise drawn")
    try:
        plot.render(plot.Plot("t", "x", "y"))
        ok(False, "nothing cannot be drawn")
    except ValueError:
        ok(True, "nothing cannot be drawn")


def files():
    order = ["one", "two"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "RESULTS.md")
        results.replace(path, "CPU: a\n", "two", "## Two\n\n* **Best**, w: dwell.\n", order)
        results.replace(path, "CPU: a\n", "one", "## One\n\n* **Not best**, v: peer. Because.\n", order)
        results.replace(path, "CPU: a\n", "two", "## Two\n\n* **Best**, u: dwell.\n", order)
        facts, sections = results.read(path)
        ok(facts == "CPU: a\n" and list(sections) == order, "sections have their order, whichever was measured first")
        ok("u: dwell" in sections["two"] and "w: dwell" not in sections["two"], "a part that is run again replaces its section")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        ok("dwell is best in 1 of 2 compared figures, as good as the best in 0, not best in 1; in 0 the ranges overlap" in text, "verdicts are counted")
        ok("- [one](#one) v: peer. Because." in text, "and listed at the top")
        results.replace(path, "CPU: b\n", "one", "## One\n", order)
        facts, sections = results.read(path)
        ok(facts == "CPU: a\n" and "another machine:\n\n```\nCPU: b\n```" in sections["one"] and "another" not in sections["two"],
           "figures of another machine say so")
        results.replace(path, "CPU: b\n", "two", "## Two\n", order)
        facts, sections = results.read(path)
        ok(facts == "CPU: b\n" and list(sections) == order and not any("another" in text for text in sections.values()),
           "until all are of that machine")


def truth():
    ok(accuracy.distance(accuracy.SHARES, accuracy.SHARES) == 0, "the truth has distance 0 from itself")
    ok(abs(accuracy.distance({"share_40": 7, "other": 100}, accuracy.SHARES) - 0.6) < 1e-9,
       "all in one function is as far as the others are large")
    ok(abs(accuracy.expected_distance(10_000) - 0.009) < 0.0005, "10,000 samples are 0.009 off by noise alone")
    with tempfile.NamedTemporaryFile() as file:
        file.write(struct.pack("<5Q", 0, 3, 0, 1000, 0) + struct.pack("<4Q", 7, 2, 0x10, 0x20) + struct.pack("<3Q", 0, 1, 0))
        file.flush()
        ok(record_tools.gperftools_stacks(file.name) == [(7, (0x10, 0x20))], "a file of gperftools is read")


def in_turn(results):
    result = next(results)
    if isinstance(result, Exception):
        raise result
    return result


def refusals():
    def reason(*arguments, **more):
        try:
            run(*arguments, **more)
        except Refused as refused:
            return str(refused)
        return ""

    ok("no-such-program" in reason(["no-such-program"]), "a tool that is not there is a reason")
    ok(reason(["sh", "-c", "echo no >&2; exit 3"]) == "no", "the message of a tool that fails is a reason")
    ok("not done" in reason(["sleep", "60"], longest_s=0.1), "so is that it takes too long")
    environment = dict(os.environ, LD_PRELOAD="/no/such/library.so")
    ok("/no/such/library.so" in reason(["true"], environment), "and a library that cannot be preloaded, which the linker ignores")
    notes = Notes()
    notes.take("key", run, ["no-such-program"])
    notes.take("key", lambda: ok(False, "after a refusal it is let alone"))
    ok(not notes.of("key") and "no-such-program" in notes.reason("key"), "and the row says it")
    results = iter([10, Refused("not now"), 30])
    for plain in (1, 2, 3):
        notes.take("plain", lambda: plain)  # pylint: disable=cell-var-from-loop
        notes.take("tool", in_turn, results)
    ok(notes.pairs("plain", "tool") == [(1, 10), (3, 30)], "a missing value leaves out its round on both sides")
    written = Tool("a tool", ("sh", "-c", "printf 12345 >FOLDER/file; echo HZ")).run([], 99)
    ok(written.written == 5 and written.output == "99\n", "a tool has a folder and a rate")


def one_part(build):
    part = CallsCost(build)
    part.tools = [tool for tool in part.tools if tool.name in ("plain", "dwell calls", "dwell calls --count")]
    for tool in part.tools:
        tool.calls, tool.few_and_many = 4000, (4000, 8000)
    part.one_round()
    part.finish()
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        part.print_tables()
    text = said.getvalue()
    firsts = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")]
    whole = all(firsts.count(name) == 3 for name in ("dwell calls", "dwell calls --count"))
    if not ok(whole and not part.notes.reasons and "No peer" in text, "a part is measured, and makes its tables"):
        note(f"{part.notes.reasons}\n{text}")


tables()
verdicts()
plots()
files()
truth()
refusals()
one_part(os.path.abspath(sys.argv[1]))
done()
