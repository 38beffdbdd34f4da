#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""debugger.py LIBRARY PROGRAM - a profiled program under gdb runs to its end, and a backtrace from within
the signal handler reaches main()."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import done, note, ok  # noqa: E402

LIBRARY, PROGRAM = sys.argv[1:3]

if not shutil.which("gdb"):
    print("1..0 # SKIP gdb is not installed")
    sys.exit(0)


def gdb(*commands):
    arguments = ["gdb", "-nx", "-batch"]
    for command in ("set confirm off", "set debuginfod enabled off", f"set exec-wrapper env LD_PRELOAD={LIBRARY}",
                    "set breakpoint pending on", *commands):
        arguments += ["-ex", command]
    output = subprocess.run(arguments + ["--args", PROGRAM, "65536"], capture_output=True, text=True, timeout=120,
                            stdin=subprocess.DEVNULL)
    return output.stdout + output.stderr


plain = gdb("handle SIG49 nostop noprint pass", "run")
if not ok("exited normally" in plain, "the program runs to its end under gdb"):
    note(plain)
ok("SIGTRAP" not in plain, "and no tick is taken for a breakpoint")

inside = gdb("handle SIG49 nostop noprint pass", "break sampler_signal", "run", "bt")
if not ok("sampler_signal" in inside and "<signal handler called>" in inside and "main (" in inside,
          "bt in the signal handler passes the signal frame and reaches main()"):
    note(inside)
done()
