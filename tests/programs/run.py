#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run.py - real programs, plainly and under dwell. README.md beside it tells how to add one; `./dev programs` runs it."""
import argparse
import fcntl
import importlib
import inspect
import os
import pkgutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# pylint: disable=wrong-import-position
import catalog  # noqa: E402
from comparison import differences, rules_without_need  # noqa: E402
from execution import Launch, clean_environment, files_below  # noqa: E402
from program import Program  # noqa: E402
from results import Cell, Row, print_table, write_page  # noqa: E402
from server import Server  # noqa: E402
from under import ALL, by_name  # noqa: E402
from ways import PLAIN, WAYS, examine  # noqa: E402

PLAIN_RUNS = 3  # at most, to see what differs between them


def programs():
    """All of catalog/, by file and then as they are written there."""
    found = []
    for module in sorted(pkgutil.iter_modules(catalog.__path__), key=lambda module: module.name):
        members = vars(importlib.import_module(f"catalog.{module.name}")).values()
        found += [(module.name, member()) for member in members
                  if inspect.isclass(member) and issubclass(member, Program) and member.name
                  and member.__module__ == f"catalog.{module.name}"]
    return found


def chosen(names):
    """Programs that are called so, or are in a file that is."""
    every = programs()
    unknown = set(names) - {name for file, each in every for name in (file, each.name)}
    if unknown:
        known = ", ".join(each.name for _, each in every)
        sys.exit(f"programs: there is no {', '.join(sorted(unknown))}; there are {known}")
    return [each for file, each in every if not names or file in names or each.name in names]


class Trial:
    """One program, all ways."""

    def __init__(self, program, options):
        self.program, self.options = program, options
        self.folder = os.path.join(options.work, program.name)
        self.given = os.path.join(self.folder, "given")
        self.env = clean_environment(**program.environment())
        self.under = by_name(options.under)
        self.cpu_s = self.rate = 0.0

    def perform(self, way):
        launch = Launch(way, self.under, self.options.dwell, self.folder, self.env, self.program.user)
        self.program.arrange(self.given, launch.here)
        outcome = self.program.perform(launch, self.given)
        outcome.files = files_below(launch.here, self.program.ignored_files)
        return outcome, launch.data

    def plainly(self):
        """(a plain run, what is wrong with the rules): two runs, or some more until each rule is seen to be needed."""
        runs = [self.perform(PLAIN)[0]]
        # What a rule is for may not come about under other circumstances.
        needless = [] if self.options.under else list(self.program.rules)
        while len(runs) < 2 or (needless and len(runs) < PLAIN_RUNS):
            runs.append(self.perform(PLAIN)[0])
            unlike = [*differences(self.program, runs[0], runs[-1]), runs[-1].trouble]
            if any(unlike):
                return runs[0], [f"two plain runs differ: {sentence}" for sentence in unlike if sentence]
            without_need = rules_without_need(self.program, runs[0], runs[-1])
            needless = [rule for rule in needless if rule in without_need]
        self.cpu_s = sum(run.cpu_s for run in runs) / len(runs)
        self.rate = sum(run.rate for run in runs) / len(runs)
        for rule in needless:
            print(f"{self.program.name}, plainly: {len(runs)} runs did not need the rule '{rule.why}'", flush=True)
        # Circumstances may take away what differs: the output itself, to begin with.
        needed = [rule for rule in needless if not rule.by_chance and not self.options.under]
        return runs[0], [f"a rule without need: {rule.why}" for rule in needed]

    def refusal(self, plain, outcome):
        """The sentence, if that is one."""
        said = outcome.stderr.decode(errors="replace")
        is_one = (outcome.status == 2 and plain.status != 2 and not outcome.stdout and said.count("\n") == 1
                  and said.startswith("dwell"))
        return said.strip() if is_one else ""

    def slowdown(self, outcome):
        if self.rate:
            return self.rate / outcome.rate if outcome.rate else 0.0
        return outcome.cpu_s / self.cpu_s if self.cpu_s and not self.program.runs_by_time else 0.0

    def judge(self, plain, way):
        outcome, data = self.perform(way)
        sentence = self.refusal(plain, outcome)
        if sentence:
            expected = self.program.refused and self.program.refused in sentence
            return Cell("refused" if expected else "broken", remark=sentence, problems=[] if expected else [sentence])
        problems = [outcome.trouble] if outcome.trouble else []
        problems += differences(self.program, plain, outcome)
        recording = examine(self.options.dwell, data, way, self.program, outcome)
        problems += recording.problems
        return Cell("broken" if problems else "ok", self.slowdown(outcome), recording.told(), problems)

    def row(self):
        os.makedirs(self.given, exist_ok=True)
        # Two of them would take each other's folder away.
        with open(os.path.join(self.folder, "lock"), "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return self.locked_row()

    def locked_row(self):
        self.program.prepare(self.given)
        plain, problems = self.plainly()
        for problem in problems:
            print(f"{self.program.name}, plainly: {problem}", flush=True)
        cells = []
        for way in WAYS:
            if way.attaches and not isinstance(self.program, Server):
                cells.append(Cell(""))
                continue
            cells.append(Cell("broken", remark="see plainly") if problems else self.judge(plain, way))
            for problem in cells[-1].problems:
                print(f"{self.program.name}, {way.title}: {problem}", flush=True)
        return Row(self.program.name, self.program.version(), self.program.what, cells)


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs, or files of them; all by default")
    parser.add_argument("--dwell", default="build/dwell", help="the one to run")
    parser.add_argument("--work", default="build/programs", help="where the programs work")
    parser.add_argument("--under", default="", choices=["", *(each.name for each in ALL)], help="circumstances, see under.py")
    parser.add_argument("--packages", action="store_true", help="say which packages of Debian they need, and run nothing")
    parser.add_argument("--quick", action="store_true", help="only those that take little; skip those that are not installed")
    parser.add_argument("--page", help="a page to write rows into")
    return parser.parse_args()


def main():
    options = parse()
    options.dwell, options.work = os.path.abspath(options.dwell), os.path.abspath(options.work)
    wanted = [each for each in chosen(options.names) if each.quick or not options.quick]
    if options.packages:
        print(" ".join(sorted({package for each in wanted for package in each.packages})))
        return 0
    rows, absent = [], 0
    for each in wanted:
        why = each.missing()
        if why:
            print(f"{each.name}: not run, {why}", flush=True)
            absent += 1
            continue
        rows.append(Trial(each, options).row())
        print_table(rows[-1:])
    print()
    print_table(rows)
    if options.page and not options.under:
        write_page(options.page, rows, [each.name for _, each in programs()])
    return 1 if any(row.is_broken() for row in rows) or (absent and not options.quick) else 0


if __name__ == "__main__":
    sys.exit(main())
