# SPDX-License-Identifier: MIT
"""calls_cost.py - the overhead of a tool per call, in one thread and in two, and the bytes it writes."""
import os
from statistics import median

from calls_tools import COUNTS, LIBRARY, NOTHING, SAMPLED, TIMES, tools
from running import Notes
from table import render, spread
from verdict import AS_GOOD, verdict, verdicts


def digits(values):
    """Returns the number of digits worth printing."""
    return 1 if median(values) < 1000 else 0


def ns_spread(values):
    return spread(values, digits(values))


def ratio(value):
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


class CallsCost:
    def __init__(self, build):
        self.program = os.path.join(build, "bench/calls_probe")
        self.tools = tools(os.path.join(build, "dwell"), os.path.join(build, "bench", LIBRARY))
        self.notes = Notes()  # by (tool's name, threads): ProbeRun; by (tool's name, "sizes"): [bytes after few, after many]

    def one_round(self):
        for threads in (1, 2):
            for tool in self.tools:
                self.notes.take((tool.name, threads), tool.probe, self.program, tool.calls, threads)

    def _sizes(self, tool):
        return [tool.probe(self.program, calls).written_bytes for calls in tool.few_and_many]

    def finish(self):
        """Measures the bytes written once: they do not vary."""
        for tool in self.tools[1:]:
            self.notes.take((tool.name, "sizes"), self._sizes, tool)

    def _reason(self, tool, what):
        return [tool.name, self.notes.reason((tool.name, what))]

    def _size(self, tool):
        found = self.notes.of((tool.name, "sizes"))
        return found[0] if found else None

    def _call_ns(self, tool, threads, thread=0):
        return [run.call_ns[thread] for run in self.notes.of((tool.name, threads))]

    def _added_ns(self, tool, threads=1):
        """By round, of the slower thread, to what a call took in the median of the plain rounds."""
        plain = median(self._call_ns(self.tools[0], threads))
        return [max(run.call_ns) - plain for run in self.notes.of((tool.name, threads))]

    def _added_to_two_readings(self, tool):
        """Both of the same process."""
        runs = self.notes.of((tool.name, 1))
        return [a / run.two_readings_ns[0] for a, run in zip(self._added_ns(tool), runs)]

    def _best(self, result):
        rivals = [tool for tool in self.tools if tool.result == result and self._call_ns(tool, 1)]
        return min(rivals, key=lambda tool: median(self._added_ns(tool)))

    def _to_best(self, tool):
        if tool.result == NOTHING:
            return "-"
        best = self._best(tool.result)
        least = median(self._added_ns(best))
        times = median(self._added_ns(tool)) / least if least > 0 else 0  # noise can be more than what it counts costs
        return "best" if tool is best or 0 < times < AS_GOOD else f"{ratio(times)} x" if times else "-"

    def _bytes_a_call(self, tool):
        if not self._size(tool):
            return None
        (few, many), (before, after) = tool.few_and_many, self._size(tool)
        return (after - before) / (many - few)

    def _cost_row(self, tool):
        ns = self._call_ns(tool, 1)
        if not ns:
            return self._reason(tool, 1)
        plain = median(self._call_ns(self.tools[0], 1))
        is_plain = tool is self.tools[0]
        grows = self._bytes_a_call(tool)
        return [
            tool.name,
            tool.result,
            f"{median(ns):,.{digits(ns)}f}",
            "-" if is_plain else ns_spread(self._added_ns(tool)),
            ratio(median(ns) / plain),
            "-" if is_plain else ratio(median(self._added_to_two_readings(tool))),
            "-" if grows is None else f"{max(grows, 0):.0f}",
            self._to_best(tool),
        ]

    def _cost_table(self):
        header = [
            "call of an empty function",
            "result",
            "time (ns/call)",
            "overhead (ns/call)",
            "ratio to plain",
            "overhead / two rdtsc",
            "bytes/call",
            "ratio to best",
        ]
        return render(header, [self._cost_row(tool) for tool in self.tools])

    def _threads_row(self, tool):
        alone = self._call_ns(tool, 1)
        first, second = (self._call_ns(tool, 2, thread) for thread in (0, 1))
        if not alone or not first:
            return self._reason(tool, 2)
        both = median(first + second)
        return [
            tool.name,
            ns_spread(alone),
            ns_spread(first),
            ns_spread(second),
            ratio(both / median(alone)),
        ]

    def _threads_table(self):
        header = ["time (ns/call)", "one thread", "first of two", "second of two", "ratio of two to one"]
        return render(header, [self._threads_row(tool) for tool in self.tools])

    def _size_row(self, tool):
        if not self._size(tool):
            return self._reason(tool, "sizes")
        cells = []
        for calls, size in zip(tool.few_and_many, self._size(tool)):
            cells += [f"{calls:,}", f"{size:,}"]
        return [tool.name, *cells]

    def _size_table(self):
        header = ["size of the recording", "calls", "bytes", "calls", "bytes"]
        return render(header, [self._size_row(tool) for tool in self.tools[1:]])

    def _time_verdicts(self, threads):
        titles = {COUNTS: "counted", SAMPLED: "sampled timing", TIMES: "timed"}
        lines = []
        for result, title in titles.items():
            rivals = {t.name: self._added_ns(t, threads) for t in self.tools if t.result == result}
            lines.append(verdict(f"overhead per call, {title}, {'one thread' if threads == 1 else 'two threads'}", rivals, "ns"))
        return verdicts(*lines)

    def _size_verdict(self):
        rivals = {t.name: [max(self._bytes_a_call(t), 0)] for t in self.tools if t.result == TIMES and self._size(t)}
        why = ("A function's histogram gets a bucket for each new length of a call, some hundred at most: the recording does not grow "
               "with the calls.")
        return verdicts(verdict("bytes per call, timed", rivals, "bytes", why))

    def print_tables(self):
        plain = self.notes.of((self.tools[0].name, 1))
        if not plain:
            print(f"Overhead per call: {self._reason(self.tools[0], 1)[1]}")
            return
        two = [run.two_readings_ns[0] for run in plain]
        print("Overhead of a call of an empty library function, through the PLT. Two")
        print(f"rdtsc, without which no call can be timed, take {ns_spread(two)} ns alone.\n")
        print(self._cost_table())
        print(self._time_verdicts(1))
        print("\nThe same function called by two threads at once:\n")
        print(self._threads_table())
        print(self._time_verdicts(2))
        print("\nSize of the recording after few calls and after many:\n")
        print(self._size_table())
        print(self._size_verdict())
