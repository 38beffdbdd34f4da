#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_crowd.py DWELL PROGRAMS - a program with 200,000 chosen functions in 80 libraries loses none of them, and one
with few pays for few. Files of redirectors are the same for all ways of interception, so only the first way is tried
with that many, and the others with 75,000.
"""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_recording import VIAS, Recording, behaves, program, run  # noqa: E402
from emulation import EMULATED  # noqa: E402
from tap import done, note, ok  # noqa: E402

EACH = 2500  # functions of libsees_crowd_library.so that are called
MANY, MOST = 30, 80  # libraries; both are more functions than redirectors in the runtime's file
BYTES_MAX = 192  # of the recording per function: its name and its counts, in multiples of 64


def crowd(folder, count, via):
    command = (program("sees_crowd"), folder, count)
    plain = run(*command)
    recording = Recording(*command, options=["-f", "libcrowd_*:crowd_*", "--count", "--via", via],
                          report=["--limit", "0"])
    shown = f"{count} libraries, --via {via}"
    behaves(plain, recording.run, shown)
    ok(int(plain.stdout) == count * EACH, f"{shown}: the program calls {count * EACH} functions")
    rows = [row for row in recording.rows if row["symbol"] != "crowd_all"]
    ok(len(rows) == count * EACH and all(row["calls"] == 1 for row in rows), f"{shown}: each has one call in the report")
    ok(recording.meta.get("lost") == 0, f"{shown}: none is lost")
    note({name: recording.meta.get(name) for name in ("functions_chosen", "lost_functions", "lost_calls")})
    return recording.size


def main():
    with tempfile.TemporaryDirectory() as folder:
        for i in range(MOST):
            shutil.copy(program("libsees_crowd_library.so"), f"{folder}/libcrowd_{i}.so")
        for via in VIAS:
            libraries = MOST if via == VIAS[0] and not EMULATED else MANY
            few, many = [crowd(folder, count, via) for count in (1, libraries)]
            ok(many - few < (libraries - 1) * EACH * BYTES_MAX, f"--via {via}: {many} bytes, {few} of one library")
    done()


main()
