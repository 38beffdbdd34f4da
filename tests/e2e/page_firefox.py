#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_firefox.py DWELL PROGRAMS SCREENSHOTS - a smoke run of the page in Firefox: it opens, has the figures of `dwell
report`, shows each view without an error, and keeps its state in the address."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import marionette  # noqa: E402
from sampled import DWELL, program, run  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

SCREENSHOTS = os.path.abspath(sys.argv[3])
SUMS = ("const s = dwell.state.sums[0]; return dwell.model.functions.map((f, i) => [f.name, s.self[i], s.total[i]])"
        ".filter((row) => row[2])")
PAINTED = ("return [...document.querySelectorAll('main canvas')].some((c) => c.width && new Set(new Uint32Array("
           "c.getContext('2d').getImageData(0, 0, c.width, Math.min(60, c.height)).data.buffer)).size > 2)")


def views(window):
    window.run("window.errors = []; window.addEventListener('error', (event) => window.errors.push(event.message))")
    fn = window.run("return dwell.model.functions.findIndex((f) => f.name === 'shared_part')")
    for view in window.run("return Object.keys(dwell.views)"):
        window.run("dwell.show(arguments[0])", view)
        rows = window.run("return document.querySelectorAll('main .table-row, main .notes li').length")
        ok(rows > 0 or window.run(PAINTED), f"{view} is shown")
        window.screenshot(os.path.join(SCREENSHOTS, f"firefox-{view}.png"))
    window.run("dwell.state.change({ view: 'function', fn: arguments[0], as: 'sandwich' })", fn)
    ok(window.run("return document.querySelector('h2').textContent") == "shared_part" and window.run(PAINTED), "so is a function")
    window.run("history.back()")
    window.wait("return dwell.state.get('view') === 'about'")
    ok(True, "back works")
    errors = window.run("return window.errors")
    note(errors)
    ok(errors == [], "without an error")


def main():
    if marionette.missing():
        skip("the page in Firefox", marionette.missing())
        return
    os.makedirs(SCREENSHOTS, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        data, page = (os.path.join(folder, name) for name in ("firefox.data", "firefox.html"))
        run(DWELL, "record", "-q", "-F", "1000", "-o", data, "--", program("page_target"), "0.1")
        run(DWELL, "html", "-o", page, data)
        due = [[row["name"], row["self_ns"], row["total_ns"]]
               for row in json.loads(run(DWELL, "report", data, "--format", "json").stdout)["samples"]]
        with marionette.Firefox() as window:
            window.open(page)
            window.wait("return Boolean(window.dwell)")
            ok(sorted(window.run(SUMS)) == sorted(due) and due, "its figures are those of the report")
            views(window)
            window.open(page, "functions?q=part&sort-functions=-total")
            window.wait("return Boolean(window.dwell)")
            names = window.run("return dwell.shown.table.rows.map((fn) => dwell.model.name(fn))")
            ok(names and all("part" in name for name in names), "a link shows its state")


if __name__ == "__main__":
    main()
    done()
