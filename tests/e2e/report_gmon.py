#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report_gmon.py DWELL PROGRAMS - `dwell report` shows the gmon.out of a program that was built with -pg as gprof
does, and reports damaged ones in one sentence."""
import json
import os
import re
import shutil
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, environment, one_sentence, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

PROGRAM = program("gmon_load")
FLAT = re.compile(r"^\s*([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(?:(\d+)\s+[\d.]+\s+[\d.]+\s+)?(\S+)\s*$", re.M)


def report(path, *options, **settings):
    return run(DWELL, "report", *options, path, **settings)


def like_gprof(path):
    answer = report(path, "--exe", PROGRAM, "--format", "json")
    note(text(answer.stderr))
    shown = json.loads(answer.stdout)
    rows = {row["name"]: row for row in shown["samples"]}
    ok(shown["meta"]["rate"] == 100 and sum(row["self"] for row in rows.values()) == shown["meta"]["samples"] > 0,
       "the rate of glibc, and the sum of all rows")
    ok(rows["worker_12"]["calls"] == 30 and rows["large_ones"]["calls"] == 30 and rows["worker_12"]["object"] == "gmon_load",
       "exact numbers of calls")
    arcs = {(arc["caller"], arc["callee"]): arc["calls"] for arc in shown["arcs"]}
    ok(arcs["large_ones", "worker_07"] == 30 and arcs["pong", "ping"] == 60 and arcs["ping", "ping"] == 60,
       "callers, callees and counts of calls")
    if not shutil.which("gprof"):
        skip("the same figures as gprof", "gprof is not installed")
        return
    said = text(run("gprof", "-b", "-p", PROGRAM, path).stdout)
    # gprof prints hundredths of seconds, which is the weight of a sample of glibc.
    due = {name: round(float(seconds) * 100) for _, _, seconds, _, name in FLAT.findall(said)}
    wrong = [name for name in rows if rows[name]["self"] != due.get(name, 0)]
    note(f"{wrong}\n{said}" if wrong else "")
    ok(due and not wrong and set(due) <= set(rows), "each function has the samples that gprof says")
    # gprof shows recursive calls separately, and not in this column.
    calls = {name: int(count) for _, _, _, count, name in FLAT.findall(said) if count and name != "ping"}
    wrong = [name for name in calls if rows[name]["calls"] != calls[name]]
    note(f"{wrong}\n{said}" if wrong else "")
    ok(calls.get("worker_12") == 30 and not wrong, "and its calls")


def shapes(path, folder):
    lines = text(report(path, "--exe", PROGRAM).stdout).splitlines()
    ok(lines[0].split() == ["self", "share", "calls", "function"] and "samples" in lines[-1], "as text")
    lines = text(report(path, "--exe", PROGRAM, "--limit", "2", "--sort", "calls").stdout).splitlines()
    ok(lines[1].endswith("ping") and "more rows" in lines[3], "--sort and --limit")
    shown = json.loads(report(path, "--exe", PROGRAM, "--format", "json", "--sort", "name").stdout)
    names = [row["name"] for row in shown["samples"]]
    ok(len(names) > 2 and names == sorted(names), f"--sort name: {names[:4]}")
    lines = text(report(path, "--exe", PROGRAM, "--format", "csv").stdout).split("\n\n")
    ok(lines[0].startswith("name,symbol,object,self,self_ns,calls\n") and lines[1].startswith("caller,callee,calls\n"),
       "as CSV")
    shutil.copy(PROGRAM, f"{folder}/a.out")
    ok(report(path, cwd=folder).stdout.count(b"worker_") == 12, "a.out is the program by default")
    os.remove(f"{folder}/a.out")


def as_bsd(path, to, address):
    """Writes the same file as a BSD would have written it."""
    with open(path, "rb") as file:
        data = file.read()
    low, high, bins, rate = struct.unpack_from("<QQII", data, 21)
    counters = data[61:61 + 2 * bins]
    arcs = [struct.unpack_from("<QQI", data, at + 1) for at in range(61 + 2 * bins, len(data), 21)]
    with open(to, "wb") as file:
        file.write(struct.pack(f"<{address}{address}IIIIII", low, high, struct.calcsize(f"<{address}{address}6I") + 2 * bins,
                               0x51879, rate, 0, 0, 0))
        file.write(counters)
        for arc in arcs:
            file.write(struct.pack(f"<{address}{address}{address}", *arc))


def rows_of(*paths, exe=PROGRAM):
    answer = run(DWELL, "report", "--exe", exe, "--format", "json", *paths)
    note(text(answer.stderr))
    return json.loads(answer.stdout) if answer.returncode == 0 else {}


def other_kinds(path, folder):
    plain = rows_of(path)
    for address, bits in (("Q", 64), ("I", 32)):
        as_bsd(path, f"{folder}/bsd", address)
        ok(rows_of(f"{folder}/bsd") == plain, f"a file as the BSDs write it says the same, with addresses of {bits} bits")
    once = {row["name"]: row for row in plain["samples"]}
    twice = {row["name"]: row for row in rows_of(path, f"{folder}/bsd")["samples"]}
    ok(twice.keys() == once.keys() and all(abs(twice[name]["self_ns"] - 2 * once[name]["self_ns"]) <= 1 and
                                           (twice[name]["calls"] or 0) == 2 * (once[name]["calls"] or 0) for name in once),
       "two files are added up")
    if shutil.which("gprof"):
        run("gprof", "-s", PROGRAM, path, path, cwd=folder)
        summed = {row["name"]: row for row in rows_of(f"{folder}/gmon.sum")["samples"]}
        ok(all((summed[name]["self_ns"], summed[name]["calls"]) == (twice[name]["self_ns"], twice[name]["calls"])
               for name in twice), "as gprof -s does it")
    else:
        skip("as gprof -s does it", "gprof is not installed")
    ok(one_sentence(run(DWELL, "report", path, PROGRAM), "only one DATA file is allowed, unless all are gmon.out files"), "a file that is not a gmon.out is not added")


def ld_profile(folder):
    library = program("libgmon_profiled.so")
    answer = run(program("gmon_profiled"), env=environment(LD_PROFILE="libgmon_profiled.so", LD_PROFILE_OUTPUT=folder))
    path = f"{folder}/libgmon_profiled.so.profile"
    if not os.path.exists(path):
        note(text(answer.stderr))
        skip("a file of LD_PROFILE", "this libc leaves nothing")
        return
    calls = {row["name"]: row["calls"] for row in rows_of(path, exe=library)["samples"]}
    ok(calls.get("profiled_outer") == 1000 and calls.get("profiled_inner") == 3000, "the exact counts of LD_PROFILE")


def refusals(path, folder):
    ok(one_sentence(report(path, cwd=folder), "--exe FILE"), "without a program")
    ok(one_sentence(report(path, "--exe", "/nowhere"), "/nowhere"), "with one that is not there")
    ok(one_sentence(report(path, "--exe", path), "cannot read the symbols of"), "with one that is none")
    for options in (("--tree",), ("--by", "thread"), ("--focus", "main"), ("--pid", "1"), ("--time", "1-2")):
        ok(one_sentence(report(path, "--exe", PROGRAM, *options), "as a whole"), f"{options[0]}, which it has not")
    with open(path, "rb") as file:
        whole = file.read()
    wrong = 0
    cut = f"{folder}/cut"
    for size in [*range(5, 70), len(whole) // 2, len(whole) - 1]:
        with open(cut, "wb") as file:
            file.write(whole[:size])
        answer = report(cut, "--exe", PROGRAM)
        # The header alone is a profile of nothing.
        wrong += not (answer.returncode == 0 if size == 20 else one_sentence(answer, "damaged"))
    ok(wrong == 0, f"files that were cut: {wrong} were not refused in one sentence")
    with open(cut, "wb") as file:
        file.write(whole[:20] + b"\x09" + whole[21:])
    ok(one_sentence(report(cut, "--exe", PROGRAM), "unknown record"), "a record that there is not")


def main():
    with tempfile.TemporaryDirectory() as folder:
        answer = run(PROGRAM, "30", cwd=folder, env=environment())
        path = f"{folder}/gmon.out"
        note(text(answer.stderr))
        like_gprof(path)
        shapes(path, folder)
        other_kinds(path, folder)
        ld_profile(folder)
        refusals(path, folder)
    done()


if __name__ == "__main__":
    main()
