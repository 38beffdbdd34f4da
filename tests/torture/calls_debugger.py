#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_debugger.py DWELL FOLDER - gdb steps through wrapped calls an instruction at a time, and its backtrace
reaches main() from each of dwell's instructions: redirector, wrapper, stub and way out. See calls_gdb.py."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_runner import Runner, run  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import done, note, ok, skip  # noqa: E402

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "calls_gdb.py")
WALK = re.compile(r"^(.+): (\d+) steps, (\d+) inside, (\d+) places, (\d+) bad$", re.M)

VARIANTS = {
    "by auditing": ["-f", "*"],
    "by GOT": ["-f", "libcalls*:*,*setjmp", "--via", "got"],
    "counts only": ["-f", "*", "--count"],
    "sampled times": ["-f", "*", "--sample-timing"],
}

# A hang, and no matter of speed: tens of thousands of steps on a busy machine.
HANGS_S = 500

# The part that is the same in all variants is stepped through once: the linker, on the first call of a function.
BOUND = {"LD_BIND_NOW": "1"}


def walk(runner, title, walks, script, options, target, *arguments, env=None):
    command = [runner.dwell, "calls", "-q", "-o", "data", *options, "--", runner.path(target), *arguments]
    gdb = ["gdb", "-nx", "-batch", "-x", SCRIPT, "-ex", f"python {script}()", "--args", *command]
    said = run(gdb, cwd=runner.scratch, env=env, timeout=HANGS_S)
    found = WALK.findall(said.stdout)
    for name, steps, inside, places, bad in found:
        # A call with fewer instructions was not wrapped at all.
        if not ok(int(inside) >= 5 and bad == "0", f"{title}, {name}: {inside} of {steps} steps in {places} places"):
            note("\n".join(line for line in said.stdout.splitlines() if line.startswith("bad ")))
    if not ok(len(found) == walks and "exited normally" in said.stdout, f"{title}: runs to its end"):
        note(said)


def main(dwell, folder):
    if not shutil.which("gdb"):
        skip("a debugger", "gdb is not installed")
        done()
    runner = Runner(dwell, folder)
    for variant, options in VARIANTS.items():
        walk(runner, variant, 9, "calls", options, "calls_stepped", env=BOUND if variant != "by auditing" else None)
    if runner.has("calls_exceptions"):
        walk(runner, "an exception", 3, "landings", ["-f", "libcalls*:*"], "calls_exceptions",
             runner.in_scratch("expectations"), "by_the_function")
    else:
        skip("an exception", "it is not built: there is no compiler for it")
    runner.close()
    done()


if __name__ == "__main__":
    main(*sys.argv[1:])
