# SPDX-License-Identifier: MIT
"""marionette.py - Debian's firefox-esr for tests, driven by Marionette: JSON in packets with their length before them, over
TCP, so that Python alone is enough. Opens files only."""
import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

# Nothing is asked for that a page does not ask for.
PREFS = {
    "app.normandy.enabled": False,
    "app.update.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "toolkit.telemetry.enabled": False,
}


def missing():
    """Why there is no browser; None: there is one."""
    return None if shutil.which("firefox-esr") else "firefox-esr is not installed"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Firefox:
    """A window of its own profile. To be used by `with`."""

    def __init__(self, width=1400, height=900):
        self.folder = tempfile.mkdtemp(prefix="dwell-firefox-")
        port = free_port()
        with open(os.path.join(self.folder, "user.js"), "w", encoding="utf-8") as out:
            for name, value in {**PREFS, "marionette.port": port}.items():
                out.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", self.folder,
             f"--width={width}", f"--height={height}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.folder})
        self.number = 0
        self.socket = self._connected(port)
        self._packet()
        self.do("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": False}}})

    def _connected(self, port):
        until = time.monotonic() + 120
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=120)
            except OSError:
                if time.monotonic() > until or self.process.poll() is not None:
                    raise RuntimeError("firefox-esr does not start") from None
                time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.do("Marionette:Quit", {"flags": ["eForceQuit"]})
            self.process.wait(60)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        finally:
            self.socket.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    def _byte(self):
        found = self.socket.recv(1)
        if not found:
            raise RuntimeError("firefox-esr has ended")
        return found

    def _packet(self):
        length = b""
        while not length.endswith(b":"):
            length += self._byte()
        left, text = int(length[:-1]), b""
        while len(text) < left:
            text += self.socket.recv(left - len(text)) or self._byte()
        return json.loads(text)

    def do(self, command, parameters=None):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters or {}]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, answer = self._packet()
        if error:
            raise RuntimeError(f"{command}: {error['error']}: {error['message']}")
        return answer.get("value", answer) if isinstance(answer, dict) else answer

    def open(self, path, fragment=""):
        self.do("WebDriver:Navigate", {"url": "about:blank"})
        self.do("WebDriver:Navigate", {"url": "file://" + os.path.abspath(path) + ("#" + fragment if fragment else "")})

    def run(self, script, *arguments):
        # Without a sandbox, the script sees the page's own objects.
        return self.do("WebDriver:ExecuteScript", {"script": script, "args": list(arguments), "sandbox": None})

    def wait(self, script, seconds=120):
        until = time.monotonic() + seconds
        while not (answer := self.run(script)):
            if time.monotonic() > until:
                raise RuntimeError(f"waited in vain for: {script}")
            time.sleep(0.05)
        return answer

    def screenshot(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.do("WebDriver:TakeScreenshot", {"full": False})))
