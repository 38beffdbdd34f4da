# SPDX-License-Identifier: MIT
"""growth.py - how what a tool costs grows: with calls, with the rate of samples, with threads, and with libraries."""
import os
import shutil
import tempfile
from dataclasses import dataclass
from statistics import median

import calls_tools
import record_tools
from figures import show
from plot import Plot
from record_cost import Load
from running import Notes, Tool
from startup import tools as startup_tools
from table import render
from verdict import number, verdict, verdicts

CALLS = [10_000, 100_000, 1_000_000, 10_000_000]
MOST_CALLS = {"uftrace record": 1_000_000, "callgrind": 1_000_000, "ltrace -c": 10_000}  # what takes seconds
OF_CALLS = ["dwell calls --count", "dwell calls", "LD_PROFILE", *MOST_CALLS]
RATES = [100, 1_000, 10_000]
RATE_MS = 400
OF_RATES = ["dwell record", "dwell record --clock timer", "perf record -g", "perf record --call-graph dwarf", "gperftools"]
THREADS = [1, 10, 100, 1_000]
OBJECTS = [1, 10, 100, 300]

WHY_THREADS = "It has one timer for the whole process, and does nothing when a thread begins; so it does not know threads apart."
WHY_OBJECTS = (
    "dwell reads the tables of each object when it comes, to know where its functions and unwind rules are; gperftools and "
    "perf leave that to the report, and have no callers to find meanwhile."
)
WHY_CALLS = "It counts without timing."
WHY_RATES = "It writes its record in the interrupt itself, without a signal and without callers."


@dataclass
class Growth:
    """A table and a plot of what some tools cost at some sizes."""

    key: str  # of its figure
    title: str
    x_name: str
    y_name: str
    sizes: list
    names: list
    a_unit: str  # of the slope
    scale: float  # from y for an x to that
    why: str = ""

    def points(self, cost, name):
        """{size: [cost a round]}"""
        return {size: found for size in self.sizes if (found := cost(name, size))}

    def slopes(self, cost, name):
        """By round: what a further one costs, by the smallest and the largest."""
        points = self.points(cost, name)
        if len(points) < 2:
            return []
        low, high = min(points), max(points)
        return [self.scale * (b - a) / (high - low) for a, b in zip(points[low], points[high])]

    def row(self, cost, name, reason):
        points = self.points(cost, name)
        if not points:
            return [name, reason(name)]
        slopes = self.slopes(cost, name)
        cells = [number(median(points[size])) if size in points else "-" for size in self.sizes]
        slope = f"{number(median(slopes))} ({number(min(slopes))} .. {number(max(slopes))})" if slopes else "-"
        return [name, *cells, slope]

    def print(self, cost, reason):
        header = [f"{self.y_name}, by {self.x_name}", *(f"{size:,}" for size in self.sizes), self.a_unit]
        print(render(header, [self.row(cost, name, reason) for name in self.names]))
        plot = Plot(self.title, self.x_name, self.y_name)
        for name in self.names:
            for size, found in self.points(cost, name).items():
                plot.add(name, size, median(found))
        print("\n" + show(self.key, plot))
        rivals = {name: self.slopes(cost, name) for name in self.names}
        print(verdicts(verdict(f"{self.title}: {self.a_unit}", rivals, "", self.why)), end="\n\n")


class GrowthOfCost:
    def __init__(self, build):
        dwell = os.path.join(build, "dwell")
        self.programs = {name: os.path.join(build, "bench", name) for name in ("calls_probe", "record_load", "grow")}
        library = os.path.join(build, "bench", calls_tools.LIBRARY)
        self.callers = [t for t in calls_tools.tools(dwell, library) if t.name == "plain" or t.name in OF_CALLS]
        self.samplers = [t for t in record_tools.tools(build) if t.name == "plain" or t.name in OF_RATES]
        self.starters = startup_tools(dwell)
        self.folder = tempfile.TemporaryDirectory()
        for i in range(max(OBJECTS)):
            shutil.copy(library, os.path.join(self.folder.name, f"{i}.so"))
        self.notes = Notes()  # by (what grows, tool's name, size): ProbeRun, Load or Run

    def _grow(self, tool, *arguments):
        return Tool.run(tool, [self.programs["grow"], *map(str, arguments)], 999, wants_samples=False)

    def _load(self, tool, hz):
        return Load(tool.run([self.programs["record_load"], str(RATE_MS)], hz))

    def one_round(self):
        for size in CALLS:
            for tool in self.callers:
                if size <= MOST_CALLS.get(tool.name, size):
                    self.notes.take(("calls", tool.name, size), tool.probe, self.programs["calls_probe"], size)
        for hz in RATES:
            for tool in self.samplers:
                if tool.is_fastest or tool.name == "plain" or hz <= 4000:
                    self.notes.take(("rate", tool.name, hz), self._load, tool, hz)
        for what, sizes, more in (("threads", THREADS, []), ("objects", OBJECTS, [self.folder.name])):
            for size in sizes:
                for tool in self.starters:
                    self.notes.take((what, tool.name, size), self._grow, tool, what, size, *more)

    def finish(self):
        self.folder.cleanup()

    def _added(self, what, field, name, size):
        """By round, to the plain run of the same round."""
        plain = self.notes.of((what, "plain", size))
        return [getattr(b, field) - getattr(a, field) for a, b in zip(plain, self.notes.of((what, name, size)))]

    def _taken(self, name, hz):
        """Per cent of the program's time."""
        return [100 * share for share in self._added("rate", "gaps_share", name, hz)]

    def _written(self, name, calls):
        return [run.written_bytes for run in self.notes.of(("calls", name, calls))]

    def _reason(self, what, sizes):
        return lambda name: self.notes.reason((what, name, sizes[0]))

    def print_tables(self):
        names = [tool.name for tool in self.starters[1:]]
        Growth("calls", "Time added by calls", "calls", "ms added", CALLS, OF_CALLS, "ns a further call", 1e6, WHY_CALLS).print(
            lambda name, size: self._added("calls", "wall_ms", name, size), self._reason("calls", CALLS))
        Growth("calls_bytes", "Bytes written by calls", "calls", "bytes", CALLS, OF_CALLS, "bytes a further call", 1).print(
            self._written, self._reason("calls", CALLS))
        Growth("samples", "Time taken by samples", "samples a second asked for", "% of the program's time", RATES, OF_RATES,
               "us a further sample asked for", 1e4, WHY_RATES).print(self._taken, self._reason("rate", RATES))
        Growth("threads", "CPU time added by threads", "threads", "ms of CPU time added", THREADS, names,
               "us a further thread", 1e3, WHY_THREADS).print(
            lambda name, size: self._added("threads", "cpu_ms", name, size), self._reason("threads", THREADS))
        Growth("objects", "CPU time added by libraries", "libraries loaded", "ms of CPU time added", OBJECTS, names,
               "us a further library", 1e3, WHY_OBJECTS).print(
            lambda name, size: self._added("objects", "cpu_ms", name, size), self._reason("objects", OBJECTS))
