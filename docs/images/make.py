#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make.py [BUILD] - makes docs/images/dwell.png, the picture of README.md: the report of a recording as a terminal shows it,
and the page of `dwell html` of the same recording. Needs chromium and chromedriver."""
import base64
import glob
import html
import os
import pty
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests"))
from browser import Browser, missing  # noqa: E402

# Debian's bash is stripped, but exports its functions to its plugins; so there are names, whatever else is installed.
COMMAND = "bash words.sh"
SCRIPT = """declare -A count
while read -ra words; do
	for word in "${words[@]}"; do
		word=${word,,}
		word=${word//[^a-z]/}
		[ -z "$word" ] || ((count[$word]++))
	done
done <text
echo ${#count[@]} words
"""
BEGINNING = "_start,__libc_start_main*,__libc_start_call_main"  # the same in every program
COLUMNS, ROWS = 112, 10
WIDTH, PAGE_HEIGHT = 1200, 720
UPDATE = re.compile(r"[^\n]*\x1b\[K")  # a line that was printed over
SGR = re.compile(r"\x1b\[([\d;]*)m")
# The colours of a common terminal, by the numbers of SGR.
COLOURS = {
    "30": "#555", "31": "#e06c75", "32": "#98c379", "33": "#e5c07b", "34": "#61afef", "35": "#c678dd", "36": "#56b6c2",
    "37": "#dcdfe4", "90": "#7f848e",
}
FRAME = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; padding: 16px; background: #fff; font-family: sans-serif; width: {width}px; box-sizing: border-box }}
pre {{ margin: 0 0 16px; padding: 12px 16px; background: #21252b; color: #dcdfe4; border-radius: 8px;
  font: 13px/1.35 "DejaVu Sans Mono", monospace; overflow: hidden }}
img {{ display: block; width: 100%; border: 1px solid #bbb; border-radius: 8px; box-sizing: border-box }}
</style><pre>{terminal}</pre><img src="data:image/png;base64,{page}">"""


def in_terminal(command, folder):
    """Returns what a command prints to a terminal of COLUMNS columns."""
    leader, follower = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "PAGER": "cat"}
    subprocess.run(["stty", "cols", str(COLUMNS), "rows", "50"], stdin=follower, check=True)
    process = subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=environment, cwd=folder)
    os.close(follower)
    text = b""
    while True:
        try:
            some = os.read(leader, 65536)
        except OSError:  # all ends of the terminal are closed
            break
        if not some:
            break
        text += some
    os.close(leader)
    if process.wait():
        raise SystemExit(text.decode())
    return text.decode().replace("\r\n", "\n")


def coloured(text):
    """Returns text with SGR sequences as HTML."""
    parts = SGR.split(text)
    out = [html.escape(parts[0])]
    for codes, rest in zip(parts[1::2], parts[2::2]):
        words = codes.split(";")
        style = [f"color:{COLOURS[word]}" for word in words if word in COLOURS]
        style += ["font-weight:bold"] if "1" in words else []
        style += ["opacity:.65"] if "2" in words else []
        out.append(f'<span style="{";".join(style)}">{html.escape(rest)}</span>')
    return "".join(out)


def record(folder):
    """Records COMMAND in a folder, where it counts the words of the docs."""
    with open(os.path.join(folder, "words.sh"), "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    with open(os.path.join(folder, "text"), "wb") as text:
        for path in sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))):
            with open(path, "rb") as file:
                text.write(file.read())
    subprocess.run(["dwell", "record", "-q", *COMMAND.split()], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def screen(folder):
    """Returns the terminal: the commands, and the first lines of the report."""
    report = in_terminal(["dwell", "report", "--limit", str(ROWS)], folder)
    shown = UPDATE.sub("", report).split("\n... and")[0].strip("\n")
    return coloured(f"\x1b[1m$ dwell record {COMMAND}\n$ dwell report\x1b[0m\n" + shown)


def main(build):
    reason = missing()
    if reason:
        raise SystemExit(f"make.py: {reason}")
    os.environ["PATH"] = os.path.abspath(build) + ":" + os.environ["PATH"]
    with tempfile.TemporaryDirectory() as folder, Browser(WIDTH, PAGE_HEIGHT) as window:
        page, picture = (os.path.join(folder, name) for name in ("page.html", "page.png"))
        record(folder)
        terminal = screen(folder)
        subprocess.run(["dwell", "html", "--hide", BEGINNING, "-o", page], cwd=folder, check=True, stderr=subprocess.DEVNULL)
        window.prefer("light")
        window.open(page)
        window.wait("return !!document.querySelector('canvas.flame')")
        window.screenshot(picture)
        with open(picture, "rb") as file:
            image = base64.b64encode(file.read()).decode()
        with open(page, "w", encoding="utf-8") as file:
            file.write(FRAME.format(width=WIDTH, terminal=terminal, page=image))
        window.open(page)
        window.size(WIDTH, window.run("return Math.ceil(document.body.getBoundingClientRect().height)"))
        window.screenshot(os.path.join(HERE, "dwell.png"))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"))
