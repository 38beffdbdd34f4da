# SPDX-License-Identifier: MIT
"""record_cost.py - what samples with stacks cost a program that is always busy, and what they take on
the disk."""
import os
from statistics import median

from contenders import Refused
from record_tools import tools
from table import render, spread

HZ, HIGHEST_HZ = 999, 20000
LOAD_MS, RATE_MS = 2000, 500
LONG_MS = 10000  # for the bytes


class Load:
    """What record_load printed, and what its run took."""

    def __init__(self, run):
        words = {line.split()[0]: line.split()[1:] for line in run.output.splitlines() if line}
        gaps_ns = [float(word) for word in words["gaps_ns"]]
        self.cpu_ms = int(words["cpu_ns"][0]) / 1e6
        self.gaps_share = sum(gaps_ns) / float(words["passes_ns"][0])
        self.beside_ms = run.cpu_ms - self.cpu_ms
        self.taken = run.taken

    def samples_a_second(self):
        return self.taken.samples * 1e3 / self.cpu_ms


class RecordCost:
    def __init__(self, build):
        self.program = os.path.join(build, "bench/record_load")
        self.tools = tools(os.path.join(build, "dwell"))
        self.found = {}  # (tool's name, hz): [Load]
        self.long = {}  # tool's name: Taken
        self.reasons = {}  # tool's name: sentence

    def _measure(self, tool, hz, ms):
        try:
            load = Load(tool.run([self.program, str(ms)], hz))
        except (Refused, OSError, KeyError) as error:
            self.reasons[tool.name] = str(error)
        else:
            self.found.setdefault((tool.name, hz), []).append(load)

    def one_round(self):
        for tool in self.tools:
            self._measure(tool, HZ, LOAD_MS)
        for tool in self.tools:
            if tool.is_fastest:
                self._measure(tool, HIGHEST_HZ, RATE_MS)

    def finish(self):
        """How much is written hardly varies: once is enough."""
        for tool in self.tools[1:]:
            try:
                self.long[tool.name] = tool.run([self.program, str(LONG_MS)], HZ).taken
            except (Refused, OSError) as error:
                self.reasons[tool.name] = str(error)

    def _reason(self, tool):
        return [tool.name, self.reasons.get(tool.name, "nothing was measured")]

    def _rounds(self, tool, hz=HZ):
        return self.found.get((tool.name, hz), [])

    def _taken_share(self, tool, hz=HZ):
        """Of the CPU time of the program, by round, to the median of the plain rounds."""
        plain = median(load.gaps_share for load in self._rounds(self.tools[0]))
        return [load.gaps_share - plain for load in self._rounds(tool, hz)]

    def _beside_share(self, tool):
        plain = median(load.beside_ms for load in self._rounds(self.tools[0]))
        return [(load.beside_ms - plain) / load.cpu_ms for load in self._rounds(tool)]

    def _cost_row(self, tool):
        loads = self._rounds(tool)
        if not loads:
            return self._reason(tool)
        taken, beside = self._taken_share(tool), self._beside_share(tool)
        rate = median(load.samples_a_second() for load in loads)
        both = [a + b for a, b in zip(taken, beside)]
        return [
            tool.name,
            f"{rate:.0f}",
            spread([100 * share for share in taken], 2),
            f"{median(taken) * 1e6 / rate:.1f}",
            spread([100 * share for share in beside], 2),
            f"{100 * median(both):.2f}",
            f"{median(both) * 1e6 / rate:.1f}",
        ]

    def _rate_row(self, tool):
        loads = self._rounds(tool, HIGHEST_HZ)
        if not loads:
            return self._reason(tool)
        share = self._taken_share(tool, HIGHEST_HZ)
        rates = [load.samples_a_second() for load in loads]
        return [
            tool.name,
            spread(rates, 0),
            spread([100 * part for part in share], 1),
            f"{median(share) * 1e6 / median(rates):.1f}",
        ]

    def _bytes_row(self, tool):
        taken = self.long.get(tool.name)
        if not taken:
            return self._reason(tool)
        return [
            tool.name,
            f"{taken.samples:,}",
            f"{taken.in_use:,}",
            f"{taken.in_use / taken.samples:.1f}",
            f"{taken.reserved:,}",
            f"{taken.reserved / taken.samples:.1f}",
        ]

    def print_tables(self):
        if not self._rounds(self.tools[0]):
            print(f"Samples with stacks: {self._reason(self.tools[0])[1]}")
            return
        rivals = self.tools[1:]
        print(f"Samples with stacks, {HZ} a second asked for, of a program 20 to 40 frames deep. Per")
        print(f"cent of its {LOAD_MS / 1000:.0f} s of CPU time, and microseconds a sample:\n")
        header = ["", "samples/s", "from it %", "us", "beside it %", "both %", "us a sample"]
        print(render(header, [self._cost_row(tool) for tool in rivals]))
        print(f"\n{HIGHEST_HZ} a second asked for:\n")
        header = ["", "samples/s", "from it %", "us"]
        print(render(header, [self._rate_row(tool) for tool in rivals if tool.is_fastest]))
        print(f"\nWhat is written in {LONG_MS / 1000:.0f} s of CPU time:\n")
        header = ["", "samples", "bytes in use", "a sample", "bytes of the file", "a sample"]
        print(render(header, [self._bytes_row(tool) for tool in rivals]))
