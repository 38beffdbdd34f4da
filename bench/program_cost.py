# SPDX-License-Identifier: MIT
"""program_cost.py - real programs under profilers: how much slower they are, what is written, what memory it takes."""
import os
import shutil
import tempfile
from dataclasses import dataclass
from statistics import median

import record_tools
from calls_tools import json_report
from memory import Watch
from programs import FULL, MIDDLE, SHORT, SIZES, programs
from running import Notes, Refused, Tool, bytes_in, last_line
from table import render, spread
from verdict import number, verdict, verdicts

HZ = 999
SAMPLERS = (
    "dwell record", "perf record -g", "perf record --call-graph dwarf", "dwell record --clock timer", "gperftools",
)
SAMPLES, CALLS = "samples", "calls"  # what is seen; tools that see the same are compared

# Reasons that are printed if dwell is not best; see verdict.py.
WHY_ON_TICK = "dwell starts a process of its own, and notes the time and thread of each sample, which gperftools does not."
WHY_EACH = (
    "callgrind also counts every call inside a library, most of which other tools do not see; the run as a whole takes "
    "longer."
)
WHY_BYTES = {
    SAMPLES: "dwell keeps the time and the thread of every sample; gperftools adds up samples of the same stack, so that its file "
    "does not grow with them.",
    CALLS: "After so short a run, most of dwell's file is a table with space for every function that could be called, which "
    "does not grow with calls.",
}
WHY_MEMORY = {
    SAMPLES: "gperftools keeps counts of stacks in one table and writes its file at the end, so that nothing is left of "
    "a program that is killed; perf has its buffer in a process of its own, which is in the column beside it.",
    CALLS: "dwell's figures of all functions are in the program, where the calls are; others keep theirs in a process of their own.",
}


@dataclass
class ProgramTool:
    tool: Tool
    sees: str
    work: str  # how much it gets; it is compared with the plain program that does the same
    sees_all: bool = True  # calls between libraries as well

    @property
    def name(self):
        return self.tool.name

    def executable(self):
        return os.path.realpath(shutil.which(self.tool.command[0]) or "") if self.tool.command else ""


class DwellCalls(Tool):
    def taken(self, folder, said):
        size = bytes_in(folder)
        return record_tools.Taken(json_report(self.command[0], os.path.join(folder, "data"))["meta"]["calls"], size, size)


