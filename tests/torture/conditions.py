# SPDX-License-Identifier: MIT
"""conditions.py - a hard condition for conditions_*.py: under it, programs do under dwell what they do without it, and
are recorded; or they are refused with one sentence. Losses are reported."""
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import EMULATED, NO_WIPE, wipes_on_fork  # noqa: E402
from sampled import DWELL, environment, one_sentence, program, run, status_of, text  # noqa: E402
from tap import note, ok, skip  # noqa: E402

WAYS = {"calls": ["calls", "-f", "*"], "record": ["record"], "both": ["record", "--calls", "*"]}
SAMPLED = ("record", "both")
COUNTED = ("calls", "both")
TARGET = program("conditions")
ALONE = ("small", "busy", "endless")  # scenarios without a child

# An emulator reverses the order of variables in every program that it starts: so that it is the same without dwell, there is
# one program more.
IN_PLACE_OF_DWELL = ["/usr/bin/env"] if EMULATED else []


def with_children(what, ways=WAYS):
    """Yields the ways in which programs that fork can be run here."""
    for way in ways:
        if way in COUNTED and not wipes_on_fork():
            skip(f"{what}, {way}", NO_WIPE)
        else:
            yield way


def differences(plain, answer):
    """Returns the lines that only one of the two has printed."""
    plain, answer = text(plain).splitlines(), text(answer).splitlines()
    return "\n".join([f"-{line}" for line in plain if line not in answer] +
                     [f"+{line}" for line in answer if line not in plain])


def plain(path):
    """Returns the -o for a path: a percent sign there begins a pattern."""
    return path.replace("%", "%%")


class Condition:
    """How and where commands are started. says: there may be no stdout, so the target writes to a file."""

    def __init__(self, what, *wrapper, says=False, data="data", target=TARGET, **settings):
        self.what, self.wrapper, self.says, self.data, self.target = what, wrapper, says, data, target
        self.folder = tempfile.mkdtemp(prefix="dwell-conditions.")
        os.chmod(self.folder, 0o777)
        self.settings = {"cwd": self.folder, "env": environment(), **settings}

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *command):
        says = self.path("says")
        settings = dict(self.settings)
        if self.says:
            settings["env"] = {**settings["env"], "SAYS": says}
        answer = run(*self.wrapper, *command, **settings)
        if os.path.exists(says):
            with open(says, "rb") as file:
                answer.stdout += file.read()
            os.unlink(says)
        return answer

    def dwell(self, way, *scenario):
        return self.run(DWELL, *WAYS[way], "-q", "-o", plain(self.data), "--", self.target, *scenario)

    def unharmed(self, *scenario, ways=WAYS, refused=None, lost=None, recorded=True):
        """Checks a point for each way. refused: a refusal with these words is accepted too. lost: dwell reports
        losses by these."""
        plain = self.run(*IN_PLACE_OF_DWELL, self.target, *scenario)
        for way in ways if scenario[0] in ALONE else with_children(self.what, ways):
            what = f"{self.what}, {way}"
            answer = self.dwell(way, *scenario)
            if refused and status_of(answer) == 2:
                ok(one_sentence(answer, refused), f"{what}: {text(answer.stderr).strip()}")
                continue
            problems = self.problems(plain, answer, lost)
            if recorded:
                problems += self.missing(way, lost)
            if not ok(not problems, f"{what}: as without dwell, status {status_of(answer)}"):
                note("\n".join(problems))

    @staticmethod
    def problems(plain, answer, lost):
        """Returns the differences between the program's two runs."""
        said = text(answer.stderr)
        if lost and lost in said and said.count("\n") == text(plain.stderr).count("\n") + 1:
            said = text(plain.stderr)
        found = []
        if status_of(answer) != status_of(plain):
            found.append(f"status {status_of(answer)}, not {status_of(plain)}")
        if answer.stdout != plain.stdout:
            found.append(differences(plain.stdout, answer.stdout))
        if said != text(plain.stderr):
            found.append(said)
        return found

    def missing(self, way, lost):
        """Returns what is missing in the recording, and losses that were not reported."""
        answer = run(DWELL, "info", "--format", "json", self.path(self.data))  # without names, which take most of a report
        if answer.returncode:
            return [text(answer.stderr)]
        os.unlink(self.path(self.data))
        meta = json.loads(answer.stdout)["meta"]
        found = []
        if way in SAMPLED and not (meta.get("samples") or lost):
            found.append("there are no samples")
        if way in COUNTED and not (meta.get("calls") or lost):
            found.append("there are no calls")
        losses = {name: value for name, value in meta.items() if name.startswith("lost") and value}
        if bool(losses) != bool(lost) or meta.get("damaged"):
            found.append(f"lost {losses}, damaged {meta.get('damaged')}")
        return found


class Named(Condition):
    """Another recording in the same folder."""

    def __init__(self, condition, data):
        vars(self).update(vars(condition), data=data)
