#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""conditions_processes.py DWELL PROGRAMS - processes that are stopped, killed, left behind, or run at the same time."""
import collections
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from conditions import SAMPLED, TARGET, WAYS, Condition, Named, with_children  # noqa: E402
from emulation import PATIENCE  # noqa: E402
from sampled import DWELL, run, text  # noqa: E402
from tap import done, note, ok  # noqa: E402

PARALLEL = 100


class Started:
    """A target that runs under dwell until it is killed; with the ids of both."""

    def __init__(self, condition, way, *scenario):
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen([DWELL, *WAYS[way], "-q", "-o", "data", "--", TARGET, *scenario], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                        **condition.settings)
        self.pid = self.process.pid
        self.process.stdout.readline()
        with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as file:
            self.target = int(file.read().split()[0])

    def end(self):
        """Returns status and stderr, when all have ended."""
        _, stderr = self.process.communicate(timeout=30 * PATIENCE)
        return self.process.returncode, text(stderr)


def stopped(condition, way):
    """Stops first the program, then dwell."""
    started = Started(condition, way, "endless")
    for _ in range(10):
        for pid in (started.target, started.pid):
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.002)
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.002)
    os.kill(started.pid, signal.SIGTERM)
    return started.end() == (128 + signal.SIGTERM, "") and not condition.missing(way, None)


def interrupted(condition, way):
    """Sends signals as a terminal does: the program's reaction is what counts."""
    started = Started(condition, way, "endless")
    os.killpg(started.pid, signal.SIGTSTP)
    time.sleep(0.01)
    os.killpg(started.pid, signal.SIGCONT)
    os.killpg(started.pid, signal.SIGINT)
    return started.end() == (128 + signal.SIGINT, "") and not condition.missing(way, None)


def killed(condition, way):
    """Kills dwell itself by a signal that it cannot catch: the program goes on, and so does its recording."""
    def recorded():
        answer = run(DWELL, "info", "--format", "json", condition.path("data"))
        meta = json.loads(answer.stdout)["meta"]
        return meta["samples" if way in SAMPLED else "calls"]

    started = Started(condition, way, "endless")
    os.kill(started.pid, signal.SIGKILL)
    started.process.wait()
    before = recorded()
    deadline = time.monotonic() + 10 * PATIENCE
    while recorded() <= before and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(started.target, signal.SIGKILL)
    started.end()
    return recorded() > before


def outlived(condition, way):
    """Checks that processes which the command has left behind go on after dwell has ended, and are recorded."""
    says, mark = condition.path("says"), condition.path("mark")
    condition.settings["env"] = {**condition.settings["env"], "SAYS": says}
    status = subprocess.run([DWELL, *WAYS[way], "-q", "-o", "data", "--", TARGET, "stays", mark], stdout=subprocess.DEVNULL,
                            timeout=30 * PATIENCE, check=False, **condition.settings).returncode
    with open(mark, "wb"):
        pass
    deadline = time.monotonic() + 30 * PATIENCE
    said = ""
    while not said.endswith("stayed\n") and time.monotonic() < deadline:
        time.sleep(0.01)
        if os.path.exists(says):
            with open(says, encoding="ascii") as file:
                said = file.read()
    answer = run(DWELL, "info", "--format", "json", condition.path("data"))
    return status == 3 and "thread: Success\n" in said and json.loads(answer.stdout)["meta"]["processes"] == 4


def signals():
    for what, happens in (("stopped and continued", stopped), ("interrupted by a terminal", interrupted),
                          ("dwell is killed", killed), ("dwell has ended", outlived)):
        for way in with_children(what) if happens == outlived else WAYS:
            with Condition(what) as condition:
                ok(happens(condition, way), f"{what}, {way}: the program does what it would, and is recorded")


def at_once(condition, way, data):
    """Returns the number of each (status, stdout, sentence) in PARALLEL runs; data(i) returns the recording's
    name."""
    started = [subprocess.Popen([DWELL, *WAYS[way], "-q", "-o", data(i), "--", TARGET, "small"], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **condition.settings) for i in range(PARALLEL)]
    answers = collections.Counter()
    for process in started:
        stdout, stderr = process.communicate()
        answers[process.returncode, text(stdout), re.sub("^dwell [a-z]+: ", "", text(stderr))] += 1
    return answers


def parallel():
    """Runs many at once in one folder: each with a recording of its own, or all with the same, which one gets at a
    time."""
    for way, data in (("record", "data.{}"), ("calls", "data")):
        with Condition("") as condition:
            answers = at_once(condition, way, data.format)
            worked = answers.pop((3, "small\n", ""), 0)
            busy = answers.pop((2, "", "another dwell is recording to 'data'\n"), 0)
            fine = worked + busy == PARALLEL and (worked == PARALLEL or data == "data" and worked >= 1)
            found = sorted(os.listdir(condition.folder))
            # The previous recording is kept when another one replaces it.
            one = ["data", "data.old"] if worked > 1 else ["data"]
            wrong = [problem for name in found for problem in Named(condition, name).missing(way, None)]
            if not ok(fine and (found == one if data == "data" else len(found) == PARALLEL) and not wrong,
                      f"{PARALLEL} at once, {way}, to {data}: {worked} run, {busy} are refused, {len(found)} recordings"):
                note(f"{answers} {wrong[:5]}")


signals()
parallel()
done()
