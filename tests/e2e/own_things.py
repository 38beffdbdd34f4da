#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""own_things.py DWELL PROGRAMS - signal actions read back as the program has set them, all keys of thread-specific
data are the program's, and the bytes at the address of a function are the same as without dwell, in all modes."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import CLOCKS, DWELL, program, run, unharmed  # noqa: E402
from tap import done  # noqa: E402

WAYS = {"calls": ("calls", "-f", "*"), "calls by GOT": ("calls", "--via", "got", "-f", "*"), "both": ("record", "--calls", "*"),
        "both by GOT": ("record", "--via", "got", "--calls", "*")}
WAYS.update({clock: ("record", "--clock", clock) for clock in (*CLOCKS, "itimer")})

plain = run(program("own_things"))
with tempfile.TemporaryDirectory() as folder:
    for title, options in WAYS.items():
        unharmed(plain, run(DWELL, *options, "-q", "-o", f"{folder}/data", "--", program("own_things")),
                 f"actions, keys and addresses, {title}")
done()
