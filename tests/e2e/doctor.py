#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""doctor.py DWELL WITHOUT_PERF WITHOUT_PERFMON - dwell doctor predicts what recordings then do: on this machine as
it is, behind a seccomp filter, without privileges, and under limits."""
import csv
import io
import json
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from emulation import PATIENCE  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

DWELL, WITHOUT_PERF, WITHOUT_PERFMON = (os.path.abspath(path) for path in sys.argv[1:4])
CHECKS = ["kernel", "perf events", "perf signals", "CPU timers", "seccomp", "other processes", "CPU counter",
          "limits", "this directory", "dwell record", "dwell calls", "musl programs"]
SKIPPED = 77
MB = 1 << 20


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120 * PATIENCE, **options)


class Doctor:
    """The output of one run, by the names of checks; `before` are the words in front of the command."""

    def __init__(self, *before, **options):
        self.run = run(*before, DWELL, "doctor", "--format", "json", **options)
        checks = json.loads(self.run.stdout)["checks"] if self.run.stdout else []
        self.checks = {check["check"]: check for check in checks}

    def status(self, name):
        return self.checks.get(name, {}).get("status")

    def says(self, name, part, word):
        return word in (self.checks.get(name, {}).get(part) or "")

    def explain(self):
        note(f"exit status {self.run.returncode}: {self.run.stderr}")
        for check in self.checks.values():
            note(check)


def point(doctor, holds, what):
    if not ok(holds, what):
        doctor.explain()


def suggests(doctor, text, what):
    advice = {check["advice"] for check in doctor.checks.values() if check["advice"]}
    below = text.stdout.partition("\nsuggestions:\n")[2].splitlines()
    point(doctor, sorted(line.strip() for line in below) == sorted(advice), what)
    return advice


def formats():
    text, comma = run(DWELL, "doctor"), run(DWELL, "doctor", "--format", "csv")
    doctor = Doctor()
    point(doctor, list(doctor.checks) == CHECKS, "all checks, in JSON")
    rows = list(csv.DictReader(io.StringIO(comma.stdout)))
    ok([row["check"] for row in rows] == CHECKS, "in CSV")
    lines = text.stdout.splitlines()
    ok(lines and lines[0].split() == ["check", "status", "finding", "consequence"]
       and all(line.startswith(name) for line, name in zip(lines[1:], CHECKS)), "and in text")
    suggests(doctor, text, "all advice is below the table, each once")
    ok(all((check["status"] == "fine") <= (check["advice"] is None) for check in doctor.checks.values()),
       "a passed check has no advice")
    ok(doctor.run.returncode == int("FAILS" in [check["status"] for check in doctor.checks.values()]),
       "the exit status says whether something fails")


def recorded_clock(folder, *before):
    """Returns the clock that a recording is really sampled by."""
    data = f"{folder}/recorded.data"
    run(*before, DWELL, "record", "-q", "-o", data, "--", DWELL, "--version")
    info = run(DWELL, "info", "--format", "json", data)
    return json.loads(info.stdout)["meta"]["sample_clock"] if info.stdout else None


def compare(folder, title, *before):
    doctor, clock = Doctor(*before), recorded_clock(folder, *before)
    point(doctor, clock and doctor.says("dwell record", "finding", f"works, clock {clock}"),
          f"{title}: dwell record uses the clock that was said, {clock}")
    return doctor


def as_it_is(folder):
    doctor = compare(folder, "as it is")
    point(doctor, doctor.status("dwell calls") == "fine", "dwell calls works in the build tree")
    release = os.uname().release
    point(doctor, doctor.says("kernel", "finding", release), "the kernel is named")


def filtered(folder):
    if run(WITHOUT_PERF, "EPERM", "true").returncode == SKIPPED:
        skip("behind a seccomp filter", "this kernel has no filters")
        return
    doctor = compare(folder, "behind a seccomp filter", WITHOUT_PERF, "EPERM")
    point(doctor, doctor.run.returncode == 0, "that is enough to work")
    point(doctor, doctor.status("perf events") == "less" and doctor.says("perf events", "finding", "EPERM")
          and doctor.says("perf events", "advice", "seccomp"), "perf events are refused, and the filter is named")
    point(doctor, doctor.says("seccomp", "finding", "a filter is active"), "it is found")
    advice = suggests(doctor, run(WITHOUT_PERF, "EPERM", DWELL, "doctor"), "all advice is below the table as well")
    ok(advice, "and there is some")
    point(doctor, doctor.says("dwell record", "consequence", "by CPU timers"), "samples are taken by timers")
    plain = Doctor()
    same = ("kernel", "CPU timers", "CPU counter", "limits", "this directory", "dwell calls")
    point(doctor, all(plain.checks[name] == doctor.checks[name] for name in same), "all else is as without")
    doctor = Doctor(WITHOUT_PERF, "ENOSYS")
    point(doctor, doctor.says("perf events", "finding", "ENOSYS"), "the error is named as it is")
    doctor = Doctor(WITHOUT_PERF, "CLOCKS")
    point(doctor, doctor.run.returncode == 1 and doctor.status("dwell record") == "FAILS"
          and doctor.says("dwell record", "finding", "no clock") and doctor.status("dwell calls") == "fine",
          "without any clock there are no samples: exit status 1")


def unprivileged(folder):
    doctor = compare(folder, "without CAP_PERFMON", WITHOUT_PERFMON)
    if "perf_event_paranoid 2" not in str(doctor.checks) or doctor.says("seccomp", "finding", "filter is active"):
        skip("perf events with perf_event_paranoid 2", "the setting is another one here, or a filter is active")
        return
    point(doctor, doctor.says("perf events", "finding", "user code only")
          and doctor.says("perf events", "advice", "perf_event_paranoid=1"), "perf events with perf_event_paranoid 2")


def limited():
    def little_memory():
        resource.setrlimit(resource.RLIMIT_AS, (400 * MB, 400 * MB))

    def short_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (32768, 32768))

    doctor = Doctor(preexec_fn=little_memory)
    point(doctor, doctor.run.returncode == 1 and doctor.status("limits") == "FAILS"
          and doctor.says("limits", "finding", "400 MB") and doctor.status("dwell calls") == "FAILS",
          "dwell calls fails where there is little address space: exit status 1")
    doctor = Doctor(preexec_fn=short_files)
    point(doctor, doctor.run.returncode == 1 and doctor.status("dwell record") == "FAILS",
          "and all recording where files have to be short")


def folders():
    with tempfile.TemporaryDirectory() as folder:
        doctor = Doctor(cwd=folder, env={**os.environ, "TMPDIR": folder})
        point(doctor, doctor.status("this directory") == "fine", "an empty directory can hold a recording")
        ok(not os.listdir(folder), "and stays empty")
    doctor = Doctor(cwd="/proc")
    point(doctor, doctor.status("this directory") == "less" and doctor.says("this directory", "advice", "-o DATA"),
          "/proc cannot")


def wrong_use():
    for arguments, word in ((["here"], "'here'"), (["--format", "xml"], "'xml'"), (["--loud"], "--loud")):
        answer = run(DWELL, "doctor", *arguments)
        ok(answer.returncode == 2 and word in answer.stderr and answer.stderr.count("\n") == 1,
           f"{' '.join(arguments)}: refused in one sentence")
    ok("usage: dwell doctor" in run(DWELL, "doctor", "--help").stdout, "--help")


def main():
    formats()
    with tempfile.TemporaryDirectory() as folder:
        as_it_is(folder)
        filtered(folder)
        unprivileged(folder)
    limited()
    folders()
    wrong_use()
    done()


if __name__ == "__main__":
    main()
