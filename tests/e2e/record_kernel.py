#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_kernel.py DWELL PROGRAMS WITHOUT_PERFMON - `dwell record --kernel`: stacks go on in the kernel, from inside and from
outside, with the names of its functions; or one line says what permits that.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

DWELL, PROGRAMS, WITHOUT_PERFMON = (os.path.abspath(path) for path in sys.argv[1:4])
TIMEOUT_S = 120

# Much time in one system call each, which is long enough for several samples, and some in the program.
READER = """
random = open("/dev/urandom", "rb", 0)
for i in range(40):
    random.read(1 << 20)
x = 0
for i in range(500000):
    x += i
"""


def dwell(*words, before=(), **more):
    return subprocess.run([*before, DWELL, *words], capture_output=True, text=True, timeout=TIMEOUT_S, check=False, **more)


def report(data, *words):
    return json.loads(dwell("report", "--format", "json", *words, data).stdout)


def has_names():
    with open("/proc/kallsyms", encoding="ascii") as symbols:
        return int(symbols.readline().split()[0], 16) != 0


def reader(folder, engine):
    """Checks a program that is in the kernel for most of the time."""
    data = f"{folder}/{engine}.data"

    def recorded():
        ran = dwell("record", "--engine", engine, "--kernel", "-o", data, sys.executable, "-c", READER)
        found = report(data)
        whole, cpu = found["meta"]["samples_ns"], found["meta"]["cpu_ns"]
        inside = sum(row["self_ns"] for row in found["samples"] if row["object"] == "[kernel]")
        system = found["meta"]["system_ns"]
        note(f"{engine}: {inside / 1e6:.0f} of {whole / 1e6:.0f} ms in [kernel]; by the kernel {system / 1e6:.0f} of {cpu / 1e6:.0f} ms")
        # The kernel counts its own time by its tick.
        return ran.returncode == 0 and inside > 0.5 * system and abs(whole - cpu) < 0.1 * cpu

    ok_in_three(recorded, f"{engine}: time in the kernel is in [kernel], and all samples add up to the CPU time")
    if not has_names():
        skip(f"{engine}: names", "/proc/kallsyms has no addresses for this user")
        return data
    found = {row["name"]: row for row in report(data)["samples"]}
    ok("vfs_read" in found and found["vfs_read"]["object"] == "[kernel]", f"{engine}: its functions have names")
    lines = dwell("export", "-f", "folded", data).stdout.splitlines()
    ok(any(";read;" in line and line.index(";read;") < line.index(";vfs_read;") for line in lines if ";vfs_read;" in line),
       f"{engine}: below the system call of the program")
    focus = report(data, "--focus", "vfs_read")
    ok(0 < focus["meta"]["samples_shown"] < focus["meta"]["samples"], f"{engine}: filters know them")
    with_hidden = {row["name"] for row in report(data, "--hide", "vfs_read")["samples"]}
    ok("vfs_read" not in with_hidden, f"{engine}: and hide them")
    return data


def exports(folder, data):
    for name in ("pprof", "firefox", "speedscope", "callgrind", "perf-script", "otlp"):
        path = f"{folder}/{name}.out"
        ok(dwell("export", "-f", name, "-o", path, data).returncode == 0, f"{name}: is written")
        if name in ("firefox", "speedscope", "callgrind", "perf-script"):
            with open(path, encoding="utf-8") as file:
                ok("vfs_read" in file.read(), f"{name}: with functions of the kernel")
    page = f"{folder}/page.html"
    ok(dwell("html", "-o", page, data).returncode == 0, "a page")
    archive = f"{folder}/archive.data"
    dwell("archive", "-o", archive, data)
    ok(any(row["name"] == "vfs_read" for row in report(archive)["samples"]), "an archive has the names")


def of_events(folder):
    """Checks events: each page fault of one system call has the kernel's functions of its own."""
    data = f"{folder}/faults.data"
    dwell("record", "--kernel", "-e", "page-faults", "-c", "1", "-o", data, f"{PROGRAMS}/event_target")
    rows = {row["name"]: row for row in report(data)["samples"]}
    lines = [line for line in dwell("export", "-f", "folded", data).stdout.splitlines() if ";fill_by_kernel;" in line]
    note(rows["fill_by_kernel"]["total_events"])
    ok(500 <= rows["fill_by_kernel"]["total_events"] <= 508, "page faults of a system call, all of them")
    ok(not has_names() or any(";vfs_read;" in line for line in lines), "in the functions of the kernel that take them")
    ok(rows["touch_in_main"]["total_events"] in range(3000, 3009), "and of the program, as without --kernel")


def without_names(folder):
    """Checks pieces: they are cut while names are not looked up."""
    pieces = f"{folder}/pieces"
    dwell("record", "--kernel", "--every", "1h", "-o", pieces, sys.executable, "-c", READER)
    (piece,) = (os.path.join(pieces, name) for name in os.listdir(pieces))
    rows = [row for row in report(piece)["samples"] if row["object"] == "[kernel]"]
    ok(len(rows) == 1 and rows[0]["name"] == "[kernel]" and rows[0]["self_ns"] > 0, "without names, the kernel is one row")


def without_option(folder):
    """Checks the default: the time of a system call is that of the function that makes it."""
    data = f"{folder}/plain.data"
    dwell("record", "-o", data, sys.executable, "-c", READER)
    found = report(data)["samples"]
    ok(not any(row["object"] == "[kernel]" for row in found), "without --kernel, stacks end where the kernel begins")
    ok(max(found, key=lambda row: row["self_ns"])["name"] == "read", "at the function that makes the system call")


def refusals(folder, is_permitted):
    data = f"{folder}/refused.data"

    def refused(*words):
        ran = dwell("record", "--kernel", *words, "-o", data, "true")
        return ran.returncode == 2 and ran.stderr.count("\n") == 1

    ok(refused("--no-stacks"), "no stacks: one sentence")
    ok(refused("--clock", "timer"), "a clock that does not see the kernel: one sentence")
    before = [WITHOUT_PERFMON] if is_permitted else []
    ran = dwell("record", "--kernel", "-o", data, sys.executable, "-c", READER, before=before)
    ok(ran.returncode == 0 and "stacks end where the kernel begins: kernel.perf_event_paranoid 1" in ran.stderr,
       "no permission: one line that names the setting")
    ok(not any(row["object"] == "[kernel]" for row in report(data)["samples"]), "and stacks as without it")


def main():
    with tempfile.TemporaryDirectory() as folder:
        is_permitted = "where the kernel begins" not in dwell("record", "--kernel", "-o", f"{folder}/try.data", "true").stderr
        if is_permitted:
            inside = reader(folder, "inside")
            reader(folder, "outside")
            if has_names():
                exports(folder, inside)
            else:
                skip("exports", "/proc/kallsyms has no addresses for this user")
            of_events(folder)
            without_names(folder)
            without_option(folder)
        else:
            skip("functions of the kernel", "kernel.perf_event_paranoid forbids them")
        refusals(folder, is_permitted)
    done()


if __name__ == "__main__":
    main()
