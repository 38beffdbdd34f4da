#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_paused.py DWELL PROGRAMS - --delay, --toggle and dwell ctl: the CPU time that is recorded is what the program used while
recording was on, by its own clock, and the rest is paused, not lost. The tolerance is two ticks of the slowest clock, and 2 %
of all: a tick counts whole for the state in which it ends, and programs are loaded as well."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import EMULATED, NO_PERF, PATIENCE, patches_entries  # noqa: E402
from sampled import DWELL, environment, program, run, text  # noqa: E402
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

TICK_US = 4000
# An emulator begins anew in a child and in a program that is executed, which takes longer than their work.
WORK_MS = 2000 if EMULATED else 100  # its own start of recording takes long, too
KINDS = ("work", "thread") if EMULATED else ("work", "thread", "child", "exec")


class Recorded:
    """A program that works when it is told to, under dwell record."""

    def __init__(self, data, *options):
        self.dwell = subprocess.Popen([DWELL, "record", "-o", data, *options, "--", program("record_paused")],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      env=environment())
        first = self.dwell.stdout.readline().split()
        self.pid = int(first[1]) if first else 0
        self.is_on = not any(option in ("--delay", "--toggle") for option in options)
        self.spent = {True: 0, False: 0}

    def work(self, kind, ms):
        self.dwell.stdin.write(f"{kind} {ms}\n")
        self.dwell.stdin.flush()
        us = int(self.dwell.stdout.readline())
        self.spent[self.is_on] += us
        return us

    def ctl(self, what, by_dwell=False):
        answer = run(DWELL, "ctl", self.dwell.pid if by_dwell else self.pid, what)
        if what != "status":
            self.is_on = what == "start"
        return answer

    def toggle(self):
        """A signal arrives some time: until then the state is the old one."""
        before = text(self.ctl("status").stdout).split(":")[1].split()[0]
        self.dwell.send_signal(signal.SIGUSR1)
        for _ in range(1000):
            if text(self.ctl("status").stdout).split(":")[1].split()[0] != before:
                self.is_on = not self.is_on
                return True
        return False

    def end(self):
        self.dwell.stdin.close()
        self.dwell.wait(60)
        with contextlib.suppress(OSError):
            note(self.dwell.stderr.read())
        return self.dwell.returncode


def figures(data):
    return json.loads(run(DWELL, "report", "--format", "json", data).stdout)["meta"]


def agrees(recorded, data):
    meta = figures(data)
    allowed = 2 * TICK_US + 0.02 * sum(recorded.spent.values())
    note(f"on {recorded.spent[True]} us, off {recorded.spent[False]} us; recorded {meta['samples_ns'] / 1e3:.0f}, "
         f"paused {meta['paused_ns'] / 1e3:.0f}, lost {meta['unsampled_ns'] / 1e3:.0f}, allowed {allowed:.0f}")
    if EMULATED:  # the start of a program, while recording is paused or not, takes long
        return abs(meta["samples_ns"] / 1000 - recorded.spent[True]) <= allowed
    return (abs(meta["samples_ns"] / 1000 - recorded.spent[True]) <= allowed and
            abs(meta["paused_ns"] / 1000 - recorded.spent[False]) <= allowed and
            meta["unsampled_ns"] / 1000 <= allowed)


def by_ctl(data, *options):
    recorded = Recorded(data, *options)
    if not recorded.pid:
        note(recorded.dwell.stderr.read())
        return False
    recorded.work("work", 50)
    for by_dwell in (False, True):
        recorded.ctl("start", by_dwell)
        for kind in KINDS:
            recorded.work(kind, 50)
        recorded.ctl("stop", not by_dwell)
        for kind in KINDS:
            recorded.work(kind, 30)
    return recorded.end() == 0 and agrees(recorded, data)


def check_ctl(folder):
    data = f"{folder}/data"
    for options in (["--clock", "perf"], ["--clock", "timer"], ["--clock", "itimer"], ["--engine", "outside"]):
        answer = run(DWELL, "record", *options, "-o", f"{folder}/tried", "true")
        if answer.returncode or (EMULATED and "perf" in options):
            skip(f"{' '.join(options)}: dwell ctl", text(answer.stderr).strip() or NO_PERF)
            continue
        ok_in_three(lambda: by_ctl(data, "--delay", "-1", *options),
                    f"{' '.join(options)}: dwell ctl starts and stops all processes and threads, and sums agree")
    said = text(run(DWELL, "report", data).stdout)
    ok("recording was paused for the rest" in said, "the report says how much was recorded")
    ok("LOST" not in said, "paused time is not lost")


