#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_charts.py DWELL PROGRAMS SCREENSHOTS - views of a page over time in a real browser: the stack chart, the heat map
and groups of threads, all with the samples of `dwell report`; the sandwich of a function; and what is taken away as text,
SVG, PNG and on paper."""
import base64
import json
import os
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import browser  # noqa: E402
from page_window import opened, pictures, show  # noqa: E402
from sampled import DWELL, program, run  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

SCREENSHOTS = os.path.abspath(sys.argv[3])
SPAN = "return dwell.state.get('selections')[0].span"
SAMPLES = "return dwell.state.weights[0].allSamples"


def report(data, *options):
    return json.loads(run(DWELL, "report", data, "--format", "json", *options).stdout)


def record(folder, name, *command):
    data, page = (os.path.join(folder, f"{name}{end}") for end in (".data", ".html"))
    run(DWELL, "record", "-q", "-F", "2000", "-o", data, "--", *command)
    run(DWELL, "html", "-o", page, data)
    return data, page


def samples_in(data, span):
    answer = run(DWELL, "report", data, "--format", "json", "--time", f"{span[0]:.6f}-{span[1]:.6f}")
    # A span without samples has no report.
    return json.loads(answer.stdout)["meta"]["samples_shown"] if answer.stdout else 0


# ---- the stack chart ----

AT = """
const { flame, canvas, model } = dwell.shown; const at = canvas.getBoundingClientRect();
const box = flame.boxes.filter((b) => model.name(model.tree.functions[b.node]) === arguments[0]).sort((a, b) => b.width - a.width)[0];
return [at.left + box.x + box.width / 2, at.top + box.row * 20 + 10, box.x, box.width];
"""


def chart(window, page, data):
    opened(window, page, "chart")
    tops = window.run("const { flame, model } = dwell.shown;"
                      "return flame.boxes.filter((b) => model.name(model.tree.functions[b.node]) === 'early' || "
                      "model.name(model.tree.functions[b.node]) === 'late').map((b) => [model.name(model.tree.functions[b.node]), b.x, b.x + b.width])")
    last = max(end for name, _, end in tops if name == "early")
    first = min(begin for name, begin, _ in tops if name == "late")
    note(f"{len(tops)} boxes, early until {last}, late from {first} pixels")
    ok(last <= first + 1, "the first call is on the left")
    thread = window.run("return dwell.shown.choice.selectedOptions[0].textContent")
    ok(thread.startswith("page_target"), "it is of the thread with most time")
    x, y, left, width = window.run(AT, "late")
    window.mouse(("move", x, y))
    ok(window.text(".tip .name") == "late" and "duration" in window.text(".tip .facts"), "pointing at a frame tells what it is, and how long")
    at = window.box("canvas.chart")
    window.mouse(("move", at[0] + 100, at[1] + 30), ("down",), ("move", at[0] + 300, at[1] + 30), ("up",))
    span = window.wait(SPAN)
    whole = window.run("return dwell.model.recordings[0].seconds")
    due = [whole * 100 / at[2], whole * 300 / at[2]]
    ok(all(abs(one - other) < whole / 300 for one, other in zip(span, due)), "a part that is dragged over is the selected span")
    found, wanted = window.run(SAMPLES), samples_in(data, span)
    ok(abs(found - wanted) <= 4, "for all views, with the samples of --time")
    window.wait("return location.hash.includes('span=')")
    window.focus("canvas.chart")
    window.keys("+")
    closer = window.run(SPAN)
    ok(span[0] < closer[0] < closer[1] < span[1], "+ shows less time")
    window.keys(("Shift", "Right"))
    ok(window.run(SPAN)[0] > closer[0], "Shift and an arrow move it")
    for _ in range(12):
        window.keys("-")
    ok(window.run(SPAN) is None, "- shows more, and at last all")
    window.keys("Down", "Down", "Down")
    chosen = window.run("return dwell.shown.chosen.row")
    window.keys("Enter")
    ok(chosen >= 1 and window.run(SPAN) is not None, "arrows choose a frame, Enter shows its time alone")
    window.run("dwell.state.change({ chart: 1 })")
    helper = window.run("return dwell.shown.choice.selectedOptions[0].textContent")
    ok("helper" in helper and "chart=1" in window.run("return location.hash"), "another thread is in the address")
    ok(window.complaints() == [], "no complaints")


# ---- the heat map ----


def heat(window, page, data):
    opened(window, page, "heat")
    total = window.run("return dwell.shown.maps[0].cells.reduce((a, b) => a + b)")
    due = report(data)["meta"]["samples_shown_ns"]
    ok(abs(total - due) <= due / 1e6, "all time of samples is in its cells")
    left, top, width, height = window.box(".heat-cells canvas")
    columns, rows, period = window.run("const { columns, rows, period } = dwell.shown.maps[0].grid; return [columns, rows, period]")
    cell = [width / columns, height / rows]
    # From the second cell of the second column to the last but one of the fourth.
    window.mouse(("move", left + 1.5 * cell[0], top + height - 1.5 * cell[1]), ("down",),
                 ("move", left + 3.5 * cell[0], top + 1.5 * cell[1]), ("up",))
    window.wait(f"return dwell.state.get('selections')[0].span?.[1] > {2 * period}")
    span = window.run(SPAN)
    due = [period + period / rows, 4 * period - period / rows]
    note(f"{span}, {due}")
    ok(all(abs(one - other) < 2e-6 for one, other in zip(span, due)), "a range of cells is the selected span")
    ok(abs(window.run(SAMPLES) - samples_in(data, span)) <= 4, "with the samples of --time")
    window.mouse(("move", left + 0.5 * cell[0], top + height - 0.5 * cell[1]))
    ok("0" in window.text(".tip .facts"), "pointing at a cell tells its time")
    window.focus(".heat-cells canvas")
    window.run("dwell.shown.maps[0].at = 0")
    window.keys("Right", ("Shift", "Right"), ("Shift", "Up"))
    span = window.run(SPAN)
    ok(abs(span[0] - period) < 2e-6 and abs(span[1] - (2 * period + 2 * period / rows)) < 2e-6, "the keyboard selects cells, too")
    window.keys("Escape")
    ok(window.run(SPAN) is None, "Escape shows all time")
    ok(window.complaints() == [], "no complaints")


# ---- the sandwich ----


def sandwich(window, page, data):
    opened(window, page)
    number = window.run("return dwell.model.functions.findIndex((f) => f.name === 'shared_part')")
    show(window, f"function/{number}")
    window.run("[...document.querySelectorAll('.function-head .toggle')].find((b) => b.textContent === 'Sandwich').click()")
    ok("as=sandwich" in window.run("return location.hash"), "the sandwich is in the address")
    names = ("const { shape } = dwell.function.sandwich.callers; const top = shape.children(0)[0];"
             "return [shape.total(top, 0), shape.children(top).map((n) => [dwell.model.name(shape.fn(n)), shape.total(n, 0)]).sort()]")
    rows = {row["name"]: row for row in report(data)["samples"]}
    total, callers = window.run(names)
    ok(total == rows["shared_part"]["total_ns"] and [name for name, _ in callers] == ["early", "late"], "callers are above it")
    boxes = window.run("const { flame, canvas, shape } = dwell.function.sandwich.callers; const at = canvas.getBoundingClientRect();"
                       "const box = flame.boxes.find((b) => dwell.model.name(shape.fn(b.node)) === 'early');"
                       "return [at.left + box.x + box.width / 2, at.bottom - box.row * 20 - 10]")
    window.mouse(("move", *boxes))
    ok(window.run("return [...document.querySelectorAll('.sandwich .tip .name')].map((e) => e.textContent)") == ["early"], "the nearest caller lowest")
    window.mouse(("move", *boxes), ("down",), ("up",))
    window.wait("return document.querySelector('h2').textContent === 'early'")
    callees = window.run("const { shape } = dwell.function.sandwich.callees; const top = shape.children(0)[0];"
                         "return shape.children(top).map((n) => dwell.model.name(shape.fn(n)))")
    ok("shared_part" in callees, "a click leads to its own sandwich, with callees below")
    ok(window.complaints() == [], "no complaints")


# ---- groups ----


def groups(window, folder):
    target = program("page_target")
    data, page = record(folder, "groups", "sh", "-c", f"{target} 0.1 & {target} 0.05; wait")
    opened(window, page)
    labels = window.texts(".time-label")
    heads = window.run("return document.querySelectorAll('.time-label .fold').length")
    note(labels)
    ok(heads == 2, "processes with several threads group them")
    size = window.run("return dwell.timelines[0].order.find((row) => row.isGroup).numbers.length")
    window.click(".time-label .fold")
    after = window.texts(".time-label")
    ok(len(after) == len(labels) - size and "folds=" in window.run("return location.hash"), "a group folds, and the address knows")
    window.run("history.back()")
    window.wait(f"return document.querySelectorAll('.time-label').length === {len(labels)}")
    ok(True, "back unfolds it")
    pid = window.run("return dwell.timelines[0].order[0].group.pid")
    window.click(".time-label .thread")
    ok(window.run(SAMPLES) == report(data, "--pid", str(pid))["meta"]["samples_shown"], "a process alone has the samples of --pid")
    show(window, "flame")
    ok("of the selection" in window.text(".detail"), "shares are of the selection")


# ---- taken away ----


def downloaded(window, folder, name, button):
    window.cdp("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
    window.run("[...document.querySelectorAll('.take-away button')].find((b) => b.textContent === arguments[0]).click()", button)
    path = os.path.join(folder, name)
    for _ in range(500):
        if os.path.exists(path) and os.path.getsize(path):
            break
        window.run("return new Promise((done) => setTimeout(done, 20))")
    with open(path, "rb") as file:
        return file.read()


def take_away(window, page, folder):
    opened(window, page)
    for view in ("flame", "chart", "heat"):
        show(window, view)
        there = os.path.join(folder, view)
        os.mkdir(there)
        image = xml.etree.ElementTree.fromstring(downloaded(window, there, "dwell.svg", "SVG"))
        shapes = [part.tag.split("}")[1] for part in image]
        ok(shapes.count("rect") > 10 and float(image.get("width")) > 1000, f"{view} as SVG: {len(shapes)} shapes")
        if view == "flame":
            ok("shared_part" in [part.text for part in image], "with the names of its frames")
        ok(downloaded(window, there, "dwell.png", "PNG")[:8] == b"\x89PNG\r\n\x1a\n", f"{view} as PNG")
    texts = {}
    for view in ("flame", "functions", "stacks", "chart", "heat"):
        show(window, view)
        window.run("window.copied = null; navigator.clipboard.writeText = async (text) => { window.copied = text; };"
                   "document.querySelector('.take-away button').click()")
        texts[view] = window.wait("return window.copied")
    ok(all("shared_part" in texts[view] for view in ("flame", "functions", "chart")) and "main" in texts["stacks"],
       "views as text have their functions")
    lines = texts["functions"].splitlines()
    ok(lines[0].split()[:2] == ["self", "total"] and len(lines) > 5 and all("\t" not in line for line in lines), "tables in columns")
    show(window, "about")
    ok(window.run("return [...document.querySelectorAll('.take-away button')].filter((b) => !b.hidden).map((b) => b.textContent)") == ["Print"],
       "a view without text or picture has no button for them")


def paper(window, page):
    opened(window, page, "functions")
    window.prefer("dark")
    window.wait("return document.documentElement.dataset.theme === 'dark'")
    rows = window.run("return dwell.shown.table.rows.length")
    window.size(1400, 420)
    window.wait(f"return document.querySelectorAll('main .table-row').length < {rows}")
    before = window.run("return document.querySelectorAll('main .table-row').length")
    window.run("window.dispatchEvent(new Event('beforeprint'))")
    window.cdp("Emulation.setEmulatedMedia", media="print")
    hidden = window.run("return ['#search', '.take-away', '#tabs'].map((s) => document.querySelector(s).checkVisibility())")
    shown = window.run("return document.querySelectorAll('main .table-row').length")
    light = window.run("return document.documentElement.dataset.theme")
    window.cdp("Emulation.setEmulatedMedia", media="")
    window.run("window.dispatchEvent(new Event('afterprint'))")
    note(f"{before} of {rows} rows in the window, {shown} on paper")
    ok(before < rows and shown == min(rows, 500) and light == "light" and hidden == [False] * 3, "on paper: all rows, light, no controls")
    ok(window.run("return document.documentElement.dataset.theme") == "dark", "and then all as before")
    window.size(1400, 900)
    pdf = base64.b64decode(window.printed())
    ok(pdf[:5] == b"%PDF-" and len(pdf) > 5000, "it can be printed")


def main():
    if browser.missing():
        skip("the page in a browser", browser.missing())
        return
    with tempfile.TemporaryDirectory() as folder:
        data, page = record(folder, "charts", program("page_target"), "0.2")
        with browser.Browser() as window:
            chart(window, page, data)
            heat(window, page, data)
            sandwich(window, page, data)
            groups(window, folder)
            take_away(window, page, folder)
            paper(window, page)
            opened(window, page)
            number = window.run("return dwell.model.functions.findIndex((f) => f.name === 'shared_part')")
            window.run("dwell.state.change({ as: 'sandwich' })")
            pictures(window, SCREENSHOTS, "charts", ["chart", "heat", f"function/{number}"])


if __name__ == "__main__":
    main()
    done()
