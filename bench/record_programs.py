# SPDX-License-Identifier: MIT
"""record_programs.py - what samples with stacks add to real programs, when they work and when they do
nothing but start."""
import os
import tempfile
from dataclasses import dataclass
from statistics import median

from calls_command import PYTHON
from calls_programs import SCRIPT, SQL, write_text
from contenders import Refused
from record_tools import tools
from table import render, spread

HZ = 999
REPEATS = 3  # of a start: the quickest counts, which is the one that nothing disturbed


@dataclass
class Program:
    name: str
    command: list
    is_start: bool = False


def programs(build, text):
    script = "for _ in range(8):" + SCRIPT.replace("\n", "\n ")
    return [
        Program("xz -T1 -1, of 10 MB", ["xz", "-T1", "-1", "-k", "-f", text]),
        Program("sqlite3, 600,000 rows", ["sqlite3", ":memory:", SQL.replace("200000", "600000")]),
        Program("python3, json re zlib", [PYTHON, "-c", script]),
        Program("a small one", [os.path.join(build, "bench/calls_start"), "NOW"], True),
        Program("python3 -c pass", [PYTHON, "-c", "pass"], True),
    ]


class RecordPrograms:
    def __init__(self, build):
        self.folder = tempfile.TemporaryDirectory()
        text = os.path.join(self.folder.name, "text")
        write_text(text)
        self.programs = programs(build, text)
        self.tools = [tool for tool in tools(os.path.join(build, "dwell")) if tool.has_stacks]
        self.found = {}  # (program's name, tool's name): [Run]
        self.reasons = {}  # tool's name: sentence

    def _measure(self, program, tool):
        repeats = REPEATS if program.is_start else 1
        try:
            runs = [
                tool.run(program.command, HZ, wants_samples=not program.is_start)
                for _ in range(repeats)
            ]
        except (Refused, OSError) as error:
            self.reasons[tool.name] = str(error)
        else:
            runs.sort(key=lambda run: run.wall_ms)
            runs[0].cpu_ms = min(run.cpu_ms for run in runs)
            self.found.setdefault((program.name, tool.name), []).append(runs[0])

    def one_round(self):
        for program in self.programs:
            for tool in self.tools:
                self._measure(program, tool)

    def finish(self):
        self.folder.cleanup()

    def _plain(self, program):
        return self.found[program.name, self.tools[0].name]

    def _reason(self, tool):
        return [tool.name, self.reasons.get(tool.name, "nothing was measured")]

    def _more(self, program, tool):
        """Per cent of CPU time, to the plain run of the same round."""
        runs = self.found[program.name, tool.name]
        return [100 * (b.cpu_ms / a.cpu_ms - 1) for a, b in zip(self._plain(program), runs)]

    def _row(self, program, tool):
        runs = self.found.get((program.name, tool.name))
        if not runs:
            return self._reason(tool)
        last = runs[-1].taken
        bytes_each = f"{last.in_use / last.samples:.1f}" if last and last.samples else "-"
        return [
            tool.name,
            spread([run.cpu_ms for run in runs], 0),
            spread(self._more(program, tool)) if tool is not self.tools[0] else "-",
            f"{last.samples:,}" if last else "-",
            bytes_each,
        ]

    def _start_row(self, program, tool):
        runs = self.found.get((program.name, tool.name))
        if not runs:
            return self._reason(tool)
        plain = self._plain(program)
        return [
            tool.name,
            spread([run.wall_ms for run in runs]),
            spread([b.wall_ms - a.wall_ms for a, b in zip(plain, runs)]),
            spread([b.cpu_ms - a.cpu_ms for a, b in zip(plain, runs)]),
        ]

    def print_tables(self):
        print(f"CPU time of real programs with {HZ} samples a second, the tool's own with it:\n")
        for program in self.programs:
            if (program.name, self.tools[0].name) not in self.found:
                print(f"{program.name}: {self._reason(self.tools[0])[1]}")
            elif program.is_start:
                header = [program.name, "ms", "added ms", "added CPU ms"]
                print(render(header, [self._start_row(program, tool) for tool in self.tools]))
            else:
                header = [program.name, "CPU ms", "more %", "samples", "bytes a sample"]
                print(render(header, [self._row(program, tool) for tool in self.tools]))
            print()
