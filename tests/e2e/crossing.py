#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""crossing.py DWELL PROGRAMS - 32-bit programs under a 64-bit dwell: recorded, and their calls counted; also
programs that become or start one of the other width."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, Recording, environment, near, plain_name, program, run, text, unharmed  # noqa: E402
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

WIDE, NARROW = program("crossing"), program("crossing_i686")
WORK_S = 0.2
SHORT = environment(CROSSING_SECONDS="0.01")  # where nothing is sampled
WAYS = {
    "32 bits": [NARROW],
    "from 64 bits to 32": [WIDE, NARROW],
    "from 32 bits to 64 and back": [NARROW, WIDE, NARROW],
    "a child of 32 bits": [WIDE, "+" + NARROW],
    "a child of 64 bits": [NARROW, "+" + WIDE],
}


def without_cpu(output):
    return b"".join(line for line in output.splitlines(True) if not line.startswith(b"cpu "))


def programs_of(command):
    return [word.lstrip("+") for word in command]


def is_found(what, recording, command):
    """Checks for WORK_S of work in each program. An exec adds a new process to the recording."""
    due = {path: WORK_S * programs_of(command).count(path) for path in programs_of(command)}
    got = {path: sum(row["total_ns"] for row in recording.rows
                     if plain_name(row["symbol"]) == "crossing_work" and row["object"] == os.path.basename(path)) / 1e9
           for path in due}
    note(f"{what}: {got} of {due}; {recording.meta.get('samples_broken')} of {recording.meta.get('samples')} cut off")
    return (all(near(got[path], due[path], 0.1) for path in due)
            and recording.meta.get("samples_broken", 1) <= 0.01 * recording.meta.get("samples", 0))


def calls_of(command, via):
    """Returns {path of the library: calls of getppid()}, and the run."""
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "dwell.data")
        answer = run(DWELL, "calls", "-q", "--via", via, "-f", "getppid", "-o", data, "--", *command, env=SHORT)
        report = run(DWELL, "report", data, "--format", "json")
    try:
        rows = json.loads(report.stdout)["calls"]
    except (ValueError, KeyError):
        note(text(answer.stderr) + text(report.stderr))
        rows = []
    counts = {}
    for row in rows:
        counts[row["object"]] = counts.get(row["object"], 0) + row["calls"]
    return counts, answer


def counted(what, plain, command, via):
    counts, answer = calls_of(command, via)
    unharmed(plain, answer, f"{what}, {via}", without_cpu)
    ok(sum(counts.values()) == 1000 * len(command), f"{what}, {via}: 1000 calls in each program: {counts}")


def main():
    if not os.path.exists(NARROW):
        skip("programs of 32 bits", "this compiler makes none (gcc-VERSION-multilib)")
        return
    for what, command in WAYS.items():
        plain, recordings = run(*command, env=SHORT), []

        def measure(what=what, command=command, recordings=recordings):
            recordings.append(Recording(*command))
            return is_found(what, recordings[-1], command)

        ok_in_three(measure, f"{what}: each program has its samples, within 10 %")
        for recording in recordings:
            unharmed(plain, recording.run, what, without_cpu)
        for via in ("audit", "got"):
            counted(what, plain, command, via)


main()
done()
