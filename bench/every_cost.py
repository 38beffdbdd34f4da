# SPDX-License-Identifier: MIT
"""every_cost.py - the cost of continuous recording at the rates it is used at: dwell record --every beside one recording."""
import glob
import os
from statistics import median

from record_cost import Load
from record_file import used_bytes
from record_tools import SampleTool, Taken, with_stacks
from running import Notes, Refused
from table import render, spread

RATES = [19, 100]
RUN_MS = 5000  # of CPU time
ONE_FILE = ("dwell record", "perf record -g")


class Pieces(SampleTool):
    def taken(self, folder, said):
        pieces = [used_bytes(path) for path in glob.glob(os.path.join(folder, "pieces", "*.dwell"))]
        if not pieces:
            raise Refused("there are no pieces")
        return Taken(*(sum(getattr(piece, name) for piece in pieces) for name in ("samples", "in_use", "reserved")))


def tools(build):
    """All that are compared; the first is the program by itself."""
    dwell = os.path.join(build, "dwell")
    every = (dwell, "record", "-q", "-F", "HZ", "--every", "1s", "-o", "FOLDER/pieces", "--")
    return [SampleTool("plain"), *(tool for tool in with_stacks(dwell) if tool.name in ONE_FILE), Pieces("dwell record --every 1s", every)]


class EveryCost:
    def __init__(self, build):
        self.program = os.path.join(build, "bench/record_load")
        self.plain, *self.tools = tools(build)
        self.notes = Notes()  # by (tool's name, hz): Load

    def _load(self, tool, hz):
        return Load(tool.run([self.program, str(RUN_MS)], hz))

    def one_round(self):
        for hz in RATES:
            for tool in [self.plain, *self.tools]:
                self.notes.take((tool.name, hz), self._load, tool, hz)

    def finish(self):
        """Everything is measured in rounds."""

    def _row(self, tool, hz):
        pairs = self.notes.pairs((self.plain.name, hz), (tool.name, hz))
        if not pairs:
            return [tool.name, self.notes.reason((tool.name, hz))]
        from_it = [100 * (load.gaps_share - plain.gaps_share) for plain, load in pairs]
        beside = [100 * (load.beside_ms - plain.beside_ms) / load.cpu_ms for plain, load in pairs]
        return [
            tool.name,
            f"{median(load.samples_a_second() for _, load in pairs):,.0f}",
            spread(from_it, 3),
            spread(beside, 3),
            f"{median(a + b for a, b in zip(from_it, beside)):.3f}",
            f"{median(load.taken.reserved for _, load in pairs):,}",
        ]

    def print_tables(self):
        print(f"Continuous recording of a busy program for {RUN_MS // 1000} s of its CPU time, with a piece for each second:\n")
        for hz in RATES:
            header = [f"{hz} a second", "samples/s", "from it %", "beside it %", "both %", "bytes on the disk"]
            print(render(header, [self._row(tool, hz) for tool in self.tools]), end="\n\n")
