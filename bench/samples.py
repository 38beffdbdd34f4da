# SPDX-License-Identifier: MIT
"""samples.py - the cost of a sample and the achieved rate, beside glibc and gperftools."""
import os
from statistics import median

from contenders import contenders, perf_interrupt
from gaps import Gaps, Sent, Work
from running import Refused
from table import render, spread
from verdict import verdict, verdicts

DEFAULT_HZ = 100
RATES = [100, 250, 999, 4000, 10000, 20000]

# Reasons that are printed if libprofil is not best; see verdict.py.
WHY_SAMPLE = (
    "libprofil's handler counts in a way that is right with threads, and adds up ticks that came late; glibc's increments "
    "one counter."
)

DEFAULT_MS = 1000  # how long the probe runs at the default rate,
RATE_MS = {250: 400}  # and at others
FAST_MS = 250

WORK_BLOCKS, WORK_CHUNKS = 2, 100
SENT_COUNT = 4000


class Results:
    """The results by contender and measurement, or the reason for a missing one."""

    def __init__(self, program):
        self.program = program
        self.found = {}  # (contender's name, what): [one a round]
        self.reasons = {}  # (contender's name, what): sentence

    def measure(self, contender, what, kind, hz, *arguments):
        try:
            output = kind(contender.probe(self.program, hz, *arguments))
            contender.check(output)
        except Refused as refused:
            self.reasons[contender.name, what] = str(refused)
        else:
            self.found.setdefault((contender.name, what), []).append(output)

    def of(self, contender, what):
        return self.found.get((contender.name, what), [])

    def telling_cost(self, contender, hz):
        return [run for run in self.of(contender, hz) if run.tells_cost()]

    def reason(self, contender, what):
        return self.reasons.get((contender.name, what), "too disturbed: is the machine busy?")


def rates_of(contender):
    return RATES if contender.hz_variable else [DEFAULT_HZ]


def one_round(results, profilers, ring):
    """Everything once, so that what the machine does meanwhile is shared by all."""
    for contender in [*profilers, ring]:
        results.measure(contender, DEFAULT_HZ, Gaps, DEFAULT_HZ, "gaps", DEFAULT_MS)
    for contender in profilers:
        for hz in rates_of(contender):
            if hz != DEFAULT_HZ:
                ms = RATE_MS.get(hz, FAST_MS)
                results.measure(contender, hz, Gaps, hz, "gaps", ms)
        results.measure(
            contender, "work", Work, contender.max_hz, "work", WORK_BLOCKS, WORK_CHUNKS
        )
        results.measure(contender, "sent", Sent, DEFAULT_HZ, "sent", SENT_COUNT)


def added_by_round(runs):
    return [run.added_us_a_sample() for run in runs]


def mostly_ride_on_tick(runs):
    return sum(run.rides_on_tick() for run in runs) * 2 > len(runs)


def cost_row(results, contender, ring, baseline):
    runs = results.telling_cost(contender, DEFAULT_HZ)
    if not runs:
        return [contender.name, results.reason(contender, DEFAULT_HZ)]
    added = added_by_round(runs)
    if mostly_ride_on_tick(runs):
        whose, own_us = "the kernel's tick", 0
        interrupts = [run.plain_tick_us() for run in runs]
    else:
        interrupts = [run.interruption_us() for run in results.telling_cost(ring, DEFAULT_HZ)]
        whose, own_us = "its own", median(interrupts) if interrupts else 0
    return [
        contender.name,
        whose,
        f"{median(interrupts):.1f}" if interrupts else "-",
        f"{median(added) - own_us:.1f}",
        spread(added),
        f"{median(added) / baseline:.2f}" if baseline else "-",
        f"{median(added) * DEFAULT_HZ / 1e4:.2f} %",
    ]


def cost_table(results, profilers, ring):
    glibc = results.telling_cost(profilers[0], DEFAULT_HZ)
    baseline = median(added_by_round(glibc)) if glibc else None
    header = [
        "100 samples/s",
        "interrupt",
        "interrupt (us)",
        "signal and handler (us)",
        "overhead (us/sample)",
        "ratio to glibc",
        "share of a CPU",
    ]
    return render(header, [cost_row(results, c, ring, baseline) for c in profilers])


