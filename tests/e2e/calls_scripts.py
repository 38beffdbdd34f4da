#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_scripts.py DWELL PROGRAMS - dwell calls --by-caller names the function of a script that calls. tests/prog/python_callers.py
makes a known number of calls from known functions, in threads, callbacks, generators and children; counts are compared for
equality, in every way of interception, in a process that ran already, and in every version of Python that is here."""
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from attached import PATIENCE_S, Crew, code_of, is_attached, wait_for  # noqa: E402
from emulation import EMULATED  # noqa: E402
from pythons import SUPPORTED, pythons  # noqa: E402
from sampled import DWELL, environment, run, text  # noqa: E402
from scripted import PROGRAMS  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

SYSTEM = "/usr/bin/python3"
SCRIPT = os.path.join(PROGRAMS, "python_callers.py")
CHOSEN = "libz*:crc32,adler32,libc.so*:getppid,libsqlite3*:sqlite3_prepare*,*:cblas_dgemm"
# The callers of functions that no other code of the program calls.
ONLY = {"crc32", "adler32", "cblas_dgemm"}


def expected_of(output):
    """{(function, caller): calls}: what the program says that it has done."""
    made = {}
    for function, caller, calls in re.findall(r"^made (\S+) (\S+) (\d+)$", output, re.M):
        made[function, caller] = made.get((function, caller), 0) + int(calls)
    return made


def plain_name(symbol):
    return "sqlite3_prepare" if symbol.startswith("sqlite3_prepare") else symbol


def found_in(rows, column="caller"):
    found = {}
    for row in rows:
        key = plain_name(row["symbol"]), row[column]
        found[key] = found.get(key, 0) + int(row["calls"])
    return found


def differences(expected, found):
    """Calls that the program has not made, or not so often. Python itself calls some functions when it starts and ends."""
    wrong = {key: (calls, found.get(key)) for key, calls in expected.items() if found.get(key) != calls}
    return wrong | {key: (0, calls) for key, calls in found.items() if key[0] in ONLY and key not in expected}


def last_parts(expected):
    """Names as of versions whose functions have no qualified names."""
    short = {}
    for (function, caller), calls in expected.items():
        key = function, caller.rsplit(".", 1)[-1]
        short[key] = short.get(key, 0) + calls
    return short


class Counted:
    """A run of the program under dwell calls --by-caller, and its rows."""

    def __init__(self, folder, python, *options):
        self.data = os.path.join(folder, "calls.data")
        self.run = run(DWELL, "calls", "-q", "-o", self.data, "-f", CHOSEN, "--by-caller", *options, "--", python, SCRIPT)
        self.expected = expected_of(text(self.run.stdout))

    def report(self, *options):
        return json.loads(run(DWELL, "report", "--by", "caller", "--format", "json", *options, self.data).stdout)


def all_are_right(counted, what, names=lambda expected: expected):
    report = counted.report()
    wrong = differences(names(counted.expected), found_in(report["calls"]))
    for key, calls in wrong.items():
        note(f"{key}: expected and found {calls}")
    ok(counted.run.returncode == 0 and len(counted.expected) > 8 and not wrong, f"{what}: all calls are of their functions, exactly")
    meta = report["meta"]
    ok(meta["lost"] == 0 and meta["lost_callers"] == 0 and meta["unread_scripts"] == 0, f"{what}: none is lost or unread")


def shown(folder):
    """The system's own interpreter, in all ways; and what is shown."""
    for via in ("audit", "got", "entry"):
        counted = Counted(folder, SYSTEM, "--via", via)
        all_are_right(counted, f"--via {via}")
    rows = counted.report()["calls"]
    ok({row["caller_object"] for row in rows if row["caller"] == "Worker.checksum"} == {"python_callers.py"}, "callers have their file")
    everything = sum(int(row["calls"]) for row in rows)
    native = counted.report("--no-scripts")["calls"]
    names = {row["caller"] for row in native}
    ok(sum(int(row["calls"]) for row in native) == everything and not names & {caller for _, caller in counted.expected},
       "--no-scripts has the native callers of the same calls")
    objects = json.loads(run(DWELL, "report", "--by", "caller-object", "--format", "json", counted.data).stdout)["calls"]
    ok(sum(int(row["calls"]) for row in objects) == everything and any(row["caller"].startswith("python3") for row in objects),
       "--by caller-object has the native objects")
    lines = csv.DictReader(io.StringIO(text(run(DWELL, "report", "--by", "caller", "--format", "csv", counted.data).stdout)))
    ok(not differences(counted.expected, found_in(lines)), "CSV has the same")
    table = text(run(DWELL, "report", "--by", "caller", "--limit", "0", counted.data).stdout)
    ok(re.search(r"crc32 +libz\.so\.1 +Worker\.checksum +python_callers\.py", table), "and so has the table")
    callgrind = text(run(DWELL, "export", "-f", "callgrind", counted.data).stdout)
    ok(re.search(r"^fn=\(\d+\) Worker\.checksum$", callgrind, re.M), "and the export for callgrind")
    for options in (["--count"], ["--sample-timing"]):
        all_are_right(Counted(folder, SYSTEM, *options), options[0])
    counted = Counted(folder, SYSTEM, "--by-caller=object")
    ok({row["caller"] for row in counted.report()["calls"]}.isdisjoint(caller for _, caller in counted.expected),
       "--by-caller=object has no functions")