def check_status(folder):
    data = f"{folder}/data"
    recorded = Recorded(data)
    ok(text(recorded.ctl("status").stdout) == f"process {recorded.pid}: recording to '{data}'\n", "status of a process")
    recorded.ctl("stop")
    ok(text(recorded.ctl("status", True).stdout) == f"process {recorded.dwell.pid}: paused, in '{data}'\n", "status of its dwell")
    ok(recorded.ctl("stop").returncode == 0, "stopping twice is allowed")
    recorded.end()
    answer = recorded.ctl("start")
    ok(answer.returncode == 2 and text(answer.stderr) == f"dwell ctl: there is no process {recorded.pid}\n", "one that has ended")


def check_outside(folder):
    data = f"{folder}/data"
    target = subprocess.Popen([program("record_paused")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    target.stdout.readline()
    dwell = subprocess.Popen([DWELL, "record", "-p", str(target.pid), "-o", data], stderr=subprocess.PIPE, env=environment())
    found = b""
    for _ in range(200):
        answer = run(DWELL, "ctl", target.pid, "stop")
        found = answer.stderr
        if answer.returncode == 0 or dwell.poll() is not None:
            break
        target.stdin.write("work 5\n")
        target.stdin.flush()
        target.stdout.readline()
    if dwell.poll() is not None:
        skip("-p: dwell ctl finds the dwell that records a process", text(dwell.stderr.read()).strip())
    else:
        ok(answer.returncode == 0, "-p: dwell ctl finds the dwell that records a process")
        note(text(found))
        dwell.send_signal(signal.SIGINT)
        dwell.wait(60)
    target.stdin.close()
    target.wait(60)


def check_user(folder):
    """Neither a process nor its dwell can be controlled by another user."""
    what = "another user cannot pause it"
    if os.geteuid() != 0:
        skip(what, "only root can become another user")
        return
    recorded = Recorded(f"{folder}/data")
    for pid in (recorded.pid, recorded.dwell.pid):
        answer = run("setpriv", "--reuid=65534", "--clear-groups", DWELL, "ctl", pid, "stop")
        if "dwell ctl:" not in text(answer.stderr):
            skip(what, f"dwell cannot be run there: {text(answer.stderr).strip()}")
            continue
        ok(answer.returncode == 2 and f"cannot look at process {pid}: Permission denied" in text(answer.stderr) and
           "recording to" in text(recorded.ctl("status").stdout), what)
    recorded.end()


def check_toggle(folder):
    data = f"{folder}/data"

    def toggled():
        recorded = Recorded(data, "--toggle", "USR1")
        recorded.work("work", 60)
        turned = recorded.toggle()
        recorded.work("work", 100)
        turned = recorded.toggle() and turned
        recorded.work("work", 40)
        turned = recorded.toggle() and turned
        recorded.work("work", 80)
        own = recorded.work("signals", 0)
        return recorded.end() == 0 and turned and own == 0 and agrees(recorded, data)

    ok_in_three(toggled, "--toggle: signals to dwell start, pause and continue")
    recorded = Recorded(data, "--toggle", "USR1")
    os.kill(recorded.pid, signal.SIGUSR1)
    ok(recorded.work("signals", 0) == 1 and "paused" in text(recorded.ctl("status").stdout),
       "the command gets its own signals, and they change nothing here")
    recorded.end()


def check_delay(folder):
    data = f"{folder}/data"

    def delayed():
        recorded = Recorded(data, "--delay", str(0.3 * PATIENCE))
        while "paused" in text(recorded.ctl("status").stdout):
            pass
        recorded.is_on = True
        recorded.work("work", WORK_MS)
        return recorded.end() == 0 and agrees(recorded, data)

    ok_in_three(delayed, "--delay: recording starts later")
    recorded = Recorded(data, "--delay", "0")
    ok("recording to" in text(recorded.ctl("status").stdout), "--delay 0 records from the start")
    recorded.end()
    recorded = Recorded(data, "--delay", "1000")
    recorded.work("work", 30)
    ok(recorded.end() == 0 and figures(data)["samples"] == 0, "a program that ends before the delay has no samples")


CALLS = (["calls", "-f", "fork"], ["calls", "--count", "-f", "fork"], ["calls", "--via", "got", "-f", "fork"],
         ["calls", "--by-caller", "-f", "fork"], ["calls", "--sample-timing", "-f", "fork"], ["record", "--calls", "fork"])
if patches_entries(DWELL, program("record_paused")):
    CALLS += (["calls", "--via", "entry", "-f", "fork"], ["calls", "--via", "entry", "--count", "-f", "fork"])


def calls_of_fork(data, words, steps):
    """Runs a program that calls fork() some times after each control. Returns the calls that were counted, and the controls."""
    dwell = subprocess.Popen([DWELL, *words, "-q", "-o", data, program("record_paused")], text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    pid = dwell.stdout.readline().split()[1]
    controls = []
    for what, count in steps:
        if what:
            controls.append(run(DWELL, "ctl", pid, what))
        for _ in range(count):
            dwell.stdin.write("child 1\n")
            dwell.stdin.flush()
            dwell.stdout.readline()
    dwell.stdin.close()
    dwell.wait(60)
    note(dwell.stderr.read() + text(controls[-1].stderr))
    rows = [row for row in json.loads(run(DWELL, "report", "--format", "json", data).stdout)["calls"] if row["name"] == "fork"]
    return sum(row["calls"] for row in rows), controls


def check_calls(folder):
    """Calls are counted exactly from the start on."""
    for words in CALLS:
        calls, controls = calls_of_fork(f"{folder}/data", [*words, "--delay", "-1"], (("", 3), ("start", 4), ("stop", 1)))
        ok(calls == 5, f"{' '.join(words)}: calls are counted from the start on, and all of them")
        ok(controls[0].returncode == 0 and controls[1].returncode == 2 and "only if --toggle was given" in text(controls[1].stderr),
           f"{' '.join(words)}: dwell ctl starts it, and does not pause it")


def check_calls_paused(folder):
    """With --toggle they are counted exactly while counting is on."""
    for words in CALLS:
        calls, controls = calls_of_fork(f"{folder}/data", [*words, "--toggle", "USR2"],
                                        (("", 3), ("start", 4), ("stop", 16), ("start", 32), ("stop", 1)))
        ok(calls == 36 and not any(control.returncode for control in controls),
           f"{' '.join(words)} --toggle: calls are counted while counting is on, and no others: {calls}")


def check_calls_toggled(folder):
    """Checks signals to dwell, and that calls which are not counted are no loss."""
    data = f"{folder}/data"
    recorded = Recorded(data, "--calls", "fork", "--toggle", "USR1")
    for count in (1, 2, 4, 8):
        for _ in range(count):
            recorded.work("child", 1)
        recorded.toggle()
    ok(recorded.end() == 0, "record --calls --toggle: ends")
    found = json.loads(run(DWELL, "report", "--format", "json", data).stdout)
    ok([row["calls"] for row in found["calls"] if row["name"] == "fork"] == [10], "record --calls --toggle: signals count and pause")
    ok("LOST: calls" not in text(run(DWELL, "report", data).stdout), "calls that are not counted are not lost")


def check_refusals():
    for words, said in (
            (["ctl"], "expected PID and start, stop or status"),
            (["ctl", "x", "start"], "invalid PID 'x'"),
            (["ctl", os.getpid(), "begin"], "unknown action 'begin' (expected start, stop or status)"),
            (["ctl", os.getpid(), "start"], f"process {os.getpid()} is not being recorded"),
            (["ctl", 4194305, "start"], "there is no process 4194305"),
            (["record", "--delay", "soon", "true"], "invalid delay 'soon'"),
            (["record", "--delay", "-2", "true"], "invalid delay '-2'"),
            (["record", "--toggle", "INT", "true"], "invalid signal 'INT'"),
            (["record", "--toggle", "RTMIN+99", "true"], "invalid signal 'RTMIN+99'"),
            (["calls", "--toggle", "INT", "-f", "*", "true"], "invalid signal 'INT'"),
            (["calls", "--delay", "soon", "-f", "*", "true"], "invalid delay 'soon'")):
        answer = run(DWELL, *words)
        ok(answer.returncode == 2 and said in text(answer.stderr), f"dwell {' '.join(map(str, words))}: {said}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_ctl(folder)
        check_status(folder)
        check_outside(folder)
        check_user(folder)
        check_toggle(folder)
        check_delay(folder)
        check_calls(folder)
        check_calls_paused(folder)
        check_calls_toggled(folder)
    check_refusals()
    done()


main()
