# SPDX-License-Identifier: MIT
"""page_speed.py - how large and how fast the page of a large recording is, in chromium.

The recording is made up by page_recording: a million samples of 200,000 different stacks in 200 threads, which is what
pages are made for: under 10 MB, shown in under 2 s, a search answered in under 100 ms."""
import os
import subprocess
import sys
import tempfile
from statistics import median

from running import Notes, Refused, clean_environment, run
from table import render, spread

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))
import browser  # pylint: disable=wrong-import-position

WORDS = ["part-1", "0x", "example", "part-07.so.1+0x1", "nothing like it"]
SIZE = ["1000000", "200000", "200"]  # samples, stacks, threads
AIMS = {"page, MB": 10, "until all is shown, ms": 2000, "search, ms": 100}

# Each is a function body that returns milliseconds; its work is done, and painted to the canvas, when it returns.
SHOWN = "return performance.getEntriesByName('dwell-shown')[0]?.startTime"
SEARCH = (
    "const t = performance.now(); const s = document.getElementById('search'); s.value = arguments[0];"
    "s.dispatchEvent(new Event('input')); return performance.now() - t"
)
ACTIONS = {
    "zoom": "const t = performance.now(); const v = dwell.views.flame.view; v.zoom(v.zoomed ? 0 : v.flame.boxes[5].node);"
    "return performance.now() - t",
    "brush": "const t = performance.now(); const all = dwell.model.recordings[0].seconds; const at = Math.random() * 0.5 * all;"
    "dwell.state.change({selections: [{...dwell.state.initial.selections[0], span: [at, at + all / 3]}]});"
    "return performance.now() - t",
    "all time": "const t = performance.now();"
    "dwell.state.change({selections: dwell.state.initial.selections}); return performance.now() - t",
    "invert": "const t = performance.now(); dwell.state.change({inverted: !dwell.state.get('inverted')});"
    "return performance.now() - t",
    **{
        name: "const t = performance.now(); dwell.show('" + view + "'); const d = performance.now() - t; dwell.show('flame'); return d"
        for name, view in (("call tree", "stacks"), ("stack chart", "chart"), ("heat map", "heat"), ("functions", "functions"))
    },
    "by thread": "const t = performance.now(); dwell.state.change({byThread: !dwell.state.get('byThread')});"
    "return performance.now() - t",
    **{
        f"by thread, {name}": "dwell.state.change({byThread: true}); const t = performance.now(); dwell.state.change(" + on + ");"
        "const d = performance.now() - t; dwell.state.change({byThread: false, inverted: false, focus: null}); return d"
        for name, on in (("inverted", "{inverted: true}"), ("focused", "{focus: dwell.state.sums[0].total.indexOf(Math.max(...dwell.state.sums[0].total))}"))
    },
}


class PageSpeed:
    def __init__(self, build):
        self.build = build
        self.folder = tempfile.TemporaryDirectory()
        self.data, self.page = (os.path.join(self.folder.name, name) for name in ("large.data", "large.html"))
        self.notes = Notes()  # by what is measured: a number

    def _make(self):
        if not os.path.exists(self.data):
            subprocess.run([os.path.join(self.build, "bench/page_recording"), self.data, *SIZE], check=True)
        done = run([os.path.join(self.build, "dwell"), "html", "-o", self.page, self.data], clean_environment())
        self.notes.take("dwell html, s", lambda: done.wall_ms / 1e3)
        self.notes.take("its memory, MB", lambda: done.memory_mb)
        self.notes.take("recording, MB", lambda: os.path.getsize(self.data) / 1e6)
        self.notes.take("page, MB", lambda: os.path.getsize(self.page) / 1e6)

    def _look(self):
        if browser.missing():
            raise Refused(browser.missing())
        with browser.Browser() as window:
            window.open(self.page)
            self.notes.take("until all is shown, ms", window.wait, SHOWN)
            self.notes.take("search, ms", lambda: median(window.run(SEARCH, word) for word in WORDS))
            window.run(SEARCH, "")
            for name, action in ACTIONS.items():
                self.notes.take(f"{name}, ms", lambda action=action: median(window.run(action) for _ in range(2)))

    def one_round(self):
        self.notes.take("made", self._make)
        self.notes.take("looked at", self._look)

    def finish(self):
        self.folder.cleanup()

    def _row(self, what):
        values = self.notes.of(what)
        aim = AIMS.get(what)
        met = "-" if not aim else f"{aim}, {'met' if median(values) < aim else 'missed'}"
        return [what, spread(values), met]

    def print_tables(self):
        print("The page that `dwell html` makes of a million samples in 200,000 different stacks of 200 threads, in chromium:\n")
        whats = [what for what in self.notes.found if what not in ("made", "looked at")]
        reasons = [[what, reason] for what, reason in self.notes.reasons.items()]
        print(render(["measurement", "value", "target"], [*map(self._row, whats), *reasons]))
