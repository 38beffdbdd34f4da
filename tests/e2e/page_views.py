#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_views.py DWELL PROGRAMS SCREENSHOTS - the state of a page is in its address, and its call tree has the figures
of `dwell report`, in a real browser."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import browser  # noqa: E402
from page_window import SEARCH, opened, pictures, rows_of, show  # noqa: E402
from sampled import DWELL, program, run  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

SCREENSHOTS = os.path.abspath(sys.argv[3])
HASH = "return location.hash.slice(1)"


def report(data, *options):
    return json.loads(run(DWELL, "report", data, "--format", "json", *options).stdout)


def record(folder):
    data, page = (os.path.join(folder, name) for name in ("views.data", "views.html"))
    run(DWELL, "record", "-q", "-F", "2000", "--calls", "libc.so*:qsort", "-o", data, "--", program("page_target"), "0.2")
    run(DWELL, "html", "-o", page, data)
    return data, page


# ---- regions ----

CHOOSE = "const s = document.getElementById('region'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))"
SHOWN = "return [dwell.state.weights[0].all, dwell.state.weights[0].allSamples, document.getElementById('region').value]"


def regions(window, folder):
    """Checks that a region of the program selects the samples that --region does, in the address as well."""
    data, page = (os.path.join(folder, name) for name in ("regions.data", "regions.html"))
    run(DWELL, "record", "-q", "-F", "2000", "-o", data, "--", program("record_regions"), 20)
    run(DWELL, "html", "-o", page, data)
    opened(window, page)
    options = window.run("return [...document.getElementById('region').options].map((option) => option.value)")
    ok(options == ["", *sorted(row["name"] for row in report(data, "--by", "region")["samples"] if row["name"] != "[no region]"),
                   "[no region]"], "the page lists the regions of the report")
    for name in ("parse", "db:query", "[no region]"):
        window.run(CHOOSE, name)
        rows = report(data, "--region", name, "--limit", "0")["samples"]
        wanted = [sum(row["self_ns"] for row in rows), sum(row["self"] for row in rows), name]
        note(wanted)
        ok(window.run(SHOWN) == wanted, f"{name}: samples are those of report --region")
    window.run(CHOOSE, "parse")
    window.wait("return location.hash.includes('region=parse')")
    state = window.run(SHOWN)
    opened(window, page, window.run(HASH))
    ok(window.run(SHOWN) == state and state[1], "a link shows the same region, in the view that a page begins with")
    window.run(CHOOSE, "")
    ok(window.run("return dwell.state.weights[0].allSamples === dwell.model.recordings[0].sampleCount"), "and all of them again")
    opened(window, page, "flame?region=nothing")
    ok(window.run(SHOWN)[2] == "" and window.run(SHOWN)[1], "an unknown region in a link is ignored")


# ---- the address ----

STATE = """
const v = { ...dwell.state.values };
v.selections = v.selections.map(({ span, threads, state }) => [span, threads && [...threads], state]);
return JSON.stringify(v);
"""


def address(window, page):
    """Checks that each control writes the address, that a link shows the same, and that back and forward work."""
    opened(window, page)
    show(window, "functions")
    window.click(".table-head [data-key='total'] button")
    ok(window.run(HASH) == "functions?sort-functions=-total", "view and order are in the address")
    window.run(SEARCH, "part")
    window.wait("return location.hash.includes('q=part')")
    ok(True, "so is a search")
    left, top, width, _ = window.box(".time-canvas canvas")
    window.mouse(("move", left + 2, top + 10), ("down",), ("move", left + width / 4, top + 10), ("up",))
    window.wait("return location.hash.includes('span=')")
    window.click(".time-labels button:first-child")
    window.wait("return location.hash.includes('thread=')")
    ok(True, "a span of time and a thread")
    link, state, shown = window.run(HASH), window.run(STATE), rows_of(window)
    opened(window, page, link)
    note(link)
    ok(window.run(STATE) == state and rows_of(window) == shown and shown, "a link shows the same rows")
    ok(window.run("return document.getElementById('search').value") == "part", "and the word of the search")
    window.run("location.reload()")
    window.wait("return Boolean(window.dwell)")
    ok(window.run(STATE) == state and window.run(HASH) == link, "so does a reload")


def history(window, page):
    opened(window, page)
    number = window.run("return dwell.model.functions.findIndex((f) => f.name === 'shared_part')")
    window.focus("canvas.flame")
    window.keys("Down", "Down", "Enter")
    zoomed, there = window.run("return [dwell.shown.zoomed, location.hash]")
    show(window, f"function/{number}")
    window.run("dwell.state.change({ inverted: true })")
    window.run("history.go(-2)")
    window.wait("return dwell.state.get('view') === 'flame'")
    ok(window.run("return [dwell.shown.zoomed, location.hash]") == [zoomed, there] and zoomed, "back leads to the zoom that was left")
    window.run("history.back()")
    window.wait("return dwell.shown.zoomed === 0")
    ok(True, "and before it")
    window.run("history.go(2)")
    window.wait("return dwell.state.get('view') === 'function'")
    ok(window.run("return dwell.state.get('fn')") == number and window.text("h2") == "shared_part", "forward leads there again")
    window.run(SEARCH, "a")
    window.wait("return location.hash.includes('q=a')")
    before = window.run("return history.length")
    window.run(SEARCH, "ab")
    window.wait("return location.hash.includes('q=ab')")
    ok(window.run("return history.length") == before, "a word that is typed is one entry")
    opened(window, page, "function/99999?zoom=1.2.x&span=9-1&thread=77&sort-functions=-nothing&focus=x&chart=99999")
    ok(window.run("return dwell.shown === dwell.views.flame.view") and window.complaints() == [], "an address of something else is harmless")


