#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""html_large.py DWELL PAGE_RECORDING - a million samples of 200,000 different stacks make a page of less than 10
MB, which shows them all. The time that takes is only noted: the machine may have other things to do."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import browser  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

DWELL, PAGE_RECORDING = (os.path.abspath(path) for path in sys.argv[1:3])
SAMPLES, STACKS = 1000000, 200000
LIMIT_BYTES = 10e6

SHOWN = "return performance.getEntriesByName('dwell-shown')[0]?.startTime"
SEARCH = ("const t = performance.now(); const s = document.getElementById('search'); s.value = arguments[0];"
          "s.dispatchEvent(new Event('input')); return performance.now() - t")


def report(data, *options):
    command = [DWELL, "report", data, "--format", "json", *options]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def in_browser(window, data, page):
    window.open(page)
    note(f"all is shown after {window.wait(SHOWN):.0f} ms")
    rows = report(data)["samples"]
    facts = window.run(
        "const m = dwell.model, w = dwell.state.weights[0];"
        "return [w.allSamples, w.all, new Set(m.parts[0].nodes).size, m.functions.length]")
    ok(facts[:3] == [SAMPLES, SAMPLES * 1000000, STACKS], "all samples are there, and all stacks")
    sums = window.run("const s = dwell.state.sums[0]; return dwell.model.functions.map((f, i) =>"
                      "[f.name, s.selfSamples[i], s.totalSamples[i]])")
    ok(sorted(row for row in sums if row[2]) == sorted([row["name"], row["self"], row["total"]] for row in rows),
       "all functions have the samples that the report says")
    note(f"a search takes {window.run(SEARCH, 'part-07'):.0f} ms")
    meta = report(data, "--focus", "*part-07*:*")["meta"]
    due = f"{100 * meta['samples_shown_ns'] / meta['samples_ns']:.1f}%"
    note(f"{window.text('.found')}, {due}")
    ok(window.text(".found").startswith(due), "a search finds what --focus does")


def main():
    with tempfile.TemporaryDirectory() as folder:
        data, page = os.path.join(folder, "large.data"), os.path.join(folder, "large.html")
        subprocess.run([PAGE_RECORDING, data, str(SAMPLES), str(STACKS)], check=True)
        subprocess.run([DWELL, "html", "-o", page, data], check=True, stderr=subprocess.DEVNULL)
        note(f"{os.path.getsize(page)} bytes")
        ok(os.path.getsize(page) < LIMIT_BYTES, "the page has less than 10 MB")
        if browser.missing():
            skip("the page in a browser", browser.missing())
            return
        with browser.Browser() as window:
            in_browser(window, data, page)


if __name__ == "__main__":
    main()
    done()