def rate_cell(results, contender, hz):
    runs = results.of(contender, hz)
    if not runs:
        return "-"
    came = median(run.interruptions_a_second() for run in runs)
    accounted = median(run.accounted(hz) for run in runs)
    return f"{came:.0f}, {100 * accounted:.0f} %"


def rate_table(results, profilers):
    header = ["requested rate (Hz)"] + [str(hz) for hz in RATES]
    rows = [[c.name] + [rate_cell(results, c, hz) for hz in RATES] for c in profilers]
    return render(header, rows)


def work_row(results, contender):
    runs = [run for run in results.of(contender, "work") if run.interruptions]
    if not runs:
        return [contender.name, results.reason(contender, "work")]
    by_work = [run.added_us_an_interruption() for run in runs]
    noise = f"in the noise ({min(by_work):.0f} .. {max(by_work):.0f})"
    gaps = [g for g in results.telling_cost(contender, contender.max_hz) if not g.rides_on_tick()]
    came = median(run.interruptions_a_second() for run in runs)
    return [
        contender.name,
        str(contender.max_hz),
        f"{came:.0f}",
        noise if min(by_work) <= 0 else spread(by_work),
        spread(added_by_round(gaps)) if gaps else "-",
    ]


def work_table(results, profilers):
    header = ["highest rate", "requested (Hz)", "achieved (Hz)", "overhead by work (us)", "overhead by gaps (us)"]
    return render(header, [work_row(results, c) for c in profilers])


def sent_row(results, contender, glibc):
    runs = results.of(contender, "sent")
    if not runs:
        return [contender.name, results.reason(contender, "sent")]
    cells = [contender.name]
    for kind in ("warm_us", "cold_us"):
        values = [getattr(run, kind) for run in runs]
        # Values of the same round: both share the other load of the machine.
        ratios = [value / getattr(other, kind) for value, other in zip(values, glibc)]
        cells += [spread(values, 2), f"{median(ratios):.2f}" if ratios else "-"]
    return cells


def sent_table(results, profilers):
    glibc = results.of(profilers[0], "sent")
    header = ["signal and handler", "warm caches (us)", "ratio to glibc", "cold caches (us)", "ratio to glibc"]
    return render(header, [sent_row(results, c, glibc) for c in profilers])


def sent_verdict(results, profilers, kind, what):
    rivals = {c.name: [getattr(run, kind) for run in results.of(c, "sent")] for c in profilers}
    return verdict(f"time of signal and handler, {what}", rivals, "us", WHY_SAMPLE)


def cost_verdict(results, profilers):
    rivals = {c.name: added_by_round(results.telling_cost(c, DEFAULT_HZ)) for c in profilers}
    return verdict("overhead per sample, 100 Hz, profil() and gperftools", rivals, "us", WHY_SAMPLE)


class Samples:
    def __init__(self, build):
        self.profilers = contenders(os.path.join(build, "src/runtime/libprofil.so"))
        self.ring = perf_interrupt()
        self.results = Results(os.path.join(build, "bench/probe"))

    def one_round(self):
        one_round(self.results, self.profilers, self.ring)

    def finish(self):
        pass

    def print_tables(self):
        print("Overhead per sample, measured by gaps in a loop:\n")
        print(cost_table(self.results, self.profilers, self.ring))
        print(verdicts(cost_verdict(self.results, self.profilers)))
        print("\nAchieved rate: interruptions per second of CPU time, and the share of the CPU")
        print("time that their samples add up to:\n")
        print(rate_table(self.results, self.profilers))
        print("\nSignal and handler without the interrupt: the program sends itself the profiler's signal.\n")
        print(sent_table(self.results, self.profilers))
        print(verdicts(sent_verdict(self.results, self.profilers, "warm_us", "warm caches"),
                       sent_verdict(self.results, self.profilers, "cold_us", "cold caches")))
        print("\nCross-check at the highest rate, by the added time of the same work:\n")
        print(work_table(self.results, self.profilers))
