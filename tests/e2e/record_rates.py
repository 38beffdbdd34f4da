#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_rates.py DWELL PROGRAMS WITHOUT_PERFMON - programs that give up root's rights are sampled at the requested
rate, and where a lower rate is achieved, the report gives the measured reason.

Rates are samples in a second of CPU time, so that they do not depend on what else the machine does. Each is tried up
to three times.
"""
import os
import re
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import EMULATED  # noqa: E402
from sampled import DWELL, Recording, program, run, text  # noqa: E402
from tap import done, note, ok_in_three, skip  # noqa: E402

WITHOUT_PERFMON = os.path.abspath(sys.argv[3])
ASKED_HZ = 999
LEAST = 0.75  # of what was asked for: no reason is given above that
SECONDS = "0.8"


def has_perf():
    return not EMULATED and Recording("true", options=["--clock", "perf"]).run.returncode == 0


def reason(where, clock, wrapper=()):
    """Returns the meta of a run's report, and its line about the rate."""
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "dwell.data")
        recording = Recording(program("record_dropped"), where, SECONDS, wrapper=wrapper, keep=data,
                              options=["--clock", clock, "--frequency", ASKED_HZ])
        found = re.search(r"^a sample stands for .*$", text(run(DWELL, "report", data).stdout), re.M)
    line = found.group() if found else ""
    note(f"{where}, {clock}: {recording.meta.get('rate_achieved')} Hz, status {recording.run.returncode}: {line}")
    return recording.meta, line


def rights_given_up():
    def holds():
        meta, line = reason("user", "perf")
        return meta.get("rate_achieved", 0) >= LEAST * ASKED_HZ and not line
    ok_in_three(holds, "threads that start after root's rights are given up have perf's rate")


def in_the_kernel(tick_hz):
    words = re.compile(r": (\d+\.\d)% of the CPU time was in the kernel, where the perf clock takes no samples without "
                       rf"CAP_PERFMON, and a timer takes them at the kernel's tick of {tick_hz} Hz$")

    def holds(*wrapper):
        meta, line = reason("kernel", "perf", wrapper)
        found = words.search(line)
        return (found and float(found[1]) > 50
                and abs(float(found[1]) / 100 - meta["system_ns"] / meta["cpu_ns"]) < 0.001)
    ok_in_three(lambda: holds(WITHOUT_PERFMON), "without rights, time in the kernel is the reason")
    ok_in_three(holds, "also where they were given up")


def by_timers(tick_hz):
    def holds():
        meta, line = reason("user", "timer")
        return (line.endswith(f"% of the time was sampled by timers, which expire at the kernel's tick of {tick_hz} Hz")
                and meta["coarse_ns"] >= 0.9 * meta["samples_ns"])
    ok_in_three(holds, "on the timer clock, the kernel's tick is")


def main():
    tick_hz = round(1 / time.clock_getres(6))  # CLOCK_MONOTONIC_COARSE
    if tick_hz >= LEAST * ASKED_HZ:
        skip("reasons for a low rate", f"the kernel's tick of {tick_hz} Hz is fast enough here")
    else:
        by_timers(tick_hz)
    if not has_perf():
        skip("rates of the perf clock", "it is refused here")
        return
    rights_given_up()
    if tick_hz < LEAST * ASKED_HZ:
        in_the_kernel(tick_hz)


main()
done()
