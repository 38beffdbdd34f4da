# SPDX-License-Identifier: MIT
"""results.py - the results of programs, as tables: on the terminal and in docs/PROGRAMS.md."""
import re
from dataclasses import dataclass, field

from under import ALL
from ways import WAYS

INTRODUCTION = """\
# Real programs under dwell

Debian's programs, each run plainly and in five ways under dwell: with all calls counted and timed, by the auditor
and through the linkage tables (`--via got`), with all calls of functions counted at their entries (`--via entry`; some programs so far), with
samples, and with both at once. Servers are also sampled for 5 seconds under
load and, if they can, reload meanwhile. `./dev programs` installs their dependencies, runs
them and writes this table; `./dev programs NAME...` runs some of them and writes their rows.
[tests/programs](../tests/programs/README.md) contains the programs, and shows how to add one.

- **ok**: exit status, stdout, stderr and all files that were written are those of a plain run, except for differences
  between two plain runs. For servers, as many requests failed as plainly, which is none. The recording can be read, contains
  the required data, and its samples add up to the CPU time that was used, except for losses in the report, which are
  listed here.
- **refused**: it was not run, and a message gives the reason.
- **broken**: anything else.

The figure is the CPU time divided by that of a plain run; for servers, the plain requests/s divided by those under dwell. It is one
run, on a machine that may have had other load: [bench](../bench/README.md) measures overhead.

[CALLS.md](CALLS.md#running-processes) has a table of its own for `dwell calls -p`: nginx, postgres and a program with 64 threads, attached to
again and again under load.

"""

CIRCUMSTANCES = f"""
## Under hard circumstances

The same programs by `dwell record --calls '*'`, compared with a plain run under the same circumstances. `./dev programs --under all`
runs all of it, `./dev programs --under NAME,NAME... PROGRAM...` some; cells that are not run stay as they are.

{chr(10).join(f"- **{under.name}**: {under.what}" for under in ALL)}

Verdicts are as above, with the losses of the report in brackets. If a program does not work so plainly either,
the cell mentions it, and the failing runs are compared. If a run is ended early, the exit status is compared and the
recording can be read. **not reached**: the limit affects no process of the program, so it was not run.

"""


@dataclass
class Cell:
    """One program, one way or circumstance."""

    verdict: str  # ok, refused or broken
    slowdown: float = 0.0
    remark: str = ""  # reported losses, the message of a refusal
    problems: list = field(default_factory=list)

    @staticmethod
    def worst(cells):
        """Returns the cell that stands for all."""
        return max(cells, key=lambda cell: (cell.verdict == "broken", bool(cell.remark)))

    def add(self, remark):
        self.remark = "; ".join(part for part in (self.remark, remark) if part)

    def text(self):
        words = [self.verdict]
        if self.slowdown:
            words.append(f"{self.slowdown:.2f}")
        return " ".join(words) + (f" ({self.remark})" if self.remark else "")


def escaped(text):
    return text.replace("|", "\\|").replace("\n", " ")


class Table:
    """A row a program, of texts by the names of columns: `titles` has these and what is written above them."""

    def __init__(self, titles):
        self.titles = {"program": "program", **titles}
        self.rows = {}

    def header(self):
        return "| " + " | ".join(self.titles.values()) + " |\n"

    def read(self, page):
        """Reads the rows that were written before; columns may have been added or removed since."""
        kept = {title: name for name, title in self.titles.items()}
        mark = "|".join(re.escape(title) for title in list(self.titles.values())[1:])
        found = re.search(rf"^\| program \| (?:{mark}) \|.*\n\|(?:---\|)+\n((?:\|.*\n)*)", page, re.M)
        if not found:
            return
        titles = split_row(found[0].split("\n", 1)[0])
        for line in found[1].splitlines():
            texts = dict(zip((kept.get(title) for title in titles), split_row(line)))
            self.rows[texts["program"]] = texts

    def put(self, program, texts):
        self.rows.setdefault(program, {"program": program}).update(texts)

    def text(self, order):
        """Returns the table, without programs that no longer exist."""
        lines = [self.header(), "|" + "---|" * len(self.titles) + "\n"]
        lines += ["| " + " | ".join(escaped(self.rows[name].get(column, "")) for column in self.titles) + " |\n"
                  for name in order if name in self.rows]
        return "".join(lines)


def split_row(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def tables():
    """Returns (table of ways, table of circumstances)."""
    return (Table({"version": "version", "what": "command", **{way.name: f"`dwell {way.title}`" for way in WAYS}}),
            Table({under.name: under.name for under in ALL}))


def write_page(path, which, rows, order):
    """rows: {program: {column: text}}, into the table with the number `which`. Everything else stays as it is."""
    try:
        with open(path, encoding="utf-8") as file:
            page = file.read()
    except FileNotFoundError:
        page = ""
    both = tables()
    for table in both:
        table.read(page)
    for program, texts in rows.items():
        both[which].put(program, texts)
    with open(path, "w", encoding="utf-8") as file:
        file.write(INTRODUCTION + both[0].text(order) + CIRCUMSTANCES + both[1].text(order))


def print_table(rows, columns):
    """rows: {program: {column: Cell}}; columns: {name: title}, of which those are shown that there is something of."""
    names = [name for name in columns if any(name in cells for cells in rows.values())]
    lines = [["program", *(columns[name] for name in names)]]
    lines += [[program, *(cells[name].text() if name in cells else "" for name in names)] for program, cells in rows.items()]
    widths = [max(len(line[i]) for line in lines) for i in range(len(names) + 1)]
    for line in lines:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())