class Uftrace(Tool):
    """A record of 16 bytes going in, and one coming out, in a file for each thread."""

    def taken(self, folder, said):
        if "LOST" in said.upper():
            raise Refused("it has lost records: " + last_line(said, ""))
        data = os.path.join(folder, "data")
        records = sum(os.path.getsize(os.path.join(data, name)) for name in os.listdir(data) if name.endswith(".dat"))
        if not records:
            raise Refused("it has seen no calls")
        return record_tools.Taken(records // 32, bytes_in(folder), bytes_in(folder))


class Ltrace(Tool):
    """The last line of its table is the sum."""

    def taken(self, folder, said):
        with open(os.path.join(folder, "counts"), encoding="utf-8", errors="replace") as file:
            words = last_line(file.read(), "").split()
        if len(words) < 2 or words[-1] != "total" or words[-2] == "0":
            raise Refused("it has seen no calls")
        return record_tools.Taken(int(words[-2]), bytes_in(folder), bytes_in(folder))


class Callgrind(Tool):
    def taken(self, folder, said):
        calls = 0
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                calls += sum(int(line[6:].split()[0]) for line in file if line.startswith("calls="))
        return record_tools.Taken(calls, bytes_in(folder), bytes_in(folder))


def tools(build):
    dwell = os.path.join(build, "dwell")
    calls = (dwell, "calls", "-q", "-f", "*", "-o", "FOLDER/data")
    callgrind = ("valgrind", "--tool=callgrind", "-q", "--trace-children=yes", "--callgrind-out-file=FOLDER/data.%p")
    uftrace = ("uftrace", "record", "--force", "--no-event", "-l", "-d", "FOLDER/data")
    samplers = [tool for tool in record_tools.with_stacks(dwell) if tool.name in SAMPLERS]
    return [
        *(ProgramTool(tool, SAMPLES, FULL) for tool in samplers),
        ProgramTool(DwellCalls("dwell calls -f '*'", (*calls, "--")), CALLS, MIDDLE),
        ProgramTool(DwellCalls("dwell calls --count -f '*'", (*calls, "--count", "--")), "counts", MIDDLE),
        ProgramTool(Uftrace("uftrace record -l", uftrace), CALLS, MIDDLE),
        ProgramTool(Ltrace("ltrace -c", ("ltrace", "-f", "-c", "-o", "FOLDER/counts")), CALLS, SHORT, sees_all=False),
        ProgramTool(Callgrind("callgrind", callgrind), CALLS, SHORT),
    ]


class ProgramCost:
    def __init__(self, build):
        self.folder = tempfile.TemporaryDirectory()
        self.programs = programs(self.folder.name)
        self.plain = {size: ProgramTool(Tool(f"plain, {size}"), "", size) for size in SIZES}
        self.tools = tools(build)
        self.notes = Notes()  # by (program's name, tool's name): Run; by these and "memory": (of the tool, of the program)

    @staticmethod
    def _work(program, tool):
        return program.commands[tool.work]

    def one_round(self):
        for program in self.programs:
            for tool in [*self.plain.values(), *self.tools]:
                self.notes.take((program.name, tool.name), tool.tool.run, self._work(program, tool), HZ)

    def _memory(self, program, tool):
        watch = Watch()
        try:
            tool.tool.run(self._work(program, tool), HZ, wants_samples=False, watch=watch.begin)
        finally:
            watch.end()
        return watch.tool_mb(tool.executable()), watch.program_mb(tool.executable())

    def finish(self):
        """Memory is looked at in runs of their own, which need not be quick, and varies little."""
        for program in self.programs:
            for tool in [*self.plain.values(), *self.tools]:
                self.notes.take((program.name, tool.name, "memory"), self._memory, program, tool)
        self.folder.cleanup()

    def _slower(self, program, tool, what):
        """By round, to the plain run of the same round."""
        pairs = self.notes.pairs((program.name, self.plain[tool.work].name), (program.name, tool.name))
        return [getattr(run, what) / getattr(plain, what) for plain, run in pairs]

    def _each_us(self, program, tool):
        """By round: what the run takes longer, for each sample or call that was seen."""
        pairs = self.notes.pairs((program.name, self.plain[tool.work].name), (program.name, tool.name))
        return [(run.wall_ms - plain.wall_ms) * 1e3 / run.taken.samples for plain, run in pairs if run.taken.samples]

    def _memory_mb(self, program, tool):
        """Returns the memory of the tool, and the memory that the program takes more; None: not known."""
        found = self.notes.of((program.name, tool.name, "memory"))
        plain = self.notes.of((program.name, self.plain[tool.work].name, "memory"))
        return (found[0][0], found[0][1] - plain[0][1]) if found and plain else None

    def _row(self, program, tool):
        runs = self.notes.of((program.name, tool.name))
        if not runs:
            return [tool.name, self.notes.reason((program.name, tool.name))]
        memory = self._memory_mb(program, tool)
        taken, each = runs[-1].taken, self._each_us(program, tool)
        return [
            tool.name,
            spread([run.wall_ms / 1e3 for run in runs], 2),
            spread(self._slower(program, tool, "wall_ms"), 2),
            spread(self._slower(program, tool, "cpu_ms"), 2),
            f"{taken.samples:,}",
            number(median(each)) if each else "-",
            f"{taken.reserved:,}",
            f"{memory[0]:.0f}" if memory else "-",
            f"{memory[1]:+.1f}" if memory else "-",
        ]

    def _plain_row(self, program, tool):
        runs = self.notes.of((program.name, tool.name))
        return [tool.name, spread([run.wall_ms / 1e3 for run in runs], 2), "1", "1", "-", "-", "-", "-", "-"]

    def _rivals(self, program, sees):
        return [tool for tool in self.tools if tool.sees == sees and self.notes.of((program.name, tool.name))]

    def _written_and_memory(self, program, sees):
        """They depend on the work: only tools that did the same are compared."""
        rivals = [tool for tool in self._rivals(program, sees) if tool.work != SHORT]
        memory = {tool.name: self._memory_mb(program, tool) for tool in rivals}
        taken = {tool.name: self.notes.of((program.name, tool.name))[-1].taken for tool in rivals}
        return [
            verdict(f"bytes written for {program.name}, {sees}", {name: [one.reserved] for name, one in taken.items()}, "bytes",
                    WHY_BYTES[sees]),
            verdict(f"memory of tool and program together, {program.name}, {sees}",
                    {name: [sum(one)] for name, one in memory.items() if one}, "MB more", WHY_MEMORY[sees]),
        ]

    def _verdicts(self, program):
        samplers, callers = (self._rivals(program, sees) for sees in (SAMPLES, CALLS))
        slower = {t.name: self._slower(program, t, "wall_ms") for t in samplers}
        on_tick = {t.name for t in samplers if t.tool.on_tick}
        return verdicts(
            verdict(f"slowdown of {program.name}, samples by own interrupts",
                    {name: values for name, values in slower.items() if name not in on_tick}, "x plain"),
            verdict(f"slowdown of {program.name}, samples on the kernel's tick",
                    {name: values for name, values in slower.items() if name in on_tick}, "x plain", WHY_ON_TICK),
            *self._written_and_memory(program, SAMPLES),
            verdict(f"slowdown of {program.name}, every call of every library",
                    {t.name: self._slower(program, t, "wall_ms") for t in callers if t.sees_all}, "x plain"),
            verdict(f"overhead per call of {program.name}", {t.name: self._each_us(program, t) for t in callers}, "us", WHY_EACH),
            *self._written_and_memory(program, CALLS),
        )

    def print_tables(self):
        print(f"Real programs at {HZ} samples per second, and with every call of every library traced.\n")
        for program in self.programs:
            if not all(self.notes.of((program.name, plain.name)) for plain in self.plain.values()):
                print(f"{program.name}: {self.notes.reason((program.name, self.plain[FULL].name))}\n")
                continue
            header = [program.name, "time (s)", "ratio to plain", "CPU ratio to plain", "seen", "overhead (us each)", "bytes",
                      "tool (MB)", "program (MB)"]
            rows = [self._plain_row(program, plain) for plain in self.plain.values()]
            print(render(header, [*rows, *(self._row(program, tool) for tool in self.tools)]))
            print(self._verdicts(program), end="\n\n")
