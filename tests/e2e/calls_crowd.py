#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_crowd.py DWELL PROGRAMS - a program with 200,000 chosen functions in 80 libraries loses none of them, and one
with few pays for few. Files of redirectors are the same for all ways of interception, so only the first way is tried
with that many, and the others with 75,000.
"""
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_recording import DWELL, VIAS, Recording, behaves, program, run  # noqa: E402
from emulation import EMULATED  # noqa: E402
from tap import done, note, ok  # noqa: E402

LIBRARY = program("libsees_crowd_library.so")
EACH = 2500  # functions of libsees_crowd_library.so that are called
MANY, MOST = 30, 80  # libraries; both are more functions than redirectors in the runtime's file
BYTES_MAX = 192  # of the recording per function: its name and its counts, in multiples of 64


def unpatched():
    """Returns the functions of a library that --via entry leaves out, as dwell list has it. On aarch64, tables and code are in one
    segment, and one function of a thousand may look as if a jump led into it."""
    listed = json.loads(run(DWELL, "list", "--functions", "--format", "json", "-f", "crowd_*", LIBRARY).stdout)["functions"]
    left_out = {row["name"] for row in listed if row["patchable"] != "yes"}
    allowed = EACH // 1000 if os.uname().machine == "aarch64" else 0
    ok(len(left_out) <= allowed, f"--via entry can patch all but {left_out or 'none'}")
    return left_out


def crowd(folder, count, via, left_out):
    command = (program("sees_crowd"), folder, count)
    plain = run(*command)
    recording = Recording(*command, options=["-f", "libcrowd_*:crowd_*", "--count", "--via", via],
                          report=["--limit", "0"])
    shown = f"{count} libraries, --via {via}"
    behaves(plain, recording.run, shown)
    ok(int(plain.stdout) == count * EACH, f"{shown}: the program calls {count * EACH} functions")
    rows = [row for row in recording.rows if row["symbol"] != "crowd_all"]
    ok(len(rows) == count * (EACH - len(left_out)) and all(row["calls"] == 1 and row["symbol"] not in left_out for row in rows),
       f"{shown}: each has one call in the report")
    ok(recording.meta.get("lost") == 0, f"{shown}: none is lost")
    note({name: recording.meta.get(name) for name in ("functions_chosen", "lost_functions", "lost_calls")})
    return recording.size


def main():
    with tempfile.TemporaryDirectory() as folder:
        for i in range(MOST):
            shutil.copy(LIBRARY, f"{folder}/libcrowd_{i}.so")
        for via in VIAS:
            libraries = MOST if via == VIAS[0] and not EMULATED else MANY
            left_out = unpatched() if via == "entry" else set()
            few, many = [crowd(folder, count, via, left_out) for count in (1, libraries)]
            ok(many - few < (libraries - 1) * EACH * BYTES_MAX, f"--via {via}: {many} bytes, {few} of one library")
    done()


main()
