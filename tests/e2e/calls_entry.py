#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_entry.py DWELL PROGRAMS - `dwell calls --via entry` sees calls that no table of the linker leads to, names the
functions that it cannot patch, and says so where it cannot be used. calls_sees.py, calls_times.py and calls_data.py run
their cases through it as well.
"""
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_recording import (DWELL, VIAS, Recording, behaves, difference, environment, expectations, is_built, program,  # noqa: E402
                             run, text)
from tap import done, note, ok, skip  # noqa: E402

SHARE = 0.97  # of the functions of 16 bytes and more, which must be patchable; 97.5 % were when this was written
LIBRARIES = ("libc.so.6", "libstdc++.so.6", "libpython3.11.so.1.0", "libsqlite3.so.0")


def inside():
    """Checks static functions, in a program without debug information as well."""
    plain = run(program("sees_inside"))
    expected = expectations(plain.stdout)
    ok(b"registers stay 1\n" in plain.stdout and re.search(rb"callers of the fault: (\d) of \1\n", plain.stdout),
       "plainly, registers stay and a fault has a caller")
    for times in ([], ["--count"], ["--sample-timing"], ["--by-thread"], ["--by-caller"]):
        shown = f"inside a program, {' '.join(times) or 'with times'}"
        recording = Recording(program("sees_inside"), options=["-f", "sees_inside:inside_*", "--via", "entry", *times])
        behaves(plain, recording.run, shown)
        rows = {}
        for row in recording.rows:
            rows.setdefault(row["symbol"], dict(row, calls=0))["calls"] += row["calls"]
        wrong = difference(expected, list(rows.values()))
        if not ok(recording.rows and not wrong, f"{shown}: every call is counted, and once"):
            note("\n".join(wrong))
    recording = Recording(program("sees_inside"), options=["-f", "sees_inside:inside_*", "--via", "entry"])
    ok(recording.row("inside_throws").get("escaped") == 10, "exceptions leave their functions")
    # The last one is abandoned when a call comes from a frame at least as shallow.
    jumps = recording.row("inside_jumps")
    ok(jumps.get("abandoned", 0) >= 4 and jumps["abandoned"] + jumps["running"] == 5, "longjmp() abandons them")
    recording = Recording(program("sees_inside"), options=["-f", "*", "--via", "entry"])
    behaves(plain, recording.run, "inside a program, everything chosen")


def stripped():
    """Checks that functions without a name are found by their call frame information."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "sees_inside")
        shutil.copy(program("sees_inside"), copy)
        run("strip", copy)
        plain = run(copy)
        recording = Recording(copy, options=["-f", "sees_inside:fn_*", "--via", "entry"])
        behaves(plain, recording.run, "stripped")
        counts = sorted(row["calls"] for row in recording.rows)
        ok(4200 in counts and 1000 in counts and 110 in counts, "stripped: calls are counted under made-up names")


def packed():
    """Checks names of local functions in .gnu_debugdata: a packed file with symbols in a stripped one."""
    if not shutil.which("xz"):
        skip(".gnu_debugdata", "xz is not installed")
        return
    plain = run(program("sees_inside"))
    with tempfile.TemporaryDirectory() as folder:
        copy, debug = os.path.join(folder, "sees_inside"), os.path.join(folder, "debug")
        for command in (("objcopy", "--only-keep-debug", program("sees_inside"), debug),
                        ("strip", "-g", debug), ("xz", debug),
                        ("objcopy", "-S", "--add-section", f".gnu_debugdata={debug}.xz", program("sees_inside"), copy)):
            run(*command)
        recording = Recording(copy, options=["-f", "sees_inside:inside_*", "--via", "entry"])
        wrong = difference(expectations(plain.stdout), recording.rows)
        if not ok(recording.rows and not wrong, ".gnu_debugdata: its names are found"):
            note("\n".join(wrong))


OPENS = """
import ctypes, sys, threading
end = threading.Event()
if sys.argv[1] == "2":
    threading.Thread(target=end.wait).start()
library = ctypes.CDLL("libbz2.so.1.0")
for _ in range(3):
    library.BZ2_bzlibVersion()
end.set()
"""


def without_auditor():
    """Checks a program that has more static TLS than an auditor leaves, and runs without one."""
    hungry = program("calls_plugins/libcalls_plugin_tls8192.so")
    expected = expectations(run(program("sees_inside")).stdout)
    recording = Recording(program("sees_inside"), options=["-f", "sees_inside:inside_*", "--via", "entry"],
                          env=environment(LD_PRELOAD=hungry))
    wrong = difference(expected, recording.rows)
    if not ok(recording.rows and not wrong, "without an auditor: every call is counted, and once"):
        note("\n".join(wrong))
    if run("/usr/bin/python3", "-c", OPENS, "1").returncode:
        skip("without an auditor: libraries opened later", "python3 does not find libbz2")
        return
    for threads, found in (("1", [3]), ("2", [])):
        recording = Recording("/usr/bin/python3", "-c", OPENS, threads, options=["-f", "libbz2*:BZ2_bzlib*", "--via", "entry"],
                              env=environment(LD_PRELOAD=hungry))
        # A second thread may be in any function of it.
        lost = recording.meta.get("lost")
        if not ok([row["calls"] for row in recording.rows] == found and bool(lost) == (threads == "2"),
                  f"without an auditor, {threads} threads: a library opened later is {'counted' if found else 'lost'}"):
            note(str((recording.rows, lost)))


