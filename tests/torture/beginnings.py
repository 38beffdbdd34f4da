#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""beginnings.py DWELL FOLDER - FOLDER/beginnings defines functions of its own in front of libc's. Under dwell, none
of them is called before it would be without, and errno is what it would be."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_runner import Runner, run  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import done, note, ok  # noqa: E402

MODES = [
    ["record"],
    *(["calls", "--via", via, "-f", functions] for via in ("audit", "got") for functions in ("free", "*")),
    ["record", "--calls", "*"],
    ["record", "--calls", "*", "--no-follow"],
]


def main(dwell, folder):
    runner = Runner(dwell, folder)
    plain = run([runner.path("beginnings")], cwd=runner.scratch)
    ok(plain.status == 0 and "errno at main: 0\n" in plain.stdout, "it runs by itself")
    for mode in MODES:
        found = run([runner.dwell, *mode, "-q", "-o", "data", "--", runner.path("beginnings")], cwd=runner.scratch)
        if not ok((found.status, found.stdout) == (plain.status, plain.stdout), f"{' '.join(mode)}: as without dwell"):
            note(f"without dwell: {plain}\nwith dwell: {found}")
    runner.close()
    done()


if __name__ == "__main__":
    main(*sys.argv[1:])
