#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_short.py DWELL PROGRAMS CLOCK - samples are the CPU time of programs that are over before a clock has ticked
much, however they end; where that cannot be, a report says how much is missing.

Why this is not flaky: a thread settles with its CPU clock when it ends, so that its samples add up to the time at
that moment, however many ticks there were. The kernel's work for the end follows: 0.05 to 0.3 ms per process, with
and without dwell, which no sample can contain. Children measure it, and it must be in the reported losses. The time that a
program prints about itself lacks its work after that. A process of 5 ms may have met no tick of the timer and itimer
clocks, which depend on the kernel's; nor may one of 20 ms that a busy machine runs in pieces shorter than the kernel's
tick. Then its time is said to be lost. Still, each is measured up to three times before it fails."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, Recording, near, program, run, text  # noqa: E402
from tap import done, note, ok_in_three, skip  # noqa: E402

CLOCK = sys.argv[3]
OPTIONS = ["--clock", CLOCK, "-F", "999"]
ENDS = re.compile(r"^ends ([\d.]+)$", re.M)  # seconds
ENDINGS = {
    "exit": "exit()",
    "_exit": "_exit()",
    "quick_exit": "quick_exit()",
    "exec": "exec of another program",
    "thread": "a thread that was joined",
    "exit_in_thread": "exit() by another thread than the first",
    "last_thread": "the end of its last thread",
}
CHILDREN = {
    ("exits", 20, 25): "25 children of 20 ms",
    ("exits", 5, 50): "50 children of 5 ms",
    ("_exits", 5, 50): "50 children of 5 ms that end by _exit()",
    ("execs", 20, 25): "25 programs of 20 ms",
}
UNSEEN = {
    ("system_call", 20): "an exit by a system call",
    ("killed", 20): "SIGKILL",
    ("exits", 1, 100): "100 children of 1 ms",
    ("execs", 1, 50): "50 programs of 1 ms",
}


def record(*load):
    recording = Recording(program("record_short"), *load, options=OPTIONS)
    meta, due = recording.meta, sum(recording.cpu.values())
    if not meta or not due:
        note(f"status {recording.run.returncode}: {text(recording.run.stderr)}")
        return None, 0
    note(f"{' '.join(map(str, load))}: {recording.seconds * 1e3:.2f} ms in {meta['samples']} samples of {due * 1e3:.2f} ms, "
         f"{(recording.seconds / due - 1) * 100:+.2f} %; of all {meta['cpu_ns'] / 1e6:.2f} ms, unwatched "
         f"{meta['unwatched_ns'] / 1e6:.2f} ms, in no sample {meta['unsampled_ns'] / 1e6:.2f} ms")
    return recording, due


def is_sum(how, ms, *count):
    """All is in samples; or also in what is said to be lost, where the kernel may not have ticked in so short a time."""
    recording, due = record(how, ms, *count)
    if not recording:
        return False
    is_seen = ms >= (20 if CLOCK == "perf" else 50) or (CLOCK == "perf" and how != "exec" and not count)
    if how == "execs" and not samples_kernel():
        is_seen = False  # the kernel's work for an exec is reported instead
    accounted = recording.seconds + (0 if is_seen else recording.meta["unwatched_ns"] / 1e9)
    ends = ENDS.search(text(recording.run.stdout))
    if ends:
        due -= float(ends[1])
    return near(accounted, due, 0.02) and recording.meta["lost_samples"] == 0 and is_complete(recording.meta)


def samples_kernel():
    """Returns whether perf may sample the kernel for this process: by CAP_SYS_ADMIN, CAP_PERFMON or the system's setting."""
    with open("/proc/self/status", encoding="ascii") as file:
        capabilities = int(re.search(r"^CapEff:\s*(\w+)", file.read(), re.M)[1], 16)
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        return bool(capabilities & (1 << 21 | 1 << 38)) or int(file.read()) < 2


def is_complete(meta):
    """Checks that samples and reported losses add up to the time that the kernel has counted."""
    return near(meta["samples_ns"] + meta["unwatched_ns"] + meta["unsampled_ns"], meta["cpu_ns"], 0.01)


def is_accounted(*load):
    """Checks that what is missing is reported, and nothing else."""
    recording, due = record(*load)
    return (bool(recording) and is_complete(recording.meta) and near(recording.meta["cpu_ns"] / 1e9, due, 0.05)
            and recording.seconds <= due * 1.02)


def report_has_note(data):
    """Checks that the report has a line for a program that ends unseen."""
    run(DWELL, "record", "-q", "-o", data, *OPTIONS, "--", program("record_short"), "killed", "3.9")
    said = text(run(DWELL, "report", "--no-pager", data).stdout)
    note(said)
    return "LOST: CPU time without samples: " in said


if Recording("true", options=OPTIONS).meta.get("sample_clock") != CLOCK:
    skip("all loads", f"the kernel does not let us have the {CLOCK} clock here")
    done()
for how, title in ENDINGS.items():
    for ms in (5, 50):
        ok_in_three(lambda: is_sum(how, ms), f"{title} after {ms} ms: within 2 %")
for load, title in CHILDREN.items():
    ok_in_three(lambda: is_sum(*load), f"{title}: within 2 %")
for load, title in UNSEEN.items():
    ok_in_three(lambda: is_accounted(*load), f"{title}: the missing time is reported")
with_data = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"dwell-short-{os.getpid()}.data")
ok_in_three(lambda: report_has_note(with_data), "a report has a line for it")
if os.path.exists(with_data):
    os.unlink(with_data)
done()
