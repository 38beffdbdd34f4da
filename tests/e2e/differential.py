#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""differential.py LIBRARY EIGHT - the same program on glibc's profil() and on ours.

One thread, eight functions with shares from 40 to 2 per cent, nothing in step with the kernel's tick: glibc is
right here, and so the two histograms must be two samples of one distribution. The test is chi-square for two
histograms with unequal totals, at the 0.1 per cent level: 24.32 for 7 degrees of freedom. By chance one comparison
in a thousand misses it, three in a row one in a thousand million. The same test compares with the CPU time that
each function really used (8 functions, 7 degrees again).
"""
import functools
import itertools
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import done, note, ok_in_three  # noqa: E402

LIBRARY, EIGHT = sys.argv[1:3]
CRITICAL = 24.32


def run(preload=None, seconds=5, **variables):
    """Returns {function: (CPU seconds, samples)}."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PROFIL_")}
    env.update(variables)
    if preload:
        env["LD_PRELOAD"] = preload
    output = subprocess.run([EIGHT, str(seconds)], env=env, capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in output.splitlines())
    return {name: (float(cpu), int(samples)) for name, cpu, samples in rows}


def chi_square_of_two(a, b):
    total_a, total_b = sum(a), sum(b)
    ratio = (total_b / total_a) ** 0.5
    return sum((ratio * x - y / ratio) ** 2 / (x + y) for x, y in zip(a, b) if x + y)


def chi_square_of_due(samples, cpu):
    scale = sum(samples) / sum(cpu)
    return sum((n - c * scale) ** 2 / (c * scale) for n, c in zip(samples, cpu))


@functools.cache
def run_of_glibc(attempt):
    """Returns the histogram of glibc's profil(), the same one to all that are compared in their first attempt."""
    return run()


@functools.cache
def fast_run(attempt):
    """Returns the histogram of ours with 2,000 samples, four times those of the others, likewise."""
    return run(LIBRARY, 2, PROFIL_HZ="1000")


def timer_run(attempt):
    return run(LIBRARY, PROFIL_CLOCK="timer")


def same_as_glibc(run_of_ours):
    attempts = itertools.count()

    def measure():
        attempt = next(attempts)
        glibc, ours = run_of_glibc(attempt), run_of_ours(attempt)
        statistic = chi_square_of_two([n for _, n in glibc.values()], [n for _, n in ours.values()])
        note(f"glibc {[n for _, n in glibc.values()]} ours {[n for _, n in ours.values()]}: {statistic:.1f}")
        return statistic < CRITICAL

    return measure


def same_as_due(run_of_ours):
    attempts = itertools.count()

    def measure():
        ours = run_of_ours(next(attempts))
        statistic = chi_square_of_due([n for _, n in ours.values()], [c for c, _ in ours.values()])
        note(f"ours {[n for _, n in ours.values()]} of {[round(c, 2) for c, _ in ours.values()]}: {statistic:.1f}")
        return statistic < CRITICAL

    return measure


ok_in_three(same_as_glibc(fast_run), "our histogram and glibc's are of one distribution")
ok_in_three(same_as_glibc(timer_run), "so on the timer clock")
ok_in_three(same_as_due(fast_run), "at 1000 Hz the histogram is that of the CPU time used")
done()
