# SPDX-License-Identifier: MIT
"""surroundings.py - the environment that tests give to dwell and to programs."""
import os

# Meson's, in tests/meson.build: without it, a report reads the debug files of this machine's libraries, for 60 ms in place of 4.
KEPT = ("DWELL_DEBUGDIR",)


def read_debug_files():
    """For tests that ask for names of libc's own functions, such as those that threads begin in."""
    for name in KEPT:
        os.environ.pop(name, None)


def cleared(*further, kept=()):
    """Returns our variables without those that would change how a program is loaded, and without those that begin with one of
    `further`."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("LD_", "DWELL_", *further)) or name in (*KEPT, *kept)}
