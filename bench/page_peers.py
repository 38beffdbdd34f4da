# SPDX-License-Identifier: MIT
"""page_peers.py - the page of dwell beside viewers of profiles that can be opened locally, in chromium.

All show the same samples: dwell html's page, and others with the file that `dwell export` writes for them. speedscope's app is npm's. The
Firefox Profiler is a web site and no package: FIREFOX_PROFILER names a folder in which it was built (its dist), which a server on this machine
serves. speedscope draws by WebGL, which chromium renders on the CPU here; all are opened in the same browser. An action lasts from its
event until the second frame after it has begun, so that it has been painted. The others show one thread at a time: so the samples are those
of 200 threads, as pages are made for, and the same number in a single thread, of which all show all."""
import base64
import contextlib
import functools
import http.server
import os
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from statistics import median

from page_speed import SIZE
from running import Notes, Refused, clean_environment
from table import render, spread

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "tests"))
import browser  # pylint: disable=wrong-import-position
import npm_packages  # pylint: disable=wrong-import-position

SAMPLES, STACKS = SIZE[:2]
THREADS = (int(SIZE[2]), 1)
WEBGL = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PATIENCE_S = 120
OURS, *OTHERS = PEERS = ("dwell html", "speedscope", "Firefox Profiler")
WORDS = ("part-1", "0x", "part-2")
MEASURES = ("until it is shown, ms", "zoom, ms", "search, ms")

# Notes the time of the second frame after the profile has been read and drawn.
NOTE = "window.shownAt = Infinity; requestAnimationFrame(() => requestAnimationFrame(() => { window.shownAt = performance.now(); }));"
PAINTED = (
    "const begun = performance.now(); act();"
    "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun))))"
)
SHOWN = "return window.shownAt < Infinity && window.shownAt"
DWELL = {
    "watch": "new PerformanceObserver((list) => { if (list.getEntriesByName('dwell-shown').length) {" + NOTE + "} })"
    ".observe({ entryTypes: ['mark'] });",
    "zoom": "const v = dwell.views.flame.view; const act = () => v.zoom(v.zoomed ? 0 : v.flame.boxes[5].node);" + PAINTED,
    "search": "const s = document.getElementById('search'); const act = () => { s.value = arguments[0]; s.dispatchEvent(new Event('input')); };" + PAINTED,
}
SPEEDSCOPE = {
    # The title has its final form when the profile has been read.
    "watch": "new MutationObserver(() => { if (!window.shownAt && / - speedscope$/.test(document.title)) {" + NOTE + "} })"
    ".observe(document, { subtree: true, childList: true, characterData: true });",
    # A double click on a frame below the minimap zooms in on it.
    "zoom": "const at = { bubbles: true, clientX: 400, clientY: 220 }; const target = document.elementFromPoint(400, 220);"
    "target.dispatchEvent(new MouseEvent('mousemove', at)); const act = () => target.dispatchEvent(new MouseEvent('dblclick', at));" + PAINTED,
    # The field that has the keyboard since Ctrl+F; the first one on the page is another.
    "search": "const s = document.activeElement; const act = () => { s.value = arguments[0]; s.dispatchEvent(new Event('input', { bubbles: true })); };"
    + PAINTED,
}
FIREFOX = {
    "watch": "new MutationObserver(() => { if (!window.shownAt && document.querySelector('.flameGraphCanvas')) {" + NOTE + "} })"
    ".observe(document, { subtree: true, childList: true });",
    # It waits for more to be typed, and has a word in its address when it has begun to search.
    "search": "const s = document.querySelector('.idleSearchFieldInput'); const word = arguments[0]; s.focus();"
    "const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set; const begun = performance.now();"
    "set.call(s, word); s.dispatchEvent(new Event('input', { bubbles: true }));"
    "return new Promise((done) => { const look = () => requestAnimationFrame("
    "() => new URLSearchParams(location.search).get('search') === word"
    " ? requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun))) : look()); look(); })",
}


