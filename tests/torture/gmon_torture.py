#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gmon_torture.py DWELL PROGRAMS LIBRARY - calls of functions built with -pg are all counted, whatever threads, signals and
libraries do meanwhile; and debuggers see through mcount."""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from gmon_counts import GmonFile, said  # noqa: E402
from sampled import environment, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

LIBRARY = os.path.abspath(sys.argv[3])
TARGET = program("gmon_target")


def exact(what, count, times, why, **changes):
    wrong = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            answer = run(TARGET, what, count, cwd=folder, env=environment(LD_PRELOAD=LIBRARY, **changes), timeout=120)
            due = said(answer.stdout)
            file = GmonFile(f"{folder}/gmon.out", TARGET)
            wrong += [f"{name}: {number}, and {file.called(name)} are counted" for name, number in due.items()
                      if file.called(name) != number]
            if answer.returncode or not due:
                wrong.append(f"it ended with {answer.returncode}: {text(answer.stdout)}{text(answer.stderr)}")
    note("\n".join(wrong))
    ok(not wrong, why)


def debugger():
    if not shutil.which("gdb"):
        skip("the way to main() is known at each instruction", "gdb is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gmon_gdb.py")
        answer = run("gdb", "-q", "-batch", "-ex", f"set env LD_PRELOAD {LIBRARY}", "-ex", "set env PROFIL_HZ 1", "-x", script,
                     "--args", TARGET, "many", "10", cwd=folder, env=environment(DEBUGINFOD_URLS=""), timeout=120)
    found = re.search(r"steps (\d+) lost (\d+)", text(answer.stdout))
    if not found:
        note(text(answer.stdout) + text(answer.stderr))
    ok(found and int(found[1]) > 100 and int(found[2]) == 0,
       f"the way to main() is known at each of {found and found[1]} instructions")


def main():
    debugger()
    exact("threads", 2500000, 1, "8 threads, 2.5 million calls each, of one function from one place")
    exact("threads", 10000, 20, "short races, at 20,000 ticks a second", PROFIL_HZ="20000")
    exact("signals", 2000, 3, "signal handlers that count, while their thread does", PROFIL_HZ="5000")
    exact("generations", 2000, 1, "2,000 threads, one after another")
    exact("many", 50, 1, "10,000 arcs, 50 times each", PROFIL_HZ="5000")
    exact("jumps", 200000, 1, "functions that never return")
    exact("forks", 100000, 5, "a fork and a vfork in between", PROFIL_HZ="5000")
    done()


if __name__ == "__main__":
    main()
