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
from startup import SAMPLERS
from startup import tools as startup_tools
from table import render
from verdict import number, verdict, verdicts

CALLS = [10_000, 100_000, 1_000_000, 10_000_000]
# More would take these a minute.
MOST_CALLS = {"uftrace record": 1_000_000, "callgrind": 1_000_000, "ltrace -c": 10_000}
MOST = {("threads", "ltrace -c"): 100, ("objects", "ltrace -c"): 10}
COUNTED = ["dwell calls --count", "LD_PROFILE", "callgrind"]
TIMED = ["dwell calls", "uftrace record", "ltrace -c"]
OF_CALLS = [*COUNTED, *TIMED]
RATES = [100, 1_000, 10_000]
RATE_MS = 400
OF_RATES = ["dwell record", "dwell record --clock timer", "perf record -g", "perf record --call-graph dwarf", "gperftools"]
THREADS = [1, 10, 100, 1_000]
OBJECTS = [1, 10, 100, 300]

TIMER = "dwell record --clock timer"
OF_THREADS = {"samples, own interrupts": ("dwell record", "perf record -g"), "samples, on the kernel's tick": (TIMER, "gperftools")}
OF_OBJECTS = {"samples": SAMPLERS}

WHY_THREADS = (
    "dwell opens a clock for each thread that starts and closes it when it exits, so that even threads that run for less than a "
    "tick get their share. With its own interrupts the clock is a perf event; to open, map, close and unmap it is most of the "
    "cost of a thread here. It is mapped because dwell keeps no descriptor open in a program. perf has the "
    "kernel copy one event to each thread, where it starts with a whole period; gperftools has one timer for all threads, and "
    "does not distinguish them."
)
WHY_OBJECTS = (
    "dwell records each object with its build-id, and finds its unwind table, while the program runs; gperftools copies "
    "the list of mappings at the end, and its reports read the files that are at these paths by then."
)
WHY_RATES = "perf's record is written in the interrupt itself, without a signal, and has no callers or leaves them to the report."


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
    races: dict  # kind of result: names of the tools that have it, which are compared
    why: str = ""
    least_y: float = 0  # see Plot

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
        plot = Plot(self.title, self.x_name, self.y_name, least_y=self.least_y)
        for name in self.names:
            for size, found in self.points(cost, name).items():
                plot.add(name, size, median(found))
        print("\n" + show(self.key, plot))
        print(verdicts(*(
            verdict(f"{self.a_unit}, {result}", {name: self.slopes(cost, name) for name in names}, "", self.why)
            for result, names in self.races.items()
        )), end="\n\n")


class GrowthOfCost:
    def __init__(self, build):
        dwell = os.path.join(build, "dwell")
        self.programs = {name: os.path.join(build, "bench", name) for name in ("calls_probe", "record_load", "grow")}
        library = os.path.join(build, "bench", calls_tools.LIBRARY)
        self.callers = [t for t in calls_tools.tools(dwell, library) if t.name == "plain" or t.name in OF_CALLS]
        self.samplers = [t for t in record_tools.tools(build) if t.name == "plain" or t.name in OF_RATES]
        self.starters = startup_tools(dwell)
        self.starters[2:2] = [t for t in self.samplers if t.name == TIMER]
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
                    if size <= MOST.get((what, tool.name), size):
                        self.notes.take((what, tool.name, size), self._grow, tool, what, size, *more)

    def finish(self):
        self.folder.cleanup()

    def _added(self, what, field, name, size):
        """By round, to the plain run of the same round."""
        pairs = self.notes.pairs((what, "plain", size), (what, name, size))
        return [getattr(run, field) - getattr(plain, field) for plain, run in pairs]

    def _taken(self, name, hz):
        """Per cent of the program's time."""
        return [100 * share for share in self._added("rate", "gaps_share", name, hz)]

    def _written(self, name, calls):
        return [run.written_bytes for run in self.notes.of(("calls", name, calls))]

    def _reason(self, what, sizes):
        return lambda name: self.notes.reason((what, name, sizes[0]))

    def _print_calls(self):
        races = {"counted": COUNTED, "timed": TIMED}
        Growth("calls", "CPU overhead by calls", "calls", "CPU overhead (ms)", CALLS, OF_CALLS, "marginal cost (ns/call)", 1e6,
               races).print(lambda name, size: self._added("calls", "cpu_ms", name, size), self._reason("calls", CALLS))
        Growth("calls_bytes", "Bytes written by calls", "calls", "bytes", CALLS, OF_CALLS, "marginal cost (bytes/call)", 1,
               races).print(self._written, self._reason("calls", CALLS))

    def _print_samples(self):
        races = {"own interrupts": [t.name for t in self.samplers if not t.on_tick and t.name in OF_RATES],
                 "on the kernel's tick": [t.name for t in self.samplers if t.on_tick]}
        Growth("samples", "Overhead of samples", "requested samples/s", "overhead (%)", RATES, OF_RATES,
               "marginal cost (us/sample)", 1e4, races, WHY_RATES, 0.03).print(self._taken, self._reason("rate", RATES))

    def _print_processes(self, what, sizes, x_name, a_unit, of_samples, why):
        names = [tool.name for tool in self.starters[1:]]
        races = of_samples | {"calls": [name for name in names if name not in (*SAMPLERS, TIMER)]}
        Growth(what, f"CPU overhead by {x_name}", x_name, "CPU overhead (ms)", sizes, names, a_unit, 1e3, races, why).print(
            lambda name, size: self._added(what, "cpu_ms", name, size), self._reason(what, sizes))

    def print_tables(self):
        self._print_calls()
        self._print_samples()
        self._print_processes("threads", THREADS, "threads", "marginal cost (us/thread)", OF_THREADS, WHY_THREADS)
        self._print_processes("objects", OBJECTS, "libraries", "marginal cost (us/library)", OF_OBJECTS, WHY_OBJECTS)