def sampled():
    """Checks that stacks pass copied instructions, and that samples in them count as overhead."""
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "dwell.data")
        answer = run(DWELL, "record", "-q", "--calls", "sees_inside:*", "--via", "entry", "-o", data, "--",
                     program("sees_inside"))
        report = run(DWELL, "report", data)
        ok(answer.returncode == 0 and b"memfd" not in report.stdout + report.stderr,
           "record --calls: no sample shows memory of dwell's own")


def listed(path):
    answer = run(DWELL, "list", "--functions", "--format", "json", path)
    return json.loads(answer.stdout)["functions"] if answer.returncode == 0 else []


def lists():
    rows = {row["symbol"]: row for row in listed(program("sees_inside"))}
    ok(rows.get("inside_plain", {}).get("patchable") == "yes", "dwell list --functions: a static function")
    start = rows.get("_start", {})
    ok(start.get("patchable") == "no" and start.get("reason") == "not entered by a call",
       "dwell list --functions: one that cannot be patched, with the reason")
    chosen = run(DWELL, "list", "--functions", "-f", "inside_t*", program("sees_inside"))
    ok([line.split()[-1] for line in text(chosen.stdout).splitlines()[1:]]
       and all(line.split()[-1].startswith("inside_t") for line in text(chosen.stdout).splitlines()[1:]),
       "dwell list --functions -f: only what matches")
    large = [row for row in rows.values() if row["size"] >= 16 and row["reason"] != "part of another function"]
    fine = [row for row in large if row["patchable"] == "yes"]
    said = text(run(DWELL, "list", "--functions", program("sees_inside")).stderr)
    ok(f" {len(fine)} of {len(large)} functions of 16 bytes and more can be patched" in said,
       "dwell list --functions: the share that can be patched")


def far_apart():
    """Checks a small library whose segments are 2 MB apart in memory, as older linkers have placed them."""
    path = "/usr/lib/x86_64-linux-gnu/libXdmcp.so.6"
    if not os.path.exists(path):
        skip("segments far apart", "libXdmcp is not installed")
        return
    ok(any(row["patchable"] == "yes" for row in listed(path)), "segments far apart: functions can be patched")


def compiler():
    """Returns the path of cc1; "": there is none."""
    return text(run("gcc", "-print-prog-name=cc1").stdout).strip() if shutil.which("gcc") else ""


def share():
    for path in [f"/usr/lib/{os.uname().machine}-linux-gnu/{name}" for name in LIBRARIES] + [compiler()]:
        name = os.path.basename(path) or "cc1"
        if not os.path.exists(path):
            skip(f"share of {name}", "it is not installed")
            continue
        rows = [row for row in listed(path)
                if int(row["size"]) >= 16 and row["reason"] != "part of another function"]
        fine = sum(row["patchable"] == "yes" for row in rows)
        if not ok(rows and fine >= SHARE * len(rows) and all(row["reason"] for row in rows if row["patchable"] == "no"),
                  f"{name}: {100 * fine / max(len(rows), 1):.1f} % of {len(rows)} functions can be patched, "
                  "the others have a reason"):
            note([row["symbol"] for row in rows if row["patchable"] == "no"][:20])


def summary():
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "dwell.data")
        answer = run(DWELL, "calls", "-o", data, "--via", "entry", "-f", "sees_inside:*", "--", program("sees_inside"))
        ok(b"not patched, not entered by a call: 1\n" in answer.stderr, "the report counts what was refused")
        meta = json.loads(run(DWELL, "report", data, "--format", "json").stdout)["meta"]
        ok(meta["functions_refused"] >= 1 and meta["lost"] == 0, "so it does in JSON, and it is not lost")


def refusals():
    for options, words in ((["--from", "libc.so.6"], "--from"), (["--via", "inside"], "audit, got or entry")):
        answer = run(DWELL, "calls", "-q", "-o", os.devnull, "--via", "entry", *options, "-f", "*", "--",
                     program("sees_inside"))
        ok(answer.returncode == 2 and words in text(answer.stderr) and len(text(answer.stderr).splitlines()) == 1,
           f"{' '.join(options)}: refused in a sentence")
    answer = run(DWELL, "list", "--functions", "--exports", program("sees_inside"))
    ok(answer.returncode == 2 and "not both" in text(answer.stderr), "list --functions --exports: refused in a sentence")


if "entry" not in VIAS:
    skip("--via entry", "functions of this CPU cannot be patched")
elif not is_built("sees_inside"):
    skip("--via entry", "sees_inside was not built: there is no C++ compiler")
else:
    inside()
    stripped()
    packed()
    without_auditor()
    sampled()
    lists()
    far_apart()
    share()
    summary()
    refusals()
done()
