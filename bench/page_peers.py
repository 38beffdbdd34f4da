# SPDX-License-Identifier: MIT
"""page_peers.py - the page of dwell beside viewers of profiles that can be opened locally, in chromium.

All show the same samples: dwell html's page, and speedscope's app from npm with the file that `dwell export -f speedscope` writes.
speedscope draws by WebGL, which chromium renders on the CPU here; the page of dwell is opened in the same browser. An action lasts
from its event until the second frame after it has begun, so that it has been painted."""
import base64
import os
import subprocess
import sys
import tempfile
from statistics import median

from running import Notes, Refused, clean_environment
from table import render, spread

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
import browser  # pylint: disable=wrong-import-position
import npm_packages  # pylint: disable=wrong-import-position

SIZE = ["100000", "20000", "20"]  # samples, stacks, threads
WEBGL = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PATIENCE_S = 120
PEERS = ("dwell html", "speedscope")
MEASURES = ("until it is shown, ms", "zoom, ms", "search, ms")

# Notes the time of the second frame after the title has its final form, which is when the profile has been read.
WATCH = """new MutationObserver(() => {
	if (window.shownAt || !/ - speedscope$/.test(document.title)) return;
	window.shownAt = Infinity;
	requestAnimationFrame(() => requestAnimationFrame(() => { window.shownAt = performance.now(); }));
}).observe(document, { subtree: true, childList: true, characterData: true });"""

PAINTED = (
    "const begun = performance.now(); act();"
    "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun))))"
)
DWELL = {
    "shown": "return performance.getEntriesByName('dwell-shown')[0]?.startTime",
    "zoom": "const v = dwell.views.flame.view; const act = () => v.zoom(v.zoomed ? 0 : v.flame.boxes[5].node);" + PAINTED,
    "search": "const s = document.getElementById('search'); const act = () => { s.value = arguments[0]; s.dispatchEvent(new Event('input')); };" + PAINTED,
}
SPEEDSCOPE = {
    "shown": "return window.shownAt < Infinity && window.shownAt",
    # A double click on a frame below the minimap zooms in on it.
    "zoom": "const at = { bubbles: true, clientX: 400, clientY: 220 }; const target = document.elementFromPoint(400, 220);"
    "target.dispatchEvent(new MouseEvent('mousemove', at)); const act = () => target.dispatchEvent(new MouseEvent('dblclick', at));" + PAINTED,
    # The field that has the keyboard since Ctrl+F; the first one on the page is another.
    "search": "const s = document.activeElement; const act = () => { s.value = arguments[0]; s.dispatchEvent(new Event('input', { bubbles: true })); };"
    + PAINTED,
}


class PagePeers:
    def __init__(self, build):
        self.build = build
        self.folder = tempfile.TemporaryDirectory()
        self.notes = Notes()  # by peer and what is measured

    def _path(self, name):
        return os.path.join(self.folder.name, name)

    def _make(self):
        if os.path.exists(self._path("data")):
            return
        dwell = os.path.join(self.build, "dwell")
        for command in (
            [os.path.join(self.build, "bench/page_recording"), self._path("data"), *SIZE],
            [dwell, "html", "-o", self._path("page.html"), self._path("data")],
            [dwell, "export", "-f", "speedscope", "-o", self._path("profile.json"), self._path("data")],
        ):
            subprocess.run(command, check=True, env=clean_environment(), capture_output=True)
        with open(self._path("profile.json"), "rb") as file:
            packed = base64.b64encode(file.read()).decode()
        # As speedscope's own command hands a file to its app.
        with open(self._path("profile.js"), "w", encoding="ascii") as out:
            out.write(f'speedscope.loadFileFromBase64("profile.json", "{packed}")')

    def _actions(self, peer, window, scripts):
        self._act(peer, window, "zoom", [(scripts["zoom"],)] * 3)
        if peer == "speedscope":
            window.keys(("Control", "f"))
            window.wait("return document.activeElement.tagName === 'INPUT'")
        self._act(peer, window, "search", [(scripts["search"], word) for word in ("part-1", "0x", "part-2")])

    def _act(self, peer, window, what, steps):
        """Takes the median time of some steps; they have to change what is seen."""
        before = self._picture(window)
        times = [window.run(*step) for step in steps]
        if self._picture(window) == before:
            raise Refused(f"a {what} has changed nothing")
        self.notes.take(f"{peer}: {what}, ms", lambda: median(times))

    def _picture(self, window):
        window.screenshot(self._path("picture.png"))
        with open(self._path("picture.png"), "rb") as file:
            return file.read()

    @staticmethod
    def _look_at(peer):
        if browser.missing():
            raise Refused(browser.missing())
        return peer()

    def _look_at_dwell(self):
        with browser.Browser(options=WEBGL) as window:
            window.open(self._path("page.html"))
            self.notes.take("dwell html: until it is shown, ms", window.wait, DWELL["shown"], PATIENCE_S)
            self._actions("dwell html", window, DWELL)

    def _look_at_speedscope(self):
        packages, reason = npm_packages.install(os.path.join(ROOT, "tests/npm"), os.path.join(self.build, "tests/e2e/npm"))
        if not packages:
            raise Refused(reason)
        app = os.path.join(packages, "node_modules/speedscope/dist/release/index.html")
        with browser.Browser(options=WEBGL) as window:
            window.cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
            window.open(app, f"localProfilePath={self._path('profile.js')}")
            self.notes.take("speedscope: until it is shown, ms", window.wait, SPEEDSCOPE["shown"], PATIENCE_S)
            window.keys("2")  # equal stacks side by side, as in a flame graph
            self._actions("speedscope", window, SPEEDSCOPE)

    def one_round(self):
        self.notes.take("made", self._make)
        self.notes.take("dwell html", self._look_at, self._look_at_dwell)
        self.notes.take("speedscope", self._look_at, self._look_at_speedscope)

    def finish(self):
        self.folder.cleanup()

    def _cell(self, peer, what):
        values = self.notes.of(f"{peer}: {what}")
        return spread(values) if values else self.notes.reasons.get(peer, self.notes.reason(f"{peer}: {what}"))

    def _row(self, what):
        pairs = self.notes.pairs(*(f"{peer}: {what}" for peer in PEERS))
        ratio = spread([other / ours for ours, other in pairs if ours]) if pairs else "-"
        return [what, *(self._cell(peer, what) for peer in PEERS), ratio]

    def print_tables(self):
        print(f"The same {int(SIZE[0]):,} samples of {SIZE[2]} threads beside speedscope's app, in chromium, drawn without a GPU. speedscope "
              "shows one thread at a time, and dwell's page all of them. The Firefox Profiler is a web site, and not a package that can "
              "be opened here.\n")
        print(render(["measurement", *PEERS, "speedscope / dwell"], [self._row(what) for what in MEASURES]))
