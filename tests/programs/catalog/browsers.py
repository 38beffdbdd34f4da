# SPDX-License-Identifier: MIT
"""browsers.py - browsers as an ordinary user has them, with their sandboxes: namespaces, seccomp, other roots, and processes
that are cloned in unusual ways. The picture of a page is compared."""
import os
import shutil

from program import Program, Rule, write

PAGE = """<html><body style="font-family: 'DejaVu Sans'"><h1>Shapes</h1>
<canvas id="shapes" width="600" height="300"></canvas><p id="sum"></p>
<script>
const context = document.getElementById("shapes").getContext("2d");
let sum = 0;
for (let i = 0; i < 20000000; i++)
    sum = (sum * 31 + i) % 1000003;
for (let i = 0; i < 200; i++) {
    context.fillStyle = `rgb(${i}, ${255 - i}, ${i * 7 % 255})`;
    context.fillRect(i * 37 % 580, i * 53 % 280, 20, 20);
}
document.getElementById("sum").textContent = `sum ${sum}`;
</script></body></html>
"""


class Browser(Program):
    """Takes a picture of a page, and ends."""

    user = "nobody"
    has_strays = True  # processes of a sandbox are not waited for by the one that has made them
    ignored_files = ("home.*", "profile.*")
    timeout_s = 120
    browser = ""
    options = ""

    def missing(self):
        return "" if shutil.which(self.browser) else f"there is no {self.browser}"

    def prepare(self, given):
        write(os.path.join(given, "page.html"), PAGE)

    def command(self, given):
        return ["sh", "-c", f"mkdir home profile && export HOME=$PWD/home && "
                f"exec {self.browser} --headless {self.options} file://{given}/page.html"]


class Chromium(Browser):
    name = "chromium"
    what = "as an ordinary user, in its sandbox: the picture of a page that draws and computes is compared"
    packages = ("chromium", "chromium-sandbox", "fonts-dejavu-core")
    version_command = ("dpkg-query", "-W", "-f", "${Version}", "chromium")  # Debian's script may complain first
    browser = "chromium"
    objects = ("chromium",)
    libraries = ("libc.so", "libnspr4")
    options = "--disable-gpu --user-data-dir=$PWD/profile --window-size=800,600 --screenshot=picture.png"
    rules = (Rule.replace(rb"^\[\d+:\d+:.*\n", b"", "messages have the numbers of processes and the time in them"),
             Rule.replace(rb"^/usr/bin/chromium: \d+: \[: \d+: unexpected operator\n", b"",
                          "Debian's script complains with the free memory", by_chance=True))


class ChromiumSingle(Chromium):
    name = "chromium-single"
    what = "--single-process --no-sandbox: browser, page and compiled scripts in one process; the picture is compared"
    options = f"--single-process --no-sandbox {Chromium.options}"
    timeout_s = 600  # all code of chromium is decoded before it starts


class Firefox(Browser):
    name = "firefox"
    what = "firefox-esr as an ordinary user, in its sandbox: the picture of a page that draws and computes is compared"
    packages = ("firefox-esr", "fonts-dejavu-core")
    version_command = ("firefox-esr", "--version")
    browser = "firefox-esr"
    objects = ("libxul",)
    libraries = ("libc.so", "libnspr4")
    # Its processes may not open files any more once they are in the sandbox.
    says = r"dwell \w+: not everything was recorded: a sandbox of the program \(seccomp\) forbids looking up code that was loaded later"
    options = "--no-remote --profile $PWD/profile --window-size 800,600 --screenshot $PWD/picture.png"
