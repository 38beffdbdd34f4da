#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stat.py DWELL WITHOUT_PERF WITHOUT_PERFMON - dwell stat counts what a command and its children do, has the exit status
of the command, and says what cannot be counted."""
import csv
import io
import json
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from emulation import EMULATED, NO_PERF, PATIENCE  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

DWELL, WITHOUT_PERF, WITHOUT_PERFMON = (os.path.abspath(path) for path in sys.argv[1:4])

# Touches as many pages as its argument says, and so does a child. Prints the CPU time of both.
COUNTED = """
import mmap, os, resource, sys, time
pid = os.fork()
size = int(sys.argv[1]) * mmap.PAGESIZE
room = mmap.mmap(-1, size)
room.madvise(mmap.MADV_NOHUGEPAGE)
for at in range(0, size, mmap.PAGESIZE):
    room[at] = 1
while time.process_time() < 0.1:
    pass
if pid:
    os.waitpid(pid, 0)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(sum(u.ru_utime + u.ru_stime for u in used))
"""


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120 * PATIENCE, **options)


def stat(*arguments, before=(), **options):
    return run(*before, DWELL, "stat", *arguments, **options)


def events(ran):
    """Returns the rows by the names of their events."""
    return {row["event"]: row for row in json.loads(ran.stderr)["events"]} if ran.stderr.startswith("{") else {}


def counted(pages):
    """Returns the rows of page faults and of CPU time, and the CPU time in seconds. An unprivileged user has the page faults
    of user code, which are all but a few here."""
    ran = stat("--format", "json", "-e", "page-faults,task-clock", sys.executable, "-c", COUNTED, str(pages))
    rows = events(ran)
    return rows.get("page-faults") or rows["page-faults:u"], rows["task-clock"], float(ran.stdout)


def counts():
    (few, clock, cpu), (many, _, _) = counted(1000), counted(11000)
    more, seconds = many["mean"] - few["mean"], clock["mean"] / 1e9
    note(f"{more} of 20000 page faults, {seconds:.4f} of {cpu:.4f} s")
    # The interpreter's own vary by some tens.
    ok(abs(more - 20000) < 400, "page faults, and those of a child")
    # Its start and its end are not in its own time.
    ok(cpu > 0.2 and cpu * 0.98 <= seconds <= cpu * 1.1 + 0.05, "CPU time, in nanoseconds")
    ok(clock["unit"] == "ns" and clock["counted"] == 1, "with its unit")
    part = events(stat("--format", "json", "-e", "page-faults:u,page-faults:k,page-faults", sys.executable, "-c", COUNTED, "1000"))
    if part["page-faults:k"]["refusal"]:
        skip("page faults of the kernel", part["page-faults:k"]["refusal"])
        return
    both = part["page-faults:u"]["mean"] + part["page-faults:k"]["mean"]
    ok(0 < part["page-faults:k"]["mean"] < part["page-faults:u"]["mean"] and both == part["page-faults"]["mean"],
       "user code and the kernel, which add up")


def commands():
    ok(stat("sh", "-c", "exit 3").returncode == 3, "the exit status of the command")
    ok(stat("sh", "-c", "kill -9 $$").returncode == 128 + signal.SIGKILL, "or its signal")
    ran = stat("sh", "-c", "echo out; echo err >&2")
    ok(ran.stdout == "out\n" and ran.stderr.startswith("err\n"), "the output of the command comes first")
    again = stat("-r", "3", "sh", "-c", "echo x")
    ok(again.stdout == "x\nx\nx\n" and "means of 3 runs" in again.stderr and "+-" in again.stderr, "three runs")
    once = stat("-r", "3", "sh", "-c", "echo x; exit 1")
    ok(once.stdout == "x\n" and once.returncode == 1, "a command that fails is not repeated")


def csv_in_file():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out")
        ran = stat("-o", path, "--format", "csv", "-e", "page-faults,cs", "true")
        with open(path, encoding="utf-8") as file:
            rows = list(csv.DictReader(io.StringIO(file.read())))
        ok(not ran.stderr and [row["event"].removesuffix(":u") for row in rows] == ["page-faults", "cs"] and float(rows[0]["mean"]) > 10,
           "CSV, into a file")


def refusals():
    for arguments, why in (((), "missing COMMAND"), (("-e", "nonsense", "true"), "unknown event 'nonsense'"),
                           (("-e", "cycles:x", "true"), "unknown modifier"), (("-r", "0", "true"), "-r needs a number"),
                           (("--format", "xml", "true"), "unknown format"), (("no-such-command",), "not found"),
                           (("-o", "/no/such/file", "true"), "/no/such/file")):
        ran = stat(*arguments)
        ok(ran.returncode == 2 and why in ran.stderr and ran.stderr.count("\n") == 1, f"refused: {why}")


def less_permission():
    """An unprivileged user may count user code; behind a filter, nothing is counted, and the command runs."""
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        paranoid = int(file.read())
    if paranoid != 2:
        skip("less permission", f"kernel.perf_event_paranoid is {paranoid}, not 2")
    else:
        rows = events(stat("--format", "json", "-e", "page-faults,context-switches,task-clock", "true",
                           before=[WITHOUT_PERFMON]))
        ok(rows["task-clock"]["mean"] > 0, "without rights: all CPU time, as the kernel counts it")
        ok(rows["page-faults:u"]["mean"] > 10 and "not permitted" in rows["context-switches"]["refusal"],
           "user code, and what happens in the kernel alone is refused")
    ran = stat("--format", "json", "-e", "page-faults", "sh", "-c", "echo out; exit 4", before=[WITHOUT_PERF, "EPERM"])
    ok(ran.stdout == "out\n" and ran.returncode == 4 and events(ran)["page-faults"]["refusal"],
       "where perf_event_open() is refused, the command runs all the same")
    cycles = events(stat("--format", "json", "-e", "cycles", "true"))
    cycles = cycles.get("cycles") or cycles.get("cycles:u")
    ok((cycles["mean"] or 0) > 1000 or cycles["refusal"], "cycles are counted, or it is said why not")


commands()
refusals()
if EMULATED:
    skip("numbers of events", NO_PERF)
else:
    counts()
    csv_in_file()
    less_permission()
done()