def archived(folder):
    counted = Counted(folder, SYSTEM)
    moved = os.path.join(folder, "moved.data")
    run(DWELL, "archive", "-o", moved, counted.data)
    counted.data = moved
    all_are_right(counted, "an archive")


def made_while_attached(via, data):
    """Runs the program, which waits for a line until it is attached to. Returns its status and what it has made."""
    program = Crew(SYSTEM, SCRIPT, "waits")
    before = code_of(program.pid)
    dwell = subprocess.Popen([DWELL, "calls", "-p", str(program.pid), "-o", data, "-f", CHOSEN, "--by-caller", "--via", via],
                             stderr=subprocess.DEVNULL, env=environment())
    wait_for(lambda: is_attached(program.pid, via, before))
    program.send("go")
    lines = list(iter(program.process.stdout.readline, "done\n"))
    dwell.send_signal(signal.SIGINT)
    dwell.wait(PATIENCE_S)
    return program.end(), expected_of("".join(lines))


def attached(folder):
    """Children of the process are not counted, nor are calls by pointers that were taken before, as those of ctypes are."""
    for via in ("got", "entry"):
        data = os.path.join(folder, f"{via}.data")
        status, expected = made_while_attached(via, data)
        rows = json.loads(run(DWELL, "report", "--by", "caller", "--format", "json", data).stdout)["calls"]
        expected = {key: calls for key, calls in expected.items() if key[0] == "crc32" and key[1] != "only_child"}
        wrong = differences(expected, {key: calls for key, calls in found_in(rows).items() if key[0] == "crc32"})
        for key, calls in wrong.items():
            note(f"{key}: expected and found {calls}")
        ok(status == 0 and len(expected) > 5 and not wrong, f"-p --via {via}: all calls are of their functions, exactly")


def versions(folder, here):
    for version in SUPPORTED:
        if version not in here:
            skip(f"{version}: all calls are of their functions", "this version is not here")
            continue
        counted = Counted(folder, here[version])
        all_are_right(counted, version, (lambda expected: expected) if version in SUPPORTED[3:] else last_parts)
    others = [version for version in here if version not in SUPPORTED and version.startswith("3.")]
    if not others:
        skip("an interpreter that is not supported has native callers", "there is none here")
        return
    counted = Counted(folder, here[others[0]])
    rows = [row for row in counted.report()["calls"] if row["symbol"] == "crc32"]
    ok(sum(int(row["calls"]) for row in rows) == sum(calls for (function, _), calls in counted.expected.items() if function == "crc32")
       and not any(row["caller"] == "checksum" for row in rows), f"{others[0]}, which is not supported: native callers")
    summary = text(run(DWELL, "report", "--by", "caller", counted.data).stdout)
    ok("Python functions have no names: this dwell supports" in summary, "and the report says why")


with tempfile.TemporaryDirectory() as folder:
    shown(folder)
    archived(folder)
    if EMULATED:
        skip("callers in a running process", "the emulator has no ptrace()")
    else:
        attached(folder)
    versions(folder, pythons())
done()
