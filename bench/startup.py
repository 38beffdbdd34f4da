# SPDX-License-Identifier: MIT
"""startup.py - the overhead of tools for programs that do nothing: start and end."""
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from statistics import median

import record_tools
from calls_tools import json_report
from running import PYTHON, Notes, Tool
from table import render, spread
from verdict import verdict, verdicts

# The fastest of so many per round counts, since it was least disturbed; longer programs run once.
REPEATS, REPEATED_MS = 3, 500

AIM_MS, AIM_US_A_BINDING = 5, 1



@dataclass
class Program:
    name: str
    command: list
    says_when: bool = False  # prints how long it took to come to main(), in nanoseconds


def programs(build):
    return [
        Program("a small program", [os.path.join(build, "bench/calls_start"), "NOW"], True),
        Program("5,000 imports", [os.path.join(build, "bench/calls_start_many"), "NOW"], True),
        Program("bash -c :", ["bash", "-c", ":"]),
        Program("python3 -c pass", [PYTHON, "-c", "pass"]),
    ]


SAMPLERS = ("dwell record", "perf record -g", "gperftools")
CALLS = "dwell calls -f '*'"


def tools(dwell):
    return [
        Tool("plain"),
        *(tool for tool in record_tools.with_stacks(dwell) if tool.name in SAMPLERS),
        Tool(CALLS, (dwell, "calls", "-q", "-f", "*", "-o", "FOLDER/data", "--")),
        Tool("uftrace record -l", ("uftrace", "record", "--force", "--no-event", "-l", "-d", "FOLDER/data")),
        Tool("ltrace -c", ("ltrace", "-c", "-o", "FOLDER/counts")),
        Tool("callgrind", ("valgrind", "--tool=callgrind", "-q", "--callgrind-out-file=FOLDER/data")),
    ]


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def relocations(program):
    """How many of a program and its libraries are bound to symbols, as far as files can tell."""
    path = shutil.which(program)
    files = [path, *re.findall(r"(/\S+) \(0x", output_of("ldd", path))]
    pattern = r" R_\w+_(?:JUMP_SLOT?|GLOB_DAT|64) +\w+ \w"
    return len(re.findall(pattern, output_of("readelf", "-rW", *files)))


@dataclass
class Start:
    """The best of a few, of each."""

    wall_ms: float
    cpu_ms: float
    main_ms: float  # until main() was reached; 0 if the program does not print it


class Startup:
    def __init__(self, build):
        self.dwell = os.path.join(build, "dwell")
        self.programs = programs(build)
        self.tools = tools(self.dwell)
        self.notes = Notes()  # by (program's name, tool's name): Start; by (program's name, "bindings"): how many

    @staticmethod
    def _start(program, tool):
        runs = [tool.run(program.command, 999, wants_samples=False)]
        while len(runs) < REPEATS and runs[0].wall_ms < REPEATED_MS:
            runs.append(tool.run(program.command, 999, wants_samples=False))
        main = [int(re.search(r"^\d+$", run.output, re.M)[0]) / 1e6 if program.says_when else 0 for run in runs]
        return Start(min(run.wall_ms for run in runs), min(run.cpu_ms for run in runs), min(main))

    def one_round(self):
        for program in self.programs:
            for tool in self.tools:
                self.notes.take((program.name, tool.name), self._start, program, tool)

    def _bindings(self, program):
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data")
            subprocess.run([self.dwell, "calls", "-q", "-f", "*", "-o", data, "--", *program.command],
                           stdout=subprocess.DEVNULL, check=False)
            return json_report(self.dwell, data)["meta"].get("bindings") or relocations(program.command[0])

    def finish(self):
        for program in self.programs:
            self.notes.take((program.name, "bindings"), self._bindings, program)

    def _added_ms(self, program, tool_name, what):
        pairs = self.notes.pairs((program.name, "plain"), (program.name, tool_name))
        return [getattr(run, what) - getattr(plain, what) for plain, run in pairs]

    def _row(self, program, tool):
        starts = self.notes.of((program.name, tool.name))
        if not starts:
            return [tool.name, self.notes.reason((program.name, tool.name))]
        added = "-" if tool.name == "plain" else spread(self._added_ms(program, tool.name, "wall_ms"))
        cpu = "-" if tool.name == "plain" else spread(self._added_ms(program, tool.name, "cpu_ms"))
        main = spread([start.main_ms for start in starts]) if program.says_when else "-"
        return [tool.name, spread([start.wall_ms for start in starts]), added, cpu, main]

    def _verdicts(self, program):
        lines = []
        for is_sampler, what in ((True, "samples"), (False, "calls")):
            names = [tool.name for tool in self.tools[1:] if (tool.name in SAMPLERS) == is_sampler]
            rivals = {name: self._added_ms(program, name, "wall_ms") for name in names}
            lines.append(verdict(f"overhead of start and end of {program.name}, {what}", rivals, "ms"))
        return verdicts(*lines)

    def _aim_row(self, program):
        """Time on the wall counts; but where the machine is busy, only CPU time tells."""
        bindings = self.notes.of((program.name, "bindings"))
        wall, cpu = (self._added_ms(program, CALLS, what) for what in ("wall_ms", "cpu_ms"))
        if not bindings or not wall:
            return [program.name, self.notes.reason((program.name, "bindings"))]
        aim_ms = AIM_MS + bindings[0] * AIM_US_A_BINDING / 1000
        is_met = "met" if median(wall) < aim_ms else "met in CPU time" if median(cpu) < aim_ms else "missed"
        return [program.name, f"{bindings[0]:,}", spread(wall), spread(cpu), f"{aim_ms:.1f}", is_met]

    def _us_a_binding(self):
        """By the two programs that make no calls: what the further bindings of the second add."""
        first, second = self.programs[:2]
        counts = [self.notes.of((program.name, "bindings")) for program in (first, second)]
        added = [self._added_ms(program, CALLS, "cpu_ms") for program in (first, second)]
        if not all(counts) or not all(added):
            return "not known"
        return f"{1000 * (median(added[1]) - median(added[0])) / (counts[1][0] - counts[0][0]):.2f} us"

    def print_tables(self):
        print(f"Time of start and end, the fastest of {REPEATS} runs per round; slow programs run once:\n")
        for program in self.programs:
            if not self.notes.of((program.name, "plain")):
                print(f"{program.name}: {self.notes.reason((program.name, 'plain'))}\n")
                continue
            header = [program.name, "time (ms)", "overhead (ms)", "CPU overhead (ms)", "until main() (ms)"]
            print(render(header, [self._row(program, tool) for tool in self.tools]))
            print(self._verdicts(program), end="\n\n")
        print(f"The target of `{CALLS}` is an overhead of less than {AIM_MS} ms and {AIM_US_A_BINDING} us per binding. A binding takes")
        print(f"{self._us_a_binding()}:\n")
        header = ["program", "bindings", "overhead (ms)", "CPU overhead (ms)", "target (ms)", "result"]
        print(render(header, [self._aim_row(program) for program in self.programs]))
