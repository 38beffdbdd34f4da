# SPDX-License-Identifier: MIT
"""calls_cost.py - what a tool adds to a call, in one thread and in two, and what it writes."""
import os
from statistics import median

from calls_tools import NOTHING, tools
from contenders import Refused
from table import render, spread

AS_GOOD = 1.05  # a lesser ratio is no difference


def digits(values):
    """As many as say something."""
    return 1 if median(values) < 1000 else 0


def ns_spread(values):
    return spread(values, digits(values))


def ratio(value):
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


class CallsCost:
    def __init__(self, build):
        self.program = os.path.join(build, "bench/calls_probe")
        self.tools = tools(os.path.join(build, "dwell"))
        self.found = {}  # (tool's name, threads): [ProbeRun]
        self.reasons = {}  # tool's name: sentence
        self.sizes = {}  # tool's name: [bytes after few calls, after many]

    def _measure(self, tool, threads):
        try:
            run = tool.probe(self.program, tool.calls, threads)
        except Refused as refused:
            self.reasons[tool.name] = str(refused)
        else:
            self.found.setdefault((tool.name, threads), []).append(run)

    def one_round(self):
        for threads in (1, 2):
            for tool in self.tools:
                if threads <= tool.most_threads:
                    self._measure(tool, threads)

    def finish(self):
        """What is written does not vary: once is enough."""
        for tool in self.tools:
            try:
                self.sizes[tool.name] = [
                    tool.probe(self.program, calls).written_bytes for calls in tool.few_and_many
                ]
            except Refused as refused:
                self.reasons[tool.name] = str(refused)

    def _reason(self, tool):
        return [tool.name, self.reasons.get(tool.name, "nothing was measured")]

    def _call_ns(self, tool, threads, thread=0):
        return [run.call_ns[thread] for run in self.found.get((tool.name, threads), [])]

    def _added_ns(self, tool):
        """By round, to what a call took in the median of the plain rounds."""
        plain = median(self._call_ns(self.tools[0], 1))
        return [ns - plain for ns in self._call_ns(tool, 1)]

    def _added_to_two_readings(self, tool):
        """Both of the same process."""
        runs = self.found[tool.name, 1]
        return [a / run.two_readings_ns[0] for a, run in zip(self._added_ns(tool), runs)]

    def _best(self, tells):
        rivals = [t for t in self.tools if t.tells == tells and self._call_ns(t, 1)]
        return min(rivals, key=lambda tool: median(self._added_ns(tool)))

    def _to_best(self, tool):
        if tool.tells == NOTHING:
            return "-"
        best = self._best(tool.tells)
        times = median(self._added_ns(tool)) / median(self._added_ns(best))
        return "best" if times < AS_GOOD else f"{ratio(times)} x"

    def _bytes_a_call(self, tool):
        if tool.name not in self.sizes:
            return None
        (few, many), (before, after) = tool.few_and_many, self.sizes[tool.name]
        return (after - before) / (many - few)

    def _cost_row(self, tool):
        ns = self._call_ns(tool, 1)
        if not ns:
            return self._reason(tool)
        plain = median(self._call_ns(self.tools[0], 1))
        is_plain = tool is self.tools[0]
        grows = self._bytes_a_call(tool)
        return [
            tool.name,
            tool.tells,
            f"{median(ns):.{digits(ns)}f}",
            "-" if is_plain else ns_spread(self._added_ns(tool)),
            ratio(median(ns) / plain),
            "-" if is_plain else ratio(median(self._added_to_two_readings(tool))),
            "-" if grows is None else f"{grows:.0f}",
            self._to_best(tool),
        ]

    def _cost_table(self):
        header = [
            "a call that does nothing",
            "tells",
            "ns",
            "added ns",
            "to plain",
            "added, to two rdtsc",
            "bytes a call",
            "to the best",
        ]
        return render(header, [self._cost_row(tool) for tool in self.tools])

    def _threads_row(self, tool):
        alone = self._call_ns(tool, 1)
        first, second = (self._call_ns(tool, 2, thread) for thread in (0, 1))
        if not alone or not first:
            return self._reason(tool)
        both = median(first + second)
        return [
            tool.name,
            ns_spread(alone),
            ns_spread(first),
            ns_spread(second),
            ratio(both / median(alone)),
        ]

    def _threads_table(self):
        header = ["ns a call", "one thread", "the first of two", "the second", "two to one"]
        rows = [self._threads_row(tool) for tool in self.tools if tool.most_threads > 1]
        return render(header, rows)

    def _size_row(self, tool):
        if tool.name not in self.sizes:
            return self._reason(tool)
        cells = []
        for calls, size in zip(tool.few_and_many, self.sizes[tool.name]):
            cells += [f"{calls:,}", f"{size:,}"]
        return [tool.name, *cells]

    def _size_table(self):
        header = ["what is written", "calls", "bytes", "calls", "bytes"]
        return render(header, [self._size_row(tool) for tool in self.tools[1:]])

    def print_tables(self):
        plain = self.found.get((self.tools[0].name, 1), [])
        if not plain:
            print(f"The cost of a call: {self._reason(self.tools[0])[1]}")
            return
        two = [run.two_readings_ns[0] for run in plain]
        print("What a call of a library's function that does nothing takes, through the PLT. Two")
        print(f"rdtsc, without which no call can be timed, take {ns_spread(two)} ns alone.\n")
        print(self._cost_table())
        print("\nThe same function called by two threads at once:\n")
        print(self._threads_table())
        print("\nHow large the recording is:\n")
        print(self._size_table())
