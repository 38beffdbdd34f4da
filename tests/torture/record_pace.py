#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_pace.py DWELL PROGRAMS WITHOUT_PERFMON - a sampler never stops its program: neither where a sample takes
longer than the time to the next one, nor on a busy machine. The program makes progress, a signal can end it, and
samples still add up to its CPU time.

Why this is not flaky: work is compared by CPU time, a second of it with dwell and without, both beside the same
load, so it does not matter how long that takes. The program must get a third of its time, and gets about two thirds
or more: the rate is lowered until samples take a third at most. A sampler that does not do that leaves it nothing
at all, and the kernel kills the program after 30 s of CPU time. Sums are exact but for the time after the last
sample, 13 ms of 1000 where a sample takes 3 ms. Still, each is measured up to three times."""
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, Recording, environment, near, program, run, status_of, text  # noqa: E402
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

HZ = 20000
SECONDS = 1
BUSY = 2  # processes beside it, which end themselves after so many seconds of CPU time
BUSY_SECONDS = 60
WITHOUT_PERFMON = sys.argv[3]
WAYS = {"timer": ("timer", ()), "perf without privilege": ("perf", (WITHOUT_PERFMON,)), "perf": ("perf", ())}
TARGET = program("record_torture"), "spacious"


class Load:
    """Processes that compete for the CPUs."""

    def __enter__(self):
        self.processes = [
            subprocess.Popen(["sh", "-c", "while :; do :; done"],
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (BUSY_SECONDS, BUSY_SECONDS)))
            for _ in range(BUSY)]

    def __exit__(self, *unused):
        for process in self.processes:
            process.kill()
            process.wait()


def rounds(answer):
    match = re.search(r"^rounds (\d+)$", text(answer.stdout), re.M)
    return int(match[1]) if match else 0


def has_clock(clock, wrapper):
    return Recording("true", options=["--clock", clock], wrapper=wrapper).meta.get("sample_clock") == clock


def is_lowered(meta):
    """Returns true if the rate was lowered. The timer clock may not need it: the kernel lets it tick only every few
    milliseconds."""
    return 0 < meta["rate_lowest"] < HZ and meta["samples_slowed_ns"] > 0.8 * meta["samples_ns"]


def gets_on(data, plain, clock, wrapper):
    recording = Recording(*TARGET, SECONDS, options=["-F", HZ, "--clock", clock], wrapper=wrapper,
                          keep=data, timeout=300)
    meta, due = recording.meta, sum(recording.cpu.values())
    share = rounds(recording.run) / (plain or 1)
    note(f"{clock}: status {status_of(recording.run)}, {share:.2f} of the work at {meta.get('rate_achieved')} Hz, "
         f"{recording.seconds:.3f} of {due:.3f} s, {meta.get('samples_slowed_ns', 0) / 1e9:.3f} s at less than {HZ} Hz")
    return (status_of(recording.run) == 0 and share > 1 / 3 and near(recording.seconds, due, 0.02)
            and meta["lost_samples"] == 0 and meta["unwatched_ns"] == 0
            and (clock == "timer" or is_lowered(meta)))


def reports_pace(data):
    """Checks the messages about the last of the recordings above."""
    for verb in "report", "info":
        shown = text(run(DWELL, verb, data).stdout)
        if not ok("the rate was lowered for " in shown, f"dwell {verb} says that the rate was lowered"):
            note(shown)
    Recording(program("record_torture"), "deep", 10, keep=data)
    ok("lowered" not in text(run(DWELL, "report", data).stdout), "and says nothing where it was not")


def can_be_ended(folder):
    """Sends a signal to the program itself after it has run for a while."""
    command = [DWELL, "record", "-q", "-F", str(HZ), "-o", os.path.join(folder, "ended"), "--", *TARGET, "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment()) as dwell:
        pid = int(dwell.stdout.readline().split()[1])
        try:
            dwell.wait(timeout=0.3)
        except subprocess.TimeoutExpired:
            os.kill(pid, signal.SIGTERM)
        status = dwell.wait()
    if not ok(status == 128 + signal.SIGTERM, "SIGTERM ends the program, before the kernel does it for 30 s of CPU time"):
        note(f"status {status}")


with tempfile.TemporaryDirectory() as scratch:
    kept = os.path.join(scratch, "kept")
    with Load():
        without_dwell = rounds(run(*TARGET, SECONDS))
        for name, way in WAYS.items():
            title = f"{name}, {HZ} Hz: the program gets on, and sums are right within 2 %"
            if has_clock(*way):
                ok_in_three(lambda way=way: gets_on(kept, without_dwell, *way), title)
            else:
                skip(title, "the kernel does not let us have this clock here")
        can_be_ended(scratch)
    if has_clock(*WAYS["perf"]):
        reports_pace(kept)
    else:
        skip("the message about it", "there is no perf clock to ask too much of")
done()
