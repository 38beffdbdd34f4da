# SPDX-License-Identifier: MIT
"""calls_startup.py - what dwell adds to a program that does nothing, with every function chosen."""
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from statistics import median

from calls_command import PYTHON, run_command
from calls_tools import json_report
from contenders import Refused
from table import render, spread

# Of so many a round the quickest counts, which is the one that nothing disturbed.
REPEATS = 5

AIM_MS, AIM_US_A_BINDING = 5, 1


@dataclass
class Program:
    name: str
    command: list
    says_when: bool = False  # prints how long it took to come to main(), in nanoseconds


def programs(build):
    return [
        Program("a small one", [os.path.join(build, "bench/calls_start"), "NOW"], True),
        Program("5,000 imports", [os.path.join(build, "bench/calls_start_many"), "NOW"], True),
        Program("bash -c :", ["bash", "-c", ":"]),
        Program("python3 -c pass", [PYTHON, "-c", "pass"]),
    ]


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def relocations(program):
    """How many of a program and its libraries are bound to symbols, as far as files can tell."""
    path = shutil.which(program)
    files = [path, *re.findall(r"(/\S+) \(0x", output_of("ldd", path))]
    pattern = r" R_\w+_(?:JUMP_SLOT?|GLOB_DAT|64) +\w+ \w"
    return len(re.findall(pattern, output_of("readelf", "-rW", *files)))


class CallsStartup:
    def __init__(self, build):
        self.dwell = os.path.join(build, "dwell")
        self.programs = programs(build)
        self.found = {}  # (program's name, whether under dwell, what): [ms of a round]
        self.bindings = {}  # program's name: how many
        self.reasons = {}  # program's name: sentence

    def _command(self, program, is_under_dwell, data):
        before = [self.dwell, "calls", "-q", "-f", "*", "-o", data, "--"] if is_under_dwell else []
        return before + program.command

    def _measure(self, program, data):
        times = {}
        for _ in range(REPEATS):
            for is_under_dwell in (False, True):
                took = run_command(self._command(program, is_under_dwell, data))
                times.setdefault((is_under_dwell, "whole"), []).append(took.wall_ms)
                times.setdefault((is_under_dwell, "cpu"), []).append(took.cpu_ms)
                if program.says_when:
                    main_ms = int(took.output) / 1e6
                    times.setdefault((is_under_dwell, "main"), []).append(main_ms)
        for what, milliseconds in times.items():
            self.found.setdefault((program.name, *what), []).append(min(milliseconds))
        meta = json_report(self.dwell, data)["meta"]
        self.bindings[program.name] = meta.get("bindings") or relocations(program.command[0])

    def one_round(self):
        for program in self.programs:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    self._measure(program, os.path.join(folder, "data"))
                except (Refused, OSError, ValueError) as error:
                    self.reasons[program.name] = str(error)

    def finish(self):
        pass

    def _added_ms(self, program, what):
        plain = self.found[program.name, False, what]
        dwell = self.found[program.name, True, what]
        return [b - a for a, b in zip(plain, dwell)]

    def _us_a_binding(self, program):
        """By the two programs that make no calls: what the further bindings of the second add."""
        first, second = self.programs[:2]
        if program is not second or not all(p.name in self.bindings for p in (first, second)):
            return "-"
        more_ms = median(self._added_ms(second, "cpu")) - median(self._added_ms(first, "cpu"))
        further = self.bindings[second.name] - self.bindings[first.name]
        return f"{1000 * more_ms / further:.2f}"

    def _aim(self, program):
        """Time on the wall counts; but where the machine is busy, only CPU time tells."""
        aim_ms = AIM_MS + self.bindings[program.name] * AIM_US_A_BINDING / 1000
        if median(self._added_ms(program, "whole")) < aim_ms:
            return f"{aim_ms:.1f}, met"
        is_met = median(self._added_ms(program, "cpu")) < aim_ms
        return f"{aim_ms:.1f}, " + ("met in CPU time" if is_met else "missed")

    def _row(self, program):
        if program.name not in self.bindings:
            return [program.name, self.reasons.get(program.name, "nothing was measured")]
        plain, dwell = (self.found[program.name, under, "whole"] for under in (False, True))
        return [
            program.name,
            f"{self.bindings[program.name]:,}",
            f"{median(plain):.1f}",
            f"{median(dwell):.1f}",
            f"{median(dwell) / median(plain):.1f}",
            spread(self._added_ms(program, "whole")),
            f"{median(self._added_ms(program, 'main')):.1f}" if program.says_when else "-",
            f"{median(self._added_ms(program, 'cpu')):.1f}",
            self._us_a_binding(program),
            self._aim(program),
        ]

    def print_tables(self):
        header = [
            "does nothing",
            "bindings",
            "plain ms",
            "dwell ms",
            "to plain",
            "added ms",
            "up to main()",
            "CPU ms",
            "us a binding",
            "aim ms",
        ]
        print("What start and end take under `dwell calls -q -f '*'`. The aim is to add less than")
        print(f"{AIM_MS} ms and {AIM_US_A_BINDING} us a binding:\n")
        print(render(header, [self._row(program) for program in self.programs]))
