#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sandboxes.py DWELL PROGRAMS WITHOUT_PERFMON - programs that restrict themselves do under dwell what they do without, in all
modes; their time is recorded; and losses are reported, with the name of the sandbox.

Sums are compared with the CPU time that the kernel has charged to the process: within 10 %. Where the CPU clock
cannot be read, ticks stand for a period each, which differs from the requested one by up to 2.3 %."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import CLOCKS, DWELL, Recording, near, program, run, status_of, text, unharmed  # noqa: E402
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

WAYS = ("trap", "errno", "kill", "strict", "landlock")
NOTE = b"dwell record: not everything was recorded: a sandbox of the program ("


def without_figures(output):
    return b"".join(line for line in output.splitlines(True) if not line.startswith((b"cpu ", NOTE)))


def sampled(way, clock, plain, wrapper=()):
    command, recordings = (program("sandboxed"), way), []
    title = f"{way}, {clock}{', as a user' if wrapper else ''}"

    def is_recorded():
        recording = Recording(*command, options=["--clock", clock], wrapper=wrapper)
        recordings.append(recording)
        if status_of(recording.run) != 0:
            note(f"status {status_of(recording.run)}: {text(recording.run.stderr)}")
            return False
        due = max(recording.cpu.values())
        found, from_main = recording.total("in_sandbox"), recording.total("main")
        note(f"{title}: {found:.3f} s and {from_main:.3f} s below main, of {due:.3f} s")
        return near(found, due, 0.1) and near(from_main, found, 0.02) and NOTE not in recording.run.stderr

    ok_in_three(is_recorded, f"{title}: its time is recorded, with its callers")
    for recording in recordings:
        unharmed(plain, recording.run, title, without_figures)


def counted(way, plain):
    command = program("sandboxed"), way
    with tempfile.TemporaryDirectory() as folder:
        for title, options in (("calls", ("calls", "-f", "*")), ("both", ("record", "--calls", "*"))):
            counting = run(DWELL, *options, "-q", "-o", f"{folder}/data", "--", *command)
            unharmed(plain, counting, f"{way}, {title}", without_figures)


def thread_without_timers():
    """Checks a thread that is created where there are no timers."""
    command = program("sandboxed"), "threads"
    plain = run(*command)
    if status_of(plain) == 77:
        skip("a thread in a sandbox without timers", "there is none here")
        return
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        recording = Recording(*command, keep=data)
        unharmed(plain, recording.run, "a thread in a sandbox without timers", without_figures)
        shown = text(run(DWELL, "report", data).stdout)
    said = "a sandbox of the program (seccomp) forbids clocks for new threads and processes"
    if not ok(f"LOST: {said}" in shown and said in text(recording.run.stderr),
              "a thread in a sandbox without timers: the report says that it has no clock, and why"):
        note(shown + text(recording.run.stderr))


for one in WAYS:
    without_dwell = run(program("sandboxed"), one)
    if status_of(without_dwell) == 77:
        skip(one, "there is none here")
        continue
    for its_clock in CLOCKS:
        sampled(one, its_clock, without_dwell)
    if one == "trap":  # perf sees user code only, and the CPU clock cannot be read
        sampled(one, "perf", without_dwell, wrapper=[os.path.abspath(sys.argv[3])])
    counted(one, without_dwell)
thread_without_timers()
done()
