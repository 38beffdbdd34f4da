# SPDX-License-Identifier: MIT
"""calls_runner.py - runs a target plainly and under `dwell calls`, and compares: the user of the target must see
the same, and the recording must contain what the target expects a profiler to find. tests/prog/calls_target.h
describes the output of targets."""
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import EMULATED, excuse, runnable  # noqa: E402
from tap import note, ok, skip  # noqa: E402

# The ways that a call can end. Fields that a target leaves out are 0, but for the first, which is the rest.
FATES = ("returned", "escaped", "abandoned", "untimed", "running")
ANY = (0, math.inf)
SKIPPED = 77
TIMEOUT_S = 180  # 100,000 threads with samples take a minute on a busy machine
PROBLEMS_SHOWN = 12
HANGS = "hangs"
EXCUSE = re.compile(r"dwell \w+: not everything was recorded, because there was no room in ")
BESIDE_SAMPLES = "beside samples"
SAMPLES_HZ = "4000"

# The same target with the system's libgcc. A static one of another release may have another form of the context that both
# pass to personality routines: on riscv64 it has 66 registers by gcc 12, and 128 by gcc 14. Exceptions then have wrong
# values without dwell as well.
WITH_SHARED_LIBGCC = {"calls_exceptions_static": "calls_exceptions"}

# Variables that Meson or the user has set for other programs, and that would change the results.
NOT_PASSED_ON = ("LD_AUDIT", "LD_BIND_NOW", "LD_LIBRARY_PATH", "LD_PRELOAD", "MALLOC_PERTURB_")


class Outcome:
    """The visible results of a run."""

    def __init__(self, status, stdout, stderr):
        self.status = status
        self.stdout = stdout
        self.stderr = stderr

    def __eq__(self, other):
        return vars(self) == vars(other)

    def __str__(self):
        return f"status {self.status}\n{self.stdout[-2000:]}{self.stderr[-2000:]}"


def environment(more):
    return {**{name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON}, **(more or {})}


def width(path):
    """Returns the class of an ELF file: 1 for 32 bits, 2 for 64."""
    with open(path, "rb") as file:
        return file.read(5)[4]


