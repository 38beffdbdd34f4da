# SPDX-License-Identifier: MIT
"""python_beside.py - Python functions in stacks and as callers beside CPython's own way, the trampolines of -X perf: the cost of
each, and in how many stacks of one recording both have the same functions. Debian has no package of py-spy."""
import os
import re
import tempfile

from python_cost import interpreters
from running import Notes, run
from table import render, spread

HERE = os.path.dirname(os.path.abspath(__file__))
LOAD = os.path.join(HERE, "python_load.py")
FIB, CALLS, MIXED = 27, 500000, 1500
HZ = 999
TRAMPOLINES = (3, 12)  # the first version that has them
SCRIPTS = 1 << 62  # the first address of functions of scripts
FRAME = re.compile(r"^\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \(.*\)$")


def number_of(version):
    return tuple(map(int, version.split(".")))


def stacks(dwell, data, option):
    """The stacks of a recording by their sample, which has a thread and a time: {sample: [(address, function), ...]}."""
    found, sample = {}, None
    for line in run([dwell, "export", "-f", "perf-script", option, data]).output.splitlines():
        frame = FRAME.match(line)
        if line[:1].strip():
            sample = line
            found[sample] = []
        elif frame:
            found[sample].append((int(frame[1], 16), frame[2]))
    return found


def by_trampolines(stack):
    return [name.split(":")[2] for _, name in stack if name.startswith("py::")]


def by_frames(stack):
    return [name for address, name in stack if address >= SCRIPTS]


def is_within(few, many):
    """All of the few are among the many, in the same order."""
    rest = iter(many)
    return all(name in rest for name in few)


class PythonBeside:
    def __init__(self, build):
        self.dwell = os.path.join(build, "dwell")
        self.notes = Notes()

    def cpu_ns(self, before, path, options, load):
        with tempfile.TemporaryDirectory() as folder:
            words = [word.replace("FOLDER", folder) for word in before]
            output = run([*words, path, *options, LOAD, *load]).output
        return int(output.split()[-1])

    def agreement(self, path):
        """(stacks with the same functions by both, those where trampolines leave some out, all that have a function by either).
        CPython calls some functions without a trampoline, such as __init__ in 3.13."""
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data")
            run([self.dwell, "record", "-q", "-F", str(HZ), "-o", data, path, "-X", "perf", LOAD, "mixed", str(MIXED)])
            natives, merged = (stacks(self.dwell, data, option) for option in ("--no-python", "--native"))
        pairs = [(by_trampolines(natives.get(sample, [])), by_frames(merged.get(sample, []))) for sample in natives | merged]
        pairs = [pair for pair in pairs if any(pair)]
        same = sum(one == other for one, other in pairs)
        return same, sum(is_within(one, other) for one, other in pairs) - same, len(pairs)

    def one_round(self):
        record = [self.dwell, "record", "-q", "-F", str(HZ), "-o", "FOLDER/data"]
        calls = [self.dwell, "calls", "-q", "-f", "libz*:crc32", "-o", "FOLDER/data"]
        for version, path in interpreters():
            fib, many = ["fib", str(FIB)], ["calls", str(CALLS)]
            self.notes.take((version, "plain"), self.cpu_ns, [], path, [], fib)
            self.notes.take((version, "record"), self.cpu_ns, record, path, [], fib)
            if number_of(version) >= TRAMPOLINES:
                self.notes.take((version, "perf"), self.cpu_ns, [], path, ["-X", "perf"], fib)
                self.notes.take((version, "agreement"), self.agreement, path)
            self.notes.take((version, "uncounted"), self.cpu_ns, [], path, [], many)
            self.notes.take((version, "object"), self.cpu_ns, [*calls, "--by-caller=object"], path, [], many)
            self.notes.take((version, "caller"), self.cpu_ns, [*calls, "--by-caller"], path, [], many)

    def finish(self):
        pass

    def cell(self, version, what, scale):
        values = [value / scale for value in self.notes.of((version, what))]
        return spread(values) if values else "-"

    def added(self, version, what):
        """Overhead per call, of each round."""
        values = [(after - before) / CALLS for before, after in self.notes.pairs((version, "uncounted"), (version, what))]
        return spread(values) if values else "-"

    def agreed(self, version):
        found = self.notes.of((version, "agreement"))
        return [f"{sum(numbers):,}" for numbers in zip(*found)] if found else ["-"] * 3

    def print_tables(self):
        versions = [version for version, _ in interpreters() if self.notes.of((version, "plain"))]
        print(f"\nfib({FIB}), CPU time (ms): by itself, under dwell record at {HZ} samples/s, and with -X perf without a profiler; and stacks of a mixed "
              "load under both with the same Python functions by either:\n")
        print(render(["Python", "plain (ms)", "dwell record (ms)", "-X perf (ms)", "stacks that agree", "-X perf has fewer", "stacks"],
                     [[version, *(self.cell(version, what, 1e6) for what in ("plain", "record", "perf")), *self.agreed(version)]
                      for version in versions]))
        print("\nzlib.crc32() of 3 bytes under dwell calls, overhead per call by the caller that is recorded:\n")
        print(render(["Python", "--by-caller=object (ns/call)", "--by-caller (ns/call)"],
                     [[version, self.added(version, "object"), self.added(version, "caller")] for version in versions]))
