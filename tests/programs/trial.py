# SPDX-License-Identifier: MIT
"""trial.py - one program: a row of cells, each of them a run that is compared with a plain one."""
import contextlib
import fcntl
import os
import re

from comparison import differences, differing_parts, rules_without_need
from execution import Launch
from results import Cell
from server import Server
from under import NOTHING, READABLE
from ways import PLAIN, WAYS, examine

PLAIN_RUNS = 3  # at most, to see what differs between them


class Trial:
    """The common part of all trials."""

    def __init__(self, program, options):
        self.program, self.options = program, options
        self.folder = os.path.join(options.work, program.name)
        self.given = os.path.join(self.folder, "given")
        self.cpu_s = self.rate = self.part_s = 0.0

    @contextlib.contextmanager
    def prepared(self):
        os.makedirs(self.given, exist_ok=True)
        # Two of them would take each other's folder away.
        with open(os.path.join(self.folder, "lock"), "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.program.prepare(self.given)
            yield

    def perform(self, way, under=NOTHING):
        """Returns (Outcome, Launch) of a run."""
        launch = Launch(way, under, self.options.dwell, self.folder, self.program, self.part_s)
        self.program.arrange(self.given, launch.here)
        launch.hand_over()
        launch.arranged = launch.left()
        with under.around(launch):
            outcome = self.program.perform(launch, self.given)
        outcome.files = launch.left()
        return outcome, launch

    def tell(self, where, problems):
        for problem in problems:
            print(f"{self.program.name}, {where}: {problem}", flush=True)

    def take_messages(self, outcome, under=NOTHING):
        """Moves the lines that dwell may add out of stderr, and returns them."""
        patterns = [says for says in (self.program.says, under.says) if says]
        if not patterns:
            return ""
        pattern = re.compile(rb"^(" + "|".join(patterns).encode() + rb")\n", re.M)
        said = b"".join(found[0] for found in pattern.finditer(outcome.stderr))
        outcome.stderr = pattern.sub(b"", outcome.stderr)
        return said.decode()


def refusal(plain, outcome):
    """Returns the message by which dwell refused; empty if it did not."""
    said = outcome.stderr.decode(errors="replace")
    is_one = (outcome.status == 2 and plain.status != 2 and not outcome.stdout and said.count("\n") == 1
              and said.startswith("dwell"))
    return said.strip() if is_one else ""


class AllWays(Trial):
    """Under nothing special, in all ways."""

    def plainly(self):
        """Returns (a plain run, problems with the rules). Makes two runs, or more until each rule is seen to be needed."""
        runs = [self.perform(PLAIN)[0]]
        needless = list(self.program.rules)
        while len(runs) < 2 or (needless and len(runs) < PLAIN_RUNS):
            runs.append(self.perform(PLAIN)[0])
            unlike = [*differences(self.program, runs[0], runs[-1]), runs[-1].trouble]
            if any(unlike):
                return runs[0], [f"two plain runs differ: {sentence}" for sentence in unlike if sentence]
            without_need = rules_without_need(self.program, runs[0], runs[-1])
            needless = [rule for rule in needless if rule in without_need]
        self.cpu_s = sum(run.cpu_s for run in runs) / len(runs)
        self.rate = sum(run.rate for run in runs) / len(runs)
        self.tell(PLAIN.title, [f"{len(runs)} runs did not need the rule '{rule.why}'" for rule in needless])
        return runs[0], [f"a rule without need: {rule.why}" for rule in needless if not rule.by_chance]

    def slowdown(self, outcome):
        if self.rate:
            return self.rate / outcome.rate if outcome.rate else 0.0
        return outcome.cpu_s / self.cpu_s if self.cpu_s and not self.program.runs_by_time else 0.0

    def judge(self, plain, way):
        outcome, launch = self.perform(way)
        sentence = refusal(plain, outcome)
        if sentence:
            expected = self.program.refused and self.program.refused in sentence
            return Cell("refused" if expected else "broken", remark=sentence, problems=[] if expected else [sentence])
        problems = [outcome.trouble] if outcome.trouble else []
        self.take_messages(outcome)
        problems += differences(self.program, plain, outcome)
        recording = examine(self.options.dwell, launch.data, way, self.program, outcome)
        problems += recording.problems
        return Cell("broken" if problems else "ok", self.slowdown(outcome), recording.losses(), problems)

    def cells(self):
        """Yields (way's name, Cell) of each."""
        plain, problems = self.plainly()
        self.tell(PLAIN.title, problems)
        for way in self.options.ways or WAYS:
            if way.attaches and not isinstance(self.program, Server):
                yield way.name, Cell("")
                continue
            cell = Cell("broken", remark="see plainly") if problems else self.judge(plain, way)
            self.tell(way.title, cell.problems)
            yield way.name, cell


class Stressed(Trial):
    """Under one circumstance after the other."""

    def cells(self):
        """Yields (circumstance's name, Cell) of each that is possible here."""
        plain, _ = self.perform(PLAIN)
        self.tell(PLAIN.title, [plain.trouble] if plain.trouble else [])
        for under in self.options.under:
            why = under.missing(self.options.dwell)
            if why:
                self.tell(under.name, [f"not run, {why}"])
                continue
            cell = Cell("broken", remark="see plainly") if plain.trouble else self.cell(plain, under)
            self.tell(under.name, cell.problems or [cell.text()])
            yield under.name, cell

    def cell(self, usual, under):
        """usual: a plain run under nothing special."""
        if under.refused:
            return Cell.worst([self.refused(usual, way, under) for way in self.options.ways])
        if under.ends_early:
            plain = self.ended(usual, under)
            return Cell.worst([self.judge_end(plain, way, under) for way in self.options.ways]) if plain else Cell("not reached")
        plain = usual if under.is_plainly_unseen else self.perform(PLAIN, under)[0]
        works = plain.status == usual.status and not plain.trouble
        cell = Cell.worst([self.judge(plain, way, under, works) for way in self.options.ways])
        if not works:
            cell.add(f"does not work so plainly: {plain.trouble or f'status {plain.status}'}")
        return cell

    def ended(self, usual, under):
        """Returns a plain run that was ended early; None if it never is."""
        for part in under.ends_early:
            self.part_s = usual.wall_s / part
            plain, _ = self.perform(PLAIN, under)
            if plain.trouble or differing_parts(self.program, usual, plain):
                return plain
        return None

    def refused(self, usual, way, under):
        outcome, launch = self.perform(way, under)
        sentence = refusal(usual, outcome)
        problems = [] if under.refused in sentence else [f"not refused: {outcome.stderr.decode(errors='replace')}"]
        if outcome.files != launch.arranged or os.path.exists(launch.data):
            problems.append("something is left behind")
        return Cell("broken" if problems else "refused", problems=problems)

    def judge(self, plain, way, under, works):
        outcome, launch = self.perform(way, under)
        said = self.take_messages(outcome, under)
        unlike, remark = differing_parts(self.program, plain, outcome), ""
        if bool(outcome.trouble) != bool(plain.trouble):
            unlike["trouble"] = outcome.trouble or f"none, but plainly {plain.trouble}"
        if unlike:
            unlike, remark = self.without_chance(plain, under, unlike)
        demands = under.recording if works else READABLE
        # Parts that had no room are missing; the report must say so as well.
        recording = examine(self.options.dwell, launch.data, way, self.program, outcome, READABLE if "no room" in said else demands)
        problems = [*unlike.values(), *launch.problems, *recording.problems]
        if "no room" in said and recording.meta and not recording.losses():
            problems.append(f"the report has no loss, but dwell printed: {said}")
        cell = Cell("broken" if problems else "ok", remark=recording.kinds_of_losses(), problems=problems)
        cell.add(remark)
        return cell

    def without_chance(self, plain, under, unlike):
        """Returns (differences that two plain runs do not have, a remark about the rest)."""
        again, _ = self.perform(PLAIN, under)
        by_chance = differing_parts(self.program, plain, again)
        if bool(again.trouble) != bool(plain.trouble):
            by_chance["trouble"] = again.trouble
        common = [part for part in unlike if part in by_chance]
        remark = f"plain runs differ in {', '.join(common[:3])}" if common else ""
        return {part: sentence for part, sentence in unlike.items() if part not in by_chance}, remark

    def judge_end(self, plain, way, under):
        """Compares the end alone: how much the program has done by then depends on how fast it is."""
        outcome, launch = self.perform(way, under)
        problems = [] if outcome.status == plain.status else [f"exit status {outcome.status} instead of {plain.status}"]
        recording = examine(self.options.dwell, launch.data, way, self.program, outcome, under.recording)
        problems += launch.problems + recording.problems
        return Cell("broken" if problems else "ok", remark=recording.kinds_of_losses(), problems=problems)