def run(command, env=None, cwd=None, timeout=TIMEOUT_S):
    """Returns the outcome, with a status as a shell has it. Kills processes that are still there after the
    timeout."""
    process = subprocess.Popen(
        runnable(command), env=environment(env), cwd=cwd, text=True, errors="replace", start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        return Outcome(HANGS, stdout, stderr)
    status = process.returncode
    return Outcome(status if status >= 0 else 128 - status, stdout, stderr)


def interval(text):
    """Returns (low, high) of `N`, `LOW..HIGH` or `?`."""
    if text == "?":
        return ANY
    low, _, high = text.partition("..")
    return int(low), int(high or low)


def add(a, b):
    return a[0] + b[0], a[1] + b[1]


def read_expectations(path, with_children=True):
    """Returns {function: {field: (low, high)}} from the target's file."""
    expected = {}
    if not os.path.exists(path):
        return expected
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if words[0] == "child":
                if not with_children:
                    continue
                words = words[1:]
            fields = expected.setdefault(words[0], {})
            for field, _, value in (word.partition("=") for word in words[1:]):
                fields[field] = add(fields.get(field, (0, 0)), interval(value))
    return expected


def find_rows(table, function):
    """Returns the rows of FUNCTION, OBJECT:FUNCTION or OBJECT:*."""
    of, _, name = function.rpartition(":")
    return [row for row in table if name in (row["symbol"], "*") and of in (row["object"], "")]


def within(value, bounds):
    return bounds[0] <= value <= bounds[1]


def show(bounds):
    low, high = bounds
    return f"{low}" if low == high else f"{low}..{high}"


def judge_function(function, fields, found, counted_only, sampled):
    """Returns the errors in the row of one function, in words."""
    problems = []
    total = {field: sum(row.get(field) or 0 for row in found) for field in ("calls", *FATES)}
    if not found and fields["calls"][0] == 0:
        return []
    if not within(total["calls"], fields["calls"]):
        problems.append(f"calls {total['calls']}, not {show(fields['calls'])}")
    if sum(total[fate] for fate in FATES) != total["calls"]:
        problems.append(f"{total} do not add up")
    if counted_only:
        if total["calls"] - total["untimed"] > fields.get("running", (0, 0))[1]:
            problems.append(f"untimed {total['untimed']} of {total['calls']}")
    elif not sampled:
        for fate in FATES:
            bounds = fields.get(fate, (0, 0) if fate != "returned" else ANY)
            if not within(total[fate], bounds):
                problems.append(f"{fate} {total[fate]}, not {show(bounds)}")
        if any(row["returned"] and row["total_ns"] is None for row in found):
            problems.append("calls returned but there is no time")
    return [f"{function}: {problem}" for problem in problems]


def judge(report, expected, counted_only=False, sampled=False, by_entry=False):
    """Returns the errors in a recording, in words. by_entry: functions that only their own library calls are seen."""
    table = report["calls"]
    lost = expected.pop("lost", {"calls": (0, 0)})["calls"]
    problems = []
    for function, fields in expected.items():
        problems += judge_function(function, fields, find_rows(table, function), counted_only, sampled)
    named = [id(row) for function in expected for row in find_rows(table, function)]
    for row in table:
        if not by_entry and row["object"].startswith("libcalls") and row["calls"] and id(row) not in named:
            problems.append(f"{row['object']}:{row['symbol']}: calls {row['calls']}, not 0")
    if not within(report["meta"]["lost"], lost):
        problems.append(f"{report['meta']['lost']} lost")
    return problems


def without_excuse(stderr, report):
    """Removes dwell's own message about losses, if there are any, from the program's stderr."""
    lost = report and report["meta"]["lost"]
    return "".join(line for line in stderr.splitlines(True) if not (lost and EXCUSE.match(line)))


def verb_of(options):
    """Returns the words of `dwell calls` with these options; with BESIDE_SAMPLES, the same in `dwell record`."""
    if BESIDE_SAMPLES not in options:
        return ["calls", *options]
    return ["record", "-F", SAMPLES_HZ] + ["--calls" if word == "-f" else word for word in options
                                           if word != BESIDE_SAMPLES]


class Runner:
    """The paths of the command and of the folder with the targets."""

    def __init__(self, dwell, folder):
        self.dwell = os.path.abspath(dwell)
        self.folder = os.path.abspath(folder)
        self.scratch = tempfile.mkdtemp(prefix="dwell-calls.")

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def path(self, name):
        """Returns the path of a target, or of a library for it."""
        return os.path.join(self.folder, name)

    def has(self, name):
        return os.path.exists(self.path(name))

    def in_scratch(self, name):
        return os.path.join(self.scratch, name)

    def report(self, data):
        """Returns the report of a recording, or the error."""
        answer = run([self.dwell, "report", data, "--no-inline", "--format", "json"])
        if answer.status:
            return None, str(answer)
        return json.loads(answer.stdout), None

    def profile(self, options, command, **where):
        """Returns (outcome, report, error in the report). DATA is a relative path: the target may change its
        directory."""
        data = self.in_scratch("data")
        if os.path.exists(data):
            os.unlink(data)
        outcome = run([self.dwell, *verb_of(options), "-q", "-o", "data", "--", *command], cwd=self.scratch, **where)
        if not os.path.exists(data):
            return outcome, None, "there is no recording"
        return outcome, *self.report(data)

    def command(self, target, scenario, *arguments):
        """Returns the command of a target, and the file that it will write its expectations to."""
        expectations = self.in_scratch("expectations")
        if os.path.exists(expectations):
            os.unlink(expectations)
        return [self.path(target), expectations, scenario, *arguments], expectations

    def plain(self, target, scenario, *arguments, **where):
        command, _ = self.command(target, scenario, *arguments)
        return run(command, cwd=self.scratch, **where)

    def point(self, what, plain, options, target, scenario, *arguments, max_bytes=None, **where):
        """Checks one point: the target runs as it did plainly, and everything is in the recording."""
        command, expectations = self.command(target, scenario, *arguments)
        outcome, report, problem = self.profile(options, command, **where)
        problems = [problem] if problem else []
        outcome.stderr = without_excuse(outcome.stderr, report)
        if outcome != plain:
            problems.append(f"without dwell: {plain}\nwith dwell: {outcome}")
        if report:
            expected = read_expectations(expectations, "--no-follow" not in options)
            problems += judge(report, expected, "--count" in options, "--sample-timing" in options, "entry" in options)
        if max_bytes and os.path.exists(self.in_scratch("data")):
            size = os.path.getsize(self.in_scratch("data"))
            if size > max_bytes:
                problems.append(f"the recording has {size} bytes, more than {max_bytes}")
        if not ok(not problems, what):
            note("\n".join(problems[:PROBLEMS_SHOWN]))

    def points(self, target, scenario, *arguments, variants, functions=(), preload=None, max_bytes=None):
        """
        Checks a point for each variant, {its name: options}. functions: more to choose. preload: a library, in the
        folder or anywhere. max_bytes: the largest size of the recording.
        """
        shown = [os.path.basename(word) for word in (*arguments, preload) if word]
        name = " ".join([target, scenario, *shown])
        env = {"LD_PRELOAD": self.path(preload)} if preload else {}
        more = [word for spec in functions for word in ("-f", spec)]
        if not self.has(target):
            skip(name, "it is not built: there is no compiler for it, or no library")
            return
        if preload and width(self.dwell) != width(self.path(preload)):
            skip(name, "the linker of dwell, which has another width, would complain about the library")
            return
        if excuse(name):
            skip(name, excuse(name))
            return
        plain = self.plain(target, scenario, *arguments, env=env)
        if plain.status == SKIPPED:
            skip(name, plain.stdout.strip())
            return
        shared = WITH_SHARED_LIBGCC.get(target) if EMULATED else None
        if shared and self.plain(shared, scenario, *arguments, env=env) != plain:
            skip(name, f"without dwell as well, it does something else than {shared}: its libgcc is of another release")
            return
        for variant, options in variants.items():
            self.point(f"{name}: {variant}", plain, [*options, *more], target, scenario, *arguments,
                       max_bytes=max_bytes, env=env)
