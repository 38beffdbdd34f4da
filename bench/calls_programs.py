# SPDX-License-Identifier: MIT
"""calls_programs.py - how much slower real programs are with every function chosen."""
import os
import random
import tempfile
from dataclasses import dataclass
from statistics import median

from calls_command import PYTHON, run_command
from calls_tools import json_report
from contenders import Refused
from table import render, spread

TEXT_BYTES = 10_000_000

SQL = """
create table t(a integer, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
    insert into t select i, printf('%06d', i * 7919 % 100003) from n;
create index t_b on t(b);
select count(*), sum(a) from t where b > '050000';
select b, count(*) from t group by b order by 2 desc, 1 limit 3;
"""

SCRIPT = """
import json, re, zlib
words = [str(i * 7919 % 100003) for i in range(100000)]
text = json.dumps(words)
assert json.loads(text) == words
re.findall(r"[0-9]+3", text)
zlib.compress(text.encode())
sorted({word: len(word) for word in words})
"""

MODES = {"plain": None, "dwell": [], "--count": ["--count"]}


@dataclass
class Program:
    name: str
    command: list


def write_text(path):
    """Something like a language; always the same."""
    dice = random.Random(1)
    words = ["".join(dice.choices("etaoinshrdlu", k=dice.randint(2, 9))) for _ in range(4000)]
    with open(path, "w", encoding="ascii") as file:
        file.write(" ".join(dice.choices(words, k=TEXT_BYTES // 5))[:TEXT_BYTES])


def programs(text):
    return [
        Program("xz -T1 -0, of 10 MB", ["xz", "-T1", "-0", "-k", "-f", text]),
        Program("sqlite3, 200,000 rows", ["sqlite3", ":memory:", SQL]),
        Program("python3, json re zlib", [PYTHON, "-c", SCRIPT]),
    ]


class CallsPrograms:
    def __init__(self, build):
        self.dwell = os.path.join(build, "dwell")
        self.folder = tempfile.TemporaryDirectory()
        self.data = os.path.join(self.folder.name, "data")
        text = os.path.join(self.folder.name, "text")
        write_text(text)
        self.programs = programs(text)
        self.found = {}  # (program's name, mode): [ms of CPU time]
        self.calls = {}  # program's name: how many
        self.reasons = {}  # program's name: sentence

    def _command(self, program, mode):
        options = MODES[mode]
        if options is None:
            return program.command
        return [
            *(self.dwell, "calls", "-q", "-f", "*", "-o", self.data, *options, "--"),
            *program.command,
        ]

    def _measure(self, program):
        for mode in MODES:
            took = run_command(self._command(program, mode))
            self.found.setdefault((program.name, mode), []).append(took.cpu_ms)
        self.calls[program.name] = json_report(self.dwell, self.data)["meta"]["calls"]

    def one_round(self):
        for program in self.programs:
            try:
                self._measure(program)
            except (Refused, OSError) as error:
                self.reasons[program.name] = str(error)

    def finish(self):
        self.folder.cleanup()

    def _row(self, program):
        if program.name not in self.calls:
            return [program.name, self.reasons.get(program.name, "nothing was measured")]
        calls = self.calls[program.name]
        plain = self.found[program.name, "plain"]
        row = [program.name, f"{calls:,}", spread(plain, 0)]
        for mode in list(MODES)[1:]:
            ms = self.found[program.name, mode]
            more_ns = (median(ms) - median(plain)) * 1e6 / calls
            row += [spread(ms, 0), f"{median(ms) / median(plain):.2f}", f"{more_ns:.1f}"]
        return row

    def print_tables(self):
        header = ["program", "calls", "plain ms"]
        for mode in list(MODES)[1:]:
            header += [f"{mode} ms", "to plain", "ns a call"]
        print("CPU time of real programs under `dwell calls -q -f '*'`, timed and with --count:\n")
        print(render(header, [self._row(program) for program in self.programs]))
