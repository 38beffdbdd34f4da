# SPDX-License-Identifier: MIT
"""record_cost.py - the cost of samples in a program that is always busy, with stacks and without, and their size on
the disk."""
import os
from statistics import median

from record_tools import tools
from running import Notes
from table import render, spread
from verdict import verdict, verdicts

RATES = {999: 1200, 10_000: 600}  # a second: milliseconds of CPU time
LONG_MS = 3000  # for the bytes

# Reasons that are printed if dwell is not best; see verdict.py.
WHY_FROM_IT = (
    "The interrupt is the same for both. perf's record is written by the kernel within it, with callers found by frame "
    "pointers, which this program does not have, or with 8 kB of stack, which are walked when the report is made; dwell gets a "
    "signal, and walks the stack at once."
)
WHY_FROM_IT_PLAIN = "The interrupt is the same for both; perf's record is written by the kernel within it, while ours takes a signal."
WHY_ON_TICK = (
    "Both walk the stack in a signal that comes with the kernel's tick; dwell also records the time and the thread, and adds "
    "up late ticks."
)
WHY_BYTES = "It keeps an address for each sample and neither time nor thread."


class Load:
    """The output of record_load, and the time of its run."""

    def __init__(self, done):
        words = {line.split()[0]: line.split()[1:] for line in done.output.splitlines() if line}
        gaps_ns = [float(word) for word in words["gaps_ns"]]
        self.cpu_ms = int(words["cpu_ns"][0]) / 1e6
        self.gaps_share = sum(gaps_ns) / float(words["passes_ns"][0])
        self.beside_ms = done.cpu_ms - self.cpu_ms
        self.taken = done.taken

    def samples_a_second(self):
        return self.taken.samples * 1e3 / self.cpu_ms


class RecordCost:
    def __init__(self, build):
        self.program = os.path.join(build, "bench/record_load")
        self.plain, *self.tools = tools(build)
        self.notes = Notes()  # by (tool's name, hz): Load; by (tool's name, "long"): Taken

    def _load(self, tool, hz, ms):
        return Load(tool.run([self.program, str(ms)], hz))

    def one_round(self):
        for hz, ms in RATES.items():
            for tool in [self.plain, *self.tools]:
                if hz == 999 or tool is self.plain or tool.is_fastest:
                    self.notes.take((tool.name, hz), self._load, tool, hz, ms)

    def finish(self):
        """How much is written hardly varies: once is enough."""
        for tool in self.tools:
            self.notes.take((tool.name, "long"), lambda tool=tool: tool.run([self.program, str(LONG_MS)], 999).taken)

    def _taken_share(self, tool, hz):
        """Returns the share of the program's CPU time, by round, less the median of the plain rounds."""
        plain = median(load.gaps_share for load in self.notes.of((self.plain.name, hz)))
        return [load.gaps_share - plain for load in self.notes.of((tool.name, hz))]

    def _beside_share(self, tool, hz):
        plain = median(load.beside_ms for load in self.notes.of((self.plain.name, hz)))
        return [(load.beside_ms - plain) / load.cpu_ms for load in self.notes.of((tool.name, hz))]

    def _both_share(self, tool, hz):
        return [a + b for a, b in zip(self._taken_share(tool, hz), self._beside_share(tool, hz))]

    def _us_a_sample(self, tool, hz):
        rates = [load.samples_a_second() for load in self.notes.of((tool.name, hz))]
        return [share * 1e6 / rate for share, rate in zip(self._taken_share(tool, hz), rates) if rate]

    def _cost_row(self, tool, hz):
        loads = self.notes.of((tool.name, hz))
        if not loads or not self._us_a_sample(tool, hz):
            return [tool.name, self.notes.reason((tool.name, hz))]
        rate, both = median(load.samples_a_second() for load in loads), self._both_share(tool, hz)
        return [
            tool.name,
            f"{rate:,.0f}",
            spread([100 * share for share in self._taken_share(tool, hz)], 2),
            spread(self._us_a_sample(tool, hz)),
            spread([100 * share for share in self._beside_share(tool, hz)], 2),
            f"{100 * median(both):.2f}",
            f"{median(both) * 1e6 / rate:.1f}",
        ]

    def _bytes_row(self, tool):
        found = self.notes.of((tool.name, "long"))
        if not found or not found[0].samples:
            return [tool.name, self.notes.reason((tool.name, "long"))]
        taken = found[0]
        return [
            tool.name,
            f"{taken.samples:,}",
            f"{taken.in_use:,}",
            f"{taken.in_use / taken.samples:.1f}",
            f"{taken.reserved:,}",
            f"{taken.reserved / taken.samples:.1f}",
        ]

    def _print_cost(self, hz, has_stacks):
        rivals = [tool for tool in self.tools if tool.has_stacks == has_stacks and (hz == 999 or tool.is_fastest)]
        what = f"{hz:,} Hz, {'with' if has_stacks else 'without'} stacks"
        header = [what, "samples/s", "overhead (%)", "overhead (us/sample)", "tool (%)", "total (%)", "total (us/sample)"]
        print(render(header, [self._cost_row(tool, hz) for tool in rivals]))
        own = [tool for tool in rivals if not tool.on_tick]
        tick = [tool for tool in rivals if tool.on_tick and tool.has_stacks]
        print(verdicts(
            verdict(f"overhead per sample in the program, {what}", {t.name: self._us_a_sample(t, hz) for t in own}, "us",
                    WHY_FROM_IT if has_stacks else WHY_FROM_IT_PLAIN),
            verdict(f"total CPU time, including the tool, {what}",
                    {t.name: [100 * share for share in self._both_share(t, hz)] for t in own}, "%"),
            verdict(f"total CPU time, on the kernel's tick, {what}",
                    {t.name: [100 * share for share in self._both_share(t, hz)] for t in tick}, "%", WHY_ON_TICK),
        ), end="\n\n")

    def _bytes_verdict(self, has_stacks):
        rivals = {}
        for tool in self.tools:
            found = self.notes.of((tool.name, "long"))
            if found and found[0].reserved and found[0].samples and tool.has_stacks == has_stacks:
                rivals[tool.name] = [found[0].reserved / found[0].samples]
        return verdict(f"bytes per sample on disk, {'with' if has_stacks else 'without'} stacks", rivals, "bytes", WHY_BYTES)

    def print_tables(self):
        if not self.notes.of((self.plain.name, 999)):
            print(f"Samples: {self.notes.reason((self.plain.name, 999))}")
            return
        print("Overhead of sampling in a program that is always busy, 20 to 40 frames deep. Percentages are of its CPU time:\n")
        for hz in RATES:
            for has_stacks in (True, False):
                self._print_cost(hz, has_stacks)
        print(f"Bytes written in {LONG_MS / 1000:.0f} s of CPU time at 999 Hz:\n")
        header = ["profiler", "samples", "used (bytes)", "used (bytes/sample)", "file (bytes)", "file (bytes/sample)"]
        rows = [self._bytes_row(tool) for tool in self.tools if not tool.name.startswith(("libprofil", "glibc"))]
        print(render(header, rows))
        print(verdicts(self._bytes_verdict(True), self._bytes_verdict(False)))
