# SPDX-License-Identifier: MIT
"""results.py - what came of a program, as a row of a table: on the terminal and in docs/PROGRAMS.md."""
import re
from dataclasses import dataclass, field

from ways import WAYS

HEADER = ["program", "version", "what was run", *(f"`dwell {way.title}`" for way in WAYS)]

INTRODUCTION = """\
# Real programs under dwell

Programs as Debian has them, each run plainly and in four ways under dwell: with all calls counted and timed, by the auditor
and through the linkage tables (`--via got`), with samples, and with both at once. Servers are also sampled for 5 seconds while they are
loaded and, where they can be, told to reload. `./dev programs` installs what they need, runs
them and writes this table; `./dev programs NAME...` runs some of them and writes their rows.
[tests/programs](../tests/programs/README.md) has the programs, and tells how to add one.

- **ok**: exit status, stdout, stderr and all files that were written are those of a plain run, except for what two plain runs
  do not have in common either; of servers, as many requests failed as plainly, which is none. The recording can be read, has
  what it must have, and its samples add up to the CPU time that was used, except for losses that the report tells, and which are
  told here.
- **refused**: it was not run, and a sentence says why.
- **broken**: anything else.

The figure is CPU time to that of a plain run; of servers, requests in a second plainly to those under dwell. It is of one run, on
a machine that may have had other work to do: [bench](../bench/README.md) has what things cost.

"""


@dataclass
class Cell:
    """One program, one way."""

    verdict: str  # ok, refused or broken
    slowdown: float = 0.0
    remark: str = ""  # losses told, the sentence of a refusal
    problems: list = field(default_factory=list)

    def text(self):
        words = [self.verdict]
        if self.slowdown:
            words.append(f"{self.slowdown:.2f}")
        return " ".join(words) + (f" ({self.remark})" if self.remark else "")


@dataclass
class Row:
    program: str
    version: str
    what: str
    cells: list

    def texts(self):
        return [self.program, self.version, self.what, *(cell.text() for cell in self.cells)]

    def is_broken(self):
        return any(cell.verdict == "broken" for cell in self.cells)


def escaped(text):
    return text.replace("|", "\\|").replace("\n", " ")


def read_rows(path):
    """{program: its line} of a table that was written before."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = re.findall(r"^\| ([^|]*?) \|.*\|$", file.read(), re.M)
            file.seek(0)
            full = re.findall(r"^\| [^|]*? \|.*\|$", file.read(), re.M)
    except FileNotFoundError:
        return {}
    return {name: line for name, line in zip(lines, full) if name != HEADER[0]}


def write_page(path, rows, order):
    """Rows that were not run this time stay as they are; those of programs that are gone go."""
    lines = read_rows(path)
    for row in rows:
        lines[row.program] = "| " + " | ".join(escaped(text) for text in row.texts()) + " |"
    with open(path, "w", encoding="utf-8") as file:
        file.write(INTRODUCTION)
        file.write("| " + " | ".join(HEADER) + " |\n|" + "---|" * len(HEADER) + "\n")
        file.writelines(lines[name] + "\n" for name in order if name in lines)


def print_table(rows):
    header = ["program", *(way.title for way in WAYS)]
    cells = [[row.program, *(cell.text() for cell in row.cells)] for row in rows]
    widths = [max(len(line[i]) for line in [header, *cells]) for i in range(len(header))]
    for line in [header, *cells]:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())
