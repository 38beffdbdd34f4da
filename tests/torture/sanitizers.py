#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sanitizers.py DWELL SOURCE - SOURCE, tests/prog/sanitized.c, is built with the sanitizers of gcc, which are
libraries, and of clang, which are linked into the program. Under dwell it starts, does what it does without, and
the same faults are reported, with the same stacks."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_runner import Runner, run  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import done, note, ok, skip  # noqa: E402

# The options of a sanitizer, and the faults of the program that it finds.
SANITIZERS = {
    "address": (["-fsanitize=address"], ["free_and_read", "leak"]),
    "leak": (["-fsanitize=leak"], ["leak"]),
    "memory": (["-fsanitize=memory"], ["uninitialized"]),
    "own options": (["-fsanitize=address", "-DOWN_OPTIONS"], ["free_and_read"]),
    "thread": (["-fsanitize=thread"], ["race"]),
    "undefined": (["-fsanitize=undefined"], ["overflow"]),
}
COMPILERS = ("gcc", "clang")
CHOSEN = "malloc,free,qsort,pthread_*,str*"
MODES = {
    "record": ["record", "-F", "2000"],
    "calls": ["calls", "-f", CHOSEN],
    "calls by GOT": ["calls", "--via", "got", "-f", CHOSEN],
    "calls of everything": ["calls", "-f", "*"],
    "record and calls": ["record", "-F", "2000", "--calls", CHOSEN],
}
# A frame without a name is known by its offset in its file: addresses differ from run to run.
FRAME = re.compile(r"\s+#\d+ (?:0x[0-9a-f]+ in (\S+)|0x[0-9a-f]+ +\(\S*?([^/]+\+0x[0-9a-f]+)\)|(\S+))")


def findings(stderr):
    """Returns the findings of a report, and the functions of each stack, in no order: threads race."""
    stacks, current = set(), []
    for line in stderr.splitlines():
        frame = FRAME.match(line)
        if frame:
            # If the frame pointer register holds anything else, the next frame is random. A sanitizer that walks its
            # own caller's stack by call frame information sees the stub that called it (docs/CALLS.md).
            name = frame[1] or frame[2] or frame[3]
            if "<unknown module>" not in line and name != "arch_stubs":
                current.append(name)
        elif current:
            stacks.add(tuple(current))
            current = []
    kinds = sorted(set(re.findall(r"(?:ERROR|WARNING): (\w+: [a-z -]+)|runtime error: ([a-z ]+)", stderr)))
    return kinds, stacks


def same(plain, found):
    if (plain.status, plain.stdout) != (found.status, found.stdout):
        return False
    kinds, stacks = findings(plain.stderr)
    found_kinds, found_stacks = findings(found.stderr)
    return kinds == found_kinds and stacks == found_stacks


def compare(runner, what, command):
    """Compares reports. Races are found in varying order, so only some of the runs need to have the same
    reports."""
    name = f"{what}, {' '.join(command[1:]) or 'no fault'}"
    plain = run(command, cwd=runner.scratch)
    if len(command) > 1 and not findings(plain.stderr)[0]:
        skip(name, f"it is not found without dwell either: {plain.stderr.strip()[:200]}")
        return
    for mode, words in MODES.items():
        under_dwell = [runner.dwell, *words, "-q", "-o", "data", "--", *command]
        found = run(under_dwell, cwd=runner.scratch)
        for _ in range(4):
            if same(plain, found):
                break
            plain, found = run(command, cwd=runner.scratch), run(under_dwell, cwd=runner.scratch)
        if not ok(same(plain, found), f"{name}, {mode}: as without dwell"):
            note(f"without dwell: {plain}\nwith dwell: {found}\n{findings(plain.stderr)}\n{findings(found.stderr)}")


def started_by_another(runner, source):
    """Checks a program of 32 bits that another one starts, and so is not known to the tool: gcc 14's AddressSanitizer
    crashes beside an auditor there. With any gcc, it runs without one, and its calls are counted."""
    name, program = "gcc -m32, address, started by a shell", runner.in_scratch("sanitized32")
    build = ["gcc", "-m32", "-O1", "-pthread", "-fsanitize=address", os.path.abspath(source), "-o", program]
    if run(build).status or run([program, "auditors"]).status:
        skip(name, "the compiler cannot do that here")
        return
    command = ["sh", "-c", '"$@"', "sh", program, "auditors"]
    plain = run(command, cwd=runner.scratch)
    found, report, problem = runner.profile(["-f", "qsort"], command)
    if not ok(found == plain, f"{name}: as without dwell, without an auditor"):
        note(f"without dwell: {plain}\nwith dwell: {found}")
    counted = sum(row["calls"] for row in report["calls"] if row["name"] == "qsort") if report else problem
    ok(counted == 4, f"{name}: its calls are counted: {counted}")


def main(dwell, source):
    runner = Runner(dwell, os.path.dirname(source))
    program = runner.in_scratch("sanitized")
    for compiler in COMPILERS:
        for sanitizer, (options, faults) in SANITIZERS.items():
            what = f"{compiler}, {sanitizer}"
            build = [compiler, "-O1", "-g", "-pthread", *options, os.path.abspath(source), "-o", program]
            if not shutil.which(compiler) or run(build).status:
                skip(what, "the compiler is not there, or has no such sanitizer")
                continue
            for words in [[], *([fault] for fault in faults)]:
                compare(runner, what, [program, *words])
    started_by_another(runner, source)
    runner.close()
    done()


if __name__ == "__main__":
    main(*sys.argv[1:])
