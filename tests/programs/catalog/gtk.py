# SPDX-License-Identifier: MIT
"""gtk.py - a window of GTK on a virtual screen. The picture on the screen is compared."""
import os
import shutil
import subprocess
import time

from program import Program, write

DISPLAY = ":87"
SIZE = "640x480x24"


class Gtk(Program):
    name = "zenity"
    what = "GTK under Xvfb: a list of 2,000 rows; the picture is compared, then SIGTERM"
    packages = ("zenity", "xvfb", "x11-apps", "fonts-dejavu-core", "dbus-x11")
    version_command = ("dpkg-query", "-W", "-f", "${Version}", "zenity")  # by itself it needs a screen
    objects = ("libgtk", "libpango")
    libraries = ("libc.so", "libgtk", "libX11")

    def missing(self):
        absent = [command for command in ("zenity", "Xvfb", "xwd") if not shutil.which(command)]
        return f"there is no {', '.join(absent)}" if absent else ""

    def environment(self):
        return {"DISPLAY": DISPLAY, "GTK_THEME": "Adwaita", "NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory",
                "GTK_USE_PORTAL": "0", "DBUS_SESSION_BUS_ADDRESS": "disabled:"}

    def prepare(self, given):
        write(os.path.join(given, "rows"), "".join(f"row {i}\n" for i in range(2000)))
        self.stdin = os.path.join(given, "rows")

    def command(self, given):
        return ["zenity", "--list", "--title", "Rows", "--text", "Take one", "--column", "Row", "--width=600", "--height=440"]

    @staticmethod
    def picture():
        """Returns the picture on the screen; empty where there is none."""
        return subprocess.run(["xwd", "-root", "-silent", "-display", DISPLAY], capture_output=True, check=False).stdout

    def settled_picture(self, running):
        """Returns a picture that is not blank and stays for a second; none if the program has ended before."""
        before, since, deadline = b"", time.monotonic(), time.monotonic() + 60
        while time.monotonic() < deadline:
            if running.poll():
                return b""
            time.sleep(0.2)
            now = self.picture()
            if now != before:
                before, since = now, time.monotonic()
            elif len(set(now[-640 * 4 * 200:])) > 20 and time.monotonic() - since > 1:
                break
        return before

    def perform(self, launch, given):
        screen = subprocess.Popen(["Xvfb", DISPLAY, "-screen", "0", SIZE, "-nolisten", "tcp"], stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 30
            while not self.picture() and time.monotonic() < deadline:
                time.sleep(0.1)
            running = launch.start(self.command(given), stdin=self.stdin)
            seen = self.settled_picture(running)
            running.process.terminate()
            outcome = running.wait(60)
        finally:
            screen.terminate()
            screen.wait()
        outcome.files = {}
        if seen:
            outcome.stdout += f"\nthe screen has {len(set(seen))} different bytes: ".encode() + seen
        return outcome
