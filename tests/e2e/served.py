#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""served.py DWELL PROGRAMS - a server of several processes: it is recorded by the id of its master process,
processes have the names that they give themselves, and reload and stop work as without dwell."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import done, note, ok, skip  # noqa: E402

DWELL, PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:3])
ARGUMENTS = [os.path.join(PROGRAMS, "served_family"), "these", "arguments", "give", "room", "for", "a", "name"]
WAYS = (("record",), ("calls", "-f", "*"), ("calls", "-f", "*", "--via", "got"), ("record", "--calls", "*"))


class Family:
    """The server, started with some words before its command."""

    def __init__(self, *before):
        self.process = subprocess.Popen([*before, *ARGUMENTS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_ready()

    def wait_ready(self):
        line = self.process.stdout.readline()
        if line != "ready\n":
            note(f"instead of being ready: {line!r}")

    def reload(self):
        self.process.send_signal(signal.SIGHUP)
        self.wait_ready()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said


def ask(data, *words):
    answer = subprocess.run([DWELL, *words, data, "--format", "json"], capture_output=True, check=False)
    if answer.returncode:
        note(answer.stderr.decode())
        return {"processes": [], "samples": []}
    return json.loads(answer.stdout)


def names(data):
    """Returns the names of all worker processes."""
    return sorted(row["command"] for row in ask(data, "info")["processes"] if "worker" in row["command"])


def command_count(data):
    return sum(row["command"] == " ".join(ARGUMENTS) for row in ask(data, "info")["processes"])


def launched(folder):
    data = os.path.join(folder, "launched.data")
    for way in WAYS:
        family = Family(DWELL, *way, "-q", "-o", data, "--")
        family.reload()
        status, said = family.stop()
        ok((status, said) == (0, ""), f"{' '.join(way)}: reload and stop are as they are")
        found = names(data)
        note(found)
        ok(found == [f"family: worker {generation}.{number}" for generation in (1, 2) for number in (0, 1)]
           and command_count(data) == 1,
           f"{' '.join(way)}: workers are called what they call themselves, and the command is as it was given")


def watch(folder, family):
    """Records the server, by the id of the first process, before and after it is reloaded."""
    data = os.path.join(folder, "watched.data")
    recorder = subprocess.Popen([DWELL, "record", "-q", "-o", data, "-p", str(family.process.pid)],
                                stderr=subprocess.PIPE)
    time.sleep(0.7)
    family.reload()
    time.sleep(0.7)
    recorder.send_signal(signal.SIGINT)
    _, said = recorder.communicate(timeout=60)
    return recorder.returncode, said.decode(), data


def sampled(data):
    """Returns {command: samples} of the workers."""
    rows = ask(data, "report", "--by", "process")["samples"]
    return {row["command"]: row["self"] for row in rows if "worker" in row["command"]}


def watched(folder):
    family = Family()
    status, said, data = watch(folder, family)
    if status == 2 and "perf_event" in said:
        skip("a server that runs", said.strip())
        family.stop()
        return
    found = sampled(data)
    note(found)
    ok(status == 0 and sorted(found) == [f"family: worker {generation}.{number}" for generation in (1, 2)
                                         for number in (0, 1)] and all(found.values()),
       "the number of the first process stands for those that it has started, and those that it starts")
    rows = ask(data, "report")["samples"]
    ok(rows and rows[0]["name"] == "worker_work", "their work is there")
    data = os.path.join(folder, "alone.data")
    alone = subprocess.run([DWELL, "record", "-o", data, "--no-follow", "-d", "0.3", "-p", str(family.process.pid)],
                           stderr=subprocess.PIPE, text=True, check=False)
    ok(not sampled(data) and len(ask(data, "info")["processes"]) == 1, "with --no-follow it is that one alone")
    ok("0 samples" in alone.stderr and "no CPU time was used" in alone.stderr, "which does nothing, and that is said")
    ok(family.stop() == (0, ""), "the server did not notice")


def main():
    with tempfile.TemporaryDirectory() as folder:
        launched(folder)
        watched(folder)
    done()


main()