# ---- the call tree ----


def tree_rows(window):
    """Returns all rows, expanded or not: level, name, total."""
    return window.run(
        "const { shape } = dwell.state; return dwell.shown.table.rows.map((r) => "
        "[r.level - 1, dwell.model.name(shape.fn(r.node)), shape.total(r.node, 0), shape.self(r.node, 0)])")


def selected(window):
    return window.run("return document.querySelector('main .table-row[aria-selected=true] [data-key=function]')?.textContent")


def tree(window, page, data):
    opened(window, page, "stacks")
    due = {}
    way = []
    for row in report(data, "--tree", "--min", "0")["tree"]:
        way = way[: row["depth"]] + [row["name"]]
        due[tuple(way)] = (row["total_ns"], row["self_ns"])
    window.focus("main .table")
    window.keys("Home")
    for _ in range(400):
        at, count, closed = window.run("const t = dwell.shown.table; return [t.at, t.rows.length, "
                                       "document.querySelector('main .table-row[aria-selected=true]').getAttribute('aria-expanded') === 'false']")
        if at + 1 >= count and not closed:
            break
        window.keys(*(["Right"] if closed else []), "Down")
    found, way = {}, []
    for level, name, total, own in tree_rows(window):
        way = way[:level] + [name]
        found[tuple(way)] = (total, own)
    note(f"{len(found)} rows, {len(due)} in the report")
    ok(found == due and found, "expanded by keys, it is the tree of dwell report --tree")
    row = window.run("return [...document.querySelector('main .table-row[aria-selected=true]').attributes].map((a) => a.name)")
    ok({"aria-level", "aria-posinset", "aria-setsize"} <= set(row), "rows have the attributes of a treegrid")
    window.keys("Home")
    count = len(tree_rows(window))
    window.keys("Left")
    ok(len(tree_rows(window)) < count and selected(window) == next(iter(due))[0], "left collapses a row")
    window.keys("Right", "Right")
    ok(window.run("return dwell.shown.table.rows[dwell.shown.table.at].level") == 2, "right expands it, and moves into it")
    window.keys("Left", "Left")
    ok(window.run("return dwell.shown.table.at") == 0, "left moves to the parent")
    window.keys("*")
    hottest = selected(window)
    ok(window.run("return dwell.shown.table.rows[dwell.shown.table.at].level") > 3 and "row=" in window.run(HASH), "* follows the hottest path")
    link = window.run(HASH)
    opened(window, page, link)
    ok(selected(window) == hottest, "and a link leads to the same row")
    window.focus("main .table")
    window.keys("Enter")
    window.wait("return dwell.state.get('view') === 'function'")
    ok(window.text("h2") == hottest, "Enter opens its function")


def bottom_up(window, page, data):
    opened(window, page, "stacks")
    window.click(".tree-view .tools .toggle:nth-child(2)")
    due = sorted(([row["name"], row["self_ns"]] for row in report(data)["samples"] if row["self"]), key=lambda row: -row[1])
    found = [[name, own] for level, name, _, own in tree_rows(window) if level == 0]
    ok(sorted(found) == sorted(due), "bottom up: functions with their self times")
    ok([own for _, own in found] == sorted((own for _, own in found), reverse=True), "the largest first")
    # The hottest one is open; a click on its triangle closes it, another opens it again.
    name = found[0][0]
    for expected in ([], [1]):
        window.run("document.querySelector('main .table-row .twisty').click()")
        levels = {row[0] for row in tree_rows(window)[1:2]} - {0}
        ok(levels == set(expected), "the mouse collapses and expands a row")
    window.run("const t = dwell.shown.table; t.go(t.rows.findIndex((r) => dwell.model.name(dwell.state.shape.fn(r.node)) === 'shared_part'))")
    window.focus("main .table")
    window.keys("Right")
    rows = tree_rows(window)
    place = next(i for i, row in enumerate(rows) if row[0] == 0 and row[1] == "shared_part")
    end = next((i for i in range(place + 1, len(rows)) if rows[i][0] == 0), len(rows))
    note(f"{name} first; {rows[place:end]}")
    ok(sorted(row[1] for row in rows[place:end] if row[0] == 1) == ["early", "late"], "callers are below them")
    window.run(SEARCH, "early")
    ok("of time matches" in window.text(".found") and "early" in window.texts("main mark"), "a search marks rows")
    window.run(SEARCH, "")
    ok(window.complaints() == [], "no complaints")


def main():
    if browser.missing():
        skip("the page in a browser", browser.missing())
        return
    with tempfile.TemporaryDirectory() as folder:
        data, page = record(folder)
        with browser.Browser() as window:
            address(window, page)
            history(window, page)
            tree(window, page, data)
            bottom_up(window, page, data)
            regions(window, folder)
            pictures(window, SCREENSHOTS, "views", ["stacks"])


if __name__ == "__main__":
    main()
    done()
