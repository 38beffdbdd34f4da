# SPDX-License-Identifier: MIT
"""browser.py - a real browser for tests: Debian's chromium, driven by its chromedriver over WebDriver (which is
JSON over HTTP, so that Python alone is enough). Opens files, and pages of this machine.
"""
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# Keys that have no character of their own, as WebDriver writes them.
KEYS = {
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "Left": "\ue012",
    "Up": "\ue013",
    "Right": "\ue014",
    "Down": "\ue015",
    "Tab": "\ue004",
    "Shift": "\ue008",
    "Control": "\ue009",
    "Home": "\ue011",
    "Space": " ",
    "PageDown": "\ue00f",
    "End": "\ue010",
}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # how WebDriver calls a reference to an element


def missing():
    """Why there is no browser; None: there is one."""
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            return f"{program} is not installed"
    return None


class Browser:
    """A window of its own profile. To be used by `with`."""

    def __init__(self, width=1400, height=900, options=()):
        """`options` are more of chromium's, which replace ours."""
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="dwell-browser-")
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        self.session = None
        self.base = f"http://127.0.0.1:{self._port()}"
        self._start(width, height)

    def _port(self):
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return int(found[1])
        raise RuntimeError("chromedriver does not start")

    def _start(self, width, height):
        arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--force-device-scale-factor=1",
            "--hide-scrollbars",
            f"--window-size={width},{height}",
            f"--user-data-dir={self.folder}",
            *self.options,
        ]
        options = {"args": arguments, "binary": shutil.which("chromium")}
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"},
        }
        answer = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = answer["sessionId"]
        self.size(width, height)
        # Away from the page that the browser begins with, which asks for a lot.
        self._do("/url", {"url": "about:blank"})
        self.requests()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            if self.session:
                self._ask("DELETE", f"/session/{self.session}")
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.folder, ignore_errors=True)

    def _ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        # No proxy that the environment may name: the driver is on this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            # The other lines are about the session.
            raise RuntimeError(json.load(error)["value"]["message"].partition("\n")[0]) from None

    def _do(self, path, body=None, method="POST"):
        return self._ask(method, f"/session/{self.session}{path}", {} if body is None and method == "POST" else body)

    def cdp(self, command, **params):
        """A command of the DevTools protocol."""
        return self._do("/goog/cdp/execute", {"cmd": command, "params": params})

    def go(self, url):
        """Opens a page of a server on this machine."""
        self._do("/url", {"url": url})

    def open(self, path, fragment=""):
        """Opens a file anew, even if only the fragment differs from what is shown."""
        self._do("/url", {"url": "about:blank"})
        self._do("/url", {"url": "file://" + os.path.abspath(path) + ("#" + fragment if fragment else "")})

    def run(self, script, *arguments):
        """The answer of a function body, which may be a promise."""
        return self._do("/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, seconds=60):
        """Waits until a script returns something true, and returns it."""
        until = time.monotonic() + seconds
        while True:
            answer = self.run(script)
            if answer:
                return answer
            if time.monotonic() > until:
                raise RuntimeError(f"waited in vain for: {script}")
            time.sleep(0.02)

    def _element(self, selector):
        return self._do("/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        """Clicks as a user does, who sees the page again if it draws the element anew just then."""
        for tries in reversed(range(5)):
            try:
                self._do(f"/element/{self._element(selector)}/click")
                return
            except RuntimeError as error:
                if not (tries and "stale element" in str(error)):
                    raise

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)

    def focus(self, selector):
        self.run("document.querySelector(arguments[0]).focus()", selector)

    def keys(self, *keys):
        """Presses keys, one after the other, where the focus is; those of a tuple at the same time."""
        actions = []
        for key in keys:
            chord = [KEYS.get(part, part) for part in (key if isinstance(key, tuple) else (key,))]
            actions += [{"type": "keyDown", "value": part} for part in chord]
            actions += [{"type": "keyUp", "value": part} for part in reversed(chord)]
        self._do("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def type(self, selector, text):
        self._do(f"/element/{self._element(selector)}/value", {"text": text})

    def mouse(self, *steps):
        """Steps of ("move", x, y), ("down",) and ("up",), in pixels of the window."""
        actions = []
        for step in steps:
            if step[0] == "move":
                actions.append({"type": "pointerMove", "duration": 30, "x": round(step[1]), "y": round(step[2])})
            else:
                actions.append({"type": "pointerDown" if step[0] == "down" else "pointerUp", "button": 0})
        pointer = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}
        self._do("/actions", {"actions": [pointer]})

    def box(self, selector):
        """Left, top, width and height in the window."""
        return self.run(
            "const b = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [b.left, b.top, b.width, b.height]",
            selector,
        )

    def size(self, width, height, scale=1):
        """Pixels of the window, each of which are so many of the screen either way."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def prefer(self, scheme):
        """light or dark, as the system would say."""
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self._do("/screenshot", method="GET")))

    def printed(self):
        """Returns the page on paper, a PDF in base64."""
        return self._do("/print", {})

    def requests(self):
        """Addresses that were asked for since the last time."""
        found = []
        for entry in self._do("/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def complaints(self):
        """Returns the messages that the page has written to the console since the last call."""
        return [entry["message"] for entry in self._do("/se/log", {"type": "browser"})]