class App(http.server.SimpleHTTPRequestHandler):
    """A folder whose index.html stands for all paths that are no files, as the Firefox Profiler expects; and a profile."""

    def __init__(self, *arguments, profile, **more):
        self.profile = profile
        super().__init__(*arguments, **more)

    def translate_path(self, path):
        if path == "/profile.json":
            return self.profile
        there = super().translate_path(path)
        return there if os.path.isfile(there) else os.path.join(self.directory, "index.html")

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(app, profile):
    """Serves an app and a profile. Yields the address."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(App, directory=app, profile=profile)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


class Files:
    """The same samples for each peer."""

    def __init__(self, build, folder, threads):
        self.data, self.page, self.profile, self.script, self.firefox = (
            os.path.join(folder, f"{threads}-threads{suffix}") for suffix in (".data", ".html", ".json", ".js", ".firefox.json")
        )
        self.build, self.threads = build, threads

    def make(self):
        if os.path.exists(self.data):
            return
        dwell = os.path.join(self.build, "dwell")
        for command in (
            [os.path.join(self.build, "bench/page_recording"), self.data, SAMPLES, STACKS, str(self.threads)],
            [dwell, "html", "-o", self.page, self.data],
            [dwell, "export", "-f", "speedscope", "-o", self.profile, self.data],
            [dwell, "export", "-f", "firefox", "-o", self.firefox, self.data],
        ):
            subprocess.run(command, check=True, env=clean_environment(), capture_output=True)
        with open(self.profile, "rb") as file:
            packed = base64.b64encode(file.read()).decode()
        # As speedscope's own command hands a file to its app.
        with open(self.script, "w", encoding="ascii") as out:
            out.write(f'speedscope.loadFileFromBase64("profile.json", "{packed}")')


class PagePeers:
    def __init__(self, build):
        self.build = build
        self.folder = tempfile.TemporaryDirectory()
        self.notes = Notes()  # by number of threads, peer and what is measured

    def _act(self, key, window, what, steps):
        """Takes the median time of some steps; they have to change what is seen."""
        before = self._picture(window)
        times = [window.run(*step) for step in steps]
        if self._picture(window) == before:
            raise Refused(f"a {what} has changed nothing")
        self.notes.take((*key, f"{what}, ms"), lambda: median(times))

    def _picture(self, window):
        path = os.path.join(self.folder.name, "picture.png")
        window.screenshot(path)
        with open(path, "rb") as file:
            return file.read()

    def _look(self, key, scripts, opened, prepare=lambda window, what: None):
        """Opens a page, and notes how long that and each action take."""
        if browser.missing():
            raise Refused(browser.missing())
        with browser.Browser(options=WEBGL) as window:
            window.cdp("Page.addScriptToEvaluateOnNewDocument", source=scripts["watch"])
            opened(window)
            self.notes.take((*key, MEASURES[0]), window.wait, SHOWN, PATIENCE_S)
            if "zoom" in scripts:
                prepare(window, "zoom")
                self._act(key, window, "zoom", [(scripts["zoom"],)] * 3)
            prepare(window, "search")
            self._act(key, window, "search", [(scripts["search"], word) for word in WORDS])

    def _look_at_dwell(self, key, files):
        self._look(key, DWELL, lambda window: window.open(files.page))

    def _look_at_speedscope(self, key, files):
        packages, reason = npm_packages.install(os.path.join(ROOT, "tests/npm"), os.path.join(self.build, "tests/e2e/npm"))
        if not packages:
            raise Refused(reason)
        app = os.path.join(packages, "node_modules/speedscope/dist/release/index.html")
        self._look(key, SPEEDSCOPE, lambda window: window.open(app, f"localProfilePath={files.script}"), self._prepare_speedscope)

    @staticmethod
    def _prepare_speedscope(window, what):
        if what == "zoom":
            window.keys("2")  # equal stacks side by side, as in a flame graph
        else:
            window.keys(("Control", "f"))
            window.wait("return document.activeElement.tagName === 'INPUT'")

    def _look_at_firefox(self, key, files):
        app = os.environ.get("FIREFOX_PROFILER", "")
        if not os.path.exists(os.path.join(app, "index.html")):
            raise Refused("FIREFOX_PROFILER names no folder with it")
        with served(app, files.firefox) as here:
            profile = urllib.parse.quote(f"{here}/profile.json", safe="")
            self._look(key, FIREFOX, lambda window: window.go(f"{here}/from-url/{profile}/flame-graph/"))

    def one_round(self):
        for threads in THREADS:
            files = Files(self.build, self.folder.name, threads)
            self.notes.take((threads, "made"), files.make)
            for peer, look in zip(PEERS, (self._look_at_dwell, self._look_at_speedscope, self._look_at_firefox)):
                self.notes.take((threads, peer), look, (threads, peer), files)

    def finish(self):
        self.folder.cleanup()

    def _cell(self, key, what):
        values = self.notes.of((*key, what))
        return spread(values) if values else self.notes.reasons.get(key, self.notes.reasons.get((*key, what), "-"))

    def _ratio(self, threads, peer, what):
        pairs = self.notes.pairs((threads, OURS, what), (threads, peer, what))
        return spread([other / ours for ours, other in pairs if ours], 2) if pairs else "-"

    def _row(self, threads, what):
        return [f"{threads}", what, *(self._cell((threads, peer), what) for peer in PEERS),
                *(self._ratio(threads, peer, what) for peer in OTHERS)]

    def print_tables(self):
        print(f"The same {int(SAMPLES):,} samples beside speedscope's app and the Firefox Profiler, in chromium, drawn without a GPU. These show one "
              "thread at a time, and dwell's page all of them. A flame graph of the Firefox Profiler has no zoom; its search waits for 200 ms, in case "
              "more is typed.\n")
        print(render(["threads", "measurement", *PEERS, *(f"{peer} / dwell" for peer in OTHERS)],
                     [self._row(threads, what) for threads in THREADS for what in MEASURES]))
