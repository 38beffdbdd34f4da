#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_speed.py BUILD_DIR [SAMPLES STACKS] - how large and how fast the page of a large recording is, in chromium.

The recording is made up by page_recording: by default a million samples of 200,000 different stacks, which is what
pages are made for: under 10 MB, shown in under 2 s, a search answered in under 100 ms. Prints a line for each.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))
import browser  # pylint: disable=wrong-import-position

ROUNDS = 5
WORDS = ["part-1", "0x", "example", "part-07.so.1+0x1", "nothing like it"]

# Each is a function body that answers milliseconds; what it does is done, and painted to the canvas, when it returns.
SHOWN = "return performance.getEntriesByName('dwell-shown')[0]?.startTime"
ACTIONS = {
    "search": "const t = performance.now(); const s = document.getElementById('search'); s.value = arguments[0];"
    "s.dispatchEvent(new Event('input')); return performance.now() - t",
    "zoom": "const t = performance.now(); const v = dwell.views.flame.view; v.zoom(v.zoomed ? 0 : v.flame.boxes[5].node);"
    "return performance.now() - t",
    "brush": "const t = performance.now(); const all = dwell.model.recordings[0].seconds; const at = Math.random() * 0.5 * all;"
    "dwell.state.change({selections: [{span: [at, at + all / 3], threads: null, state: 'all'}]});"
    "return performance.now() - t",
    "all time": "const t = performance.now();"
    "dwell.state.change({selections: [{span: null, threads: null, state: 'all'}]}); return performance.now() - t",
    "invert": "const t = performance.now(); dwell.state.change({inverted: !dwell.state.get('inverted')});"
    "return performance.now() - t",
    "by thread": "const t = performance.now(); dwell.state.change({byThread: !dwell.state.get('byThread')});"
    "return performance.now() - t",
}


def line(what, values, unit):
    middle, low, high = statistics.median(values), min(values), max(values)
    print(f"{what:<28}{middle:>10.1f} {unit:<3} ({low:.1f} .. {high:.1f})")


def make_page(build, folder, sizes):
    data, page = os.path.join(folder, "large.data"), os.path.join(folder, "large.html")
    subprocess.run([os.path.join(build, "bench/page_recording"), data, *sizes], check=True)
    begin = time.monotonic()
    subprocess.run([os.path.join(build, "dwell"), "html", "-o", page, data], check=True, stderr=subprocess.DEVNULL)
    line("dwell html", [time.monotonic() - begin], "s")
    line("its memory", [resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024], "MB")
    line("recording", [os.path.getsize(data) / 1e6], "MB")
    line("page", [os.path.getsize(page) / 1e6], "MB")
    return page


def main(build, *sizes):
    if browser.missing():
        sys.exit(f"page_speed.py: {browser.missing()}")
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as window:
        page = make_page(build, folder, sizes)
        shown = []
        for _ in range(ROUNDS):
            window.open(page)
            shown.append(window.wait(SHOWN))
        line("open: until all is shown", shown, "ms")
        line("search", [window.run(ACTIONS["search"], word) for word in WORDS * ROUNDS], "ms")
        window.run(ACTIONS["search"], "")
        for name in list(ACTIONS)[1:]:
            line(name, [window.run(ACTIONS[name]) for _ in range(2 * ROUNDS)], "ms")


if __name__ == "__main__":
    main(*sys.argv[1:])
