#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_switching.py DWELL PROGRAMS - a program that begins and ends regions in threads, children and signal handlers all the
time, while its recording is paused and continued by a storm of signals and by a thousand calls of dwell ctl: it does what it
does without dwell, and no CPU time is lost or counted twice."""
import json
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import CLOCKS, DWELL, environment, program, run, text  # noqa: E402
from tap import done, note, ok, ok_in_three  # noqa: E402

ROUNDS = 400000
SIGNALS = 3000
CONTROLS = 1000
SLACK = 0.05  # of all CPU time: threads that end between two looks of the kernel


def adds_up(data):
    """Recorded, paused and known losses are the CPU time that the kernel counted."""
    meta = json.loads(run(DWELL, "report", "--format", "json", data).stdout)["meta"]
    parts = {name: meta[name] for name in ("samples_ns", "paused_ns", "unwatched_ns", "lost_samples_ns")}
    note(f"{parts} of {meta['cpu_ns']}")
    return abs(sum(parts.values()) - meta["cpu_ns"]) <= SLACK * meta["cpu_ns"] and not meta["samples_stackless"]


def started(data, *options):
    return subprocess.Popen([DWELL, "record", "-o", data, *options, program("record_regions"), "50", "haste", str(ROUNDS)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())


def names_of(output):
    return [line.rsplit(" ", 1)[0] for line in text(output).splitlines()]


def catches(pid):
    """Returns whether dwell awaits the signal: before that, it would be ended by it."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            caught = [int(line.split()[1], 16) for line in file if line.startswith(b"SigCgt:")]
    except OSError:
        return False
    return bool(caught and caught[0] >> signal.SIGUSR2 - 1 & 1)


def storm(data, clock, plain):
    def once():
        dwell = started(data, "--clock", clock, "--toggle", "USR2")
        sent = 0
        while dwell.poll() is None and sent < SIGNALS:
            if sent or catches(dwell.pid):
                dwell.send_signal(signal.SIGUSR2)
                sent += 1
        out, err = dwell.communicate(timeout=120)
        note(f"{sent} signals; {text(err)}")
        return dwell.returncode == 0 and names_of(out) == names_of(plain.stdout) and adds_up(data)

    ok_in_three(once, f"clock {clock}: a storm of signals, and the program is unharmed and its time adds up")


def control(data, clock):
    target = subprocess.Popen([DWELL, "record", "-o", data, "--clock", clock, program("record_paused")], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    pid = int(target.stdout.readline().split()[1])
    failed = 0
    for i in range(CONTROLS):
        failed += run(DWELL, "ctl", pid, ("stop", "start")[i % 2]).returncode != 0
        if i % 100 == 0:
            target.stdin.write("child 5\n" if i % 200 else "work 20\n")
            target.stdin.flush()
    target.stdin.close()
    count = len(target.stdout.read().split())
    target.wait(120)
    note(target.stderr.read())
    ok(not failed and target.returncode == 0 and count == CONTROLS // 100,
       f"clock {clock}: a thousand calls of dwell ctl, beside fork()")
    ok(adds_up(data), f"clock {clock}: the time adds up")


def main():
    plain = run(program("record_regions"), 50, "haste", ROUNDS)
    with tempfile.TemporaryDirectory() as folder:
        for clock in CLOCKS:
            storm(f"{folder}/data", clock, plain)
        control(f"{folder}/data", CLOCKS[0])
        answer = run(DWELL, "record", "-o", f"{folder}/pieces", "--every", "0.1s", program("record_regions"), 50, "haste", ROUNDS)
        ok(answer.returncode == 0 and names_of(answer.stdout) == names_of(plain.stdout), "regions in pieces of 0.1 s")
    done()


main()
