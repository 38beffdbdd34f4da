#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_regions.py DWELL PROGRAMS - regions that a program names by dwell.h: the CPU time of each agrees with what the program
measured itself. The tolerance is two ticks of the slowest clock, and 1 % of all: a tick counts whole for the region in which
it ends, and the dynamic linker is in none."""
import collections
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import EMULATED  # noqa: E402
from sampled import CLOCKS, DWELL, PROGRAMS, program, run, text  # noqa: E402
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

PIECE_MS = 60
TICK_US = 4000  # of a kernel of 250 Hz, whose timers do not expire more often
PLUGIN = program("librecord_regions_plugin.so")
NONE = "[no region]"


def truth_of(output):
    """Returns the time that the program spent in each region, by its own clock, in microseconds."""
    spent = collections.Counter()
    for line in text(output).splitlines():
        name, us = line.rsplit(" ", 1)
        spent[name] += int(us)
    return spent


def rows(data, *options):
    answer = run(DWELL, "report", "--format", "json", "--limit", "0", *options, data)
    return json.loads(answer.stdout)["samples"] if answer.returncode == 0 else []


def agrees(program_name, arguments, options, folder):
    """Records, and compares self times of all regions."""
    data = f"{folder}/data"
    answer = run(DWELL, "record", *options, "-o", data, program(program_name), PIECE_MS, *arguments)
    if answer.returncode:
        note(text(answer.stderr))
        return False
    truth = truth_of(answer.stdout)
    found = {row["name"]: row["self_ns"] / 1000 for row in rows(data, "--by", "region")}
    allowed = 2 * TICK_US + 0.01 * sum(truth.values())
    note(f"{' '.join(map(str, arguments))}: {dict(truth)} of the program, {found} of dwell")
    if EMULATED:
        del truth[NONE]  # it has the start of the program as well, which takes long in an emulator
    return all(abs(found.get(name, 0) - us) <= allowed for name, us in truth.items())


def agree_everywhere(folder):
    for clock in (*CLOCKS, "itimer"):
        ok_in_three(lambda: agrees("record_regions", [], ["--clock", clock], folder),
                    f"clock {clock}: regions, nested and with names on the stack, have the time that the program measured")
    for how, what in (("threads", "regions of each thread"), ("children", "a child is in the regions of its parent"),
                      ("badly", "jumps, ends without a beginning, and too many names"),
                      (f"plugin {PLUGIN}", "a library that is opened later")):
        ok_in_three(lambda: agrees("record_regions", how.split(), [], folder), f"{what}: the time agrees")
    ok_in_three(lambda: agrees("record_regions_fixed", [], [], folder), "a program at fixed addresses: the time agrees")
    ok_in_three(lambda: agrees("record_regions", [], ["--no-stacks"], folder), "without stacks: the time agrees")


def filters(folder):
    data = f"{folder}/data"
    run(DWELL, "record", "-o", data, program("record_regions"), PIECE_MS)
    by_region = {row["name"]: row for row in rows(data, "--by", "region")}
    parse, query = by_region["parse"], by_region["db:query"]
    ok(parse["total_ns"] == parse["self_ns"] + query["total_ns"], "a region contains the regions in it")
    ok(sum(row["self_ns"] for row in by_region.values()) == sum(row["self_ns"] for row in rows(data)),
       "regions add up to all samples")
    for option, wanted in (("parse", parse["total_ns"]), ("db:query", query["total_ns"]), ("db*,none", query["total_ns"]),
                           (NONE, by_region[NONE]["total_ns"])):
        ok(sum(row["self_ns"] for row in rows(data, "--region", option)) == wanted, f"--region {option} selects its samples")
    ok(not any("region" in row["name"] or row["name"] == "parse" for row in rows(data)), "regions are no functions")
    answer = run(DWELL, "report", "--region", "nothing", data)
    ok(answer.returncode == 1 and "matches --region nothing" in text(answer.stderr), "an unknown region is an error")
    answer = run(DWELL, "report", "--region", "parse,nothing", data)
    ok(answer.returncode == 0 and "--region 'nothing' matched no region" in text(answer.stderr), "one of two is a note")


def exports(folder):
    data = f"{folder}/data"
    folded = text(run(DWELL, "export", "-f", "folded", "--region", "db:query", "-o", "-", data).stdout)
    ok(folded and "main" in folded, "exports take --region")
    pprof_labels(data, f"{folder}/regions.pb.gz")
    run(DWELL, "archive", "-o", f"{folder}/archive", data)
    run(DWELL, "record", "-o", f"{folder}/other", program("record_regions"), PIECE_MS)
    run(DWELL, "merge", "-o", f"{folder}/merged", data, f"{folder}/other")
    for name, parts in (("archive", [data]), ("merged", [data, f"{folder}/other"])):
        whole = collections.Counter()
        for part in parts:
            whole.update({row["name"]: row["self_ns"] for row in rows(part, "--by", "region")})
        found = {row["name"]: row["self_ns"] for row in rows(f"{folder}/{name}", "--by", "region")}
        ok(found == dict(whole), f"{name}: the regions of its recordings")


def pprof_labels(data, path):
    """Compares the labels of an export with the report, by Go's own reader: a sample has one for each region that it is in."""
    what = "pprof: labels have the total time of each region"
    run(DWELL, "export", "-f", "pprof", "-o", path, data)
    if not shutil.which("go"):
        skip(what, "go is not installed: it is in golang-go")
        return
    tags = text(run("go", "tool", "pprof", "-tags", "-unit=ns", path).stdout)
    part = re.search(r"^ *region: Total.*\n((?: +[\d.]+ns .*\n?)+)", tags, re.M)
    found = {name: float(ns) for ns, name in re.findall(r"^ +([\d.]+)ns \( *[\d.]+%\): (.*)$", part[1] if part else "", re.M)}
    wanted = {row["name"]: row["total_ns"] for row in rows(data, "--by", "region") if row["name"] != NONE}
    note(f"{wanted}, {found} of go tool pprof")
    ok(found == wanted and found, what)
    answer = text(run("go", "tool", "pprof", "-top", "-unit=ns", "-tagfocus=region=db:query", path).stdout)
    shown = re.search(r"Showing nodes accounting for (\d+)ns", answer)
    ok(shown and int(shown[1]) == wanted["db:query"], "pprof: -tagfocus selects what --region does")


def losses(folder):
    data = f"{folder}/data"
    run(DWELL, "record", "-o", data, program("record_regions"), 10, "badly")
    meta = json.loads(run(DWELL, "report", "--format", "json", data).stdout)["meta"]
    # 24 levels too deep; 5,000 names less the room for them; one more name.
    ok(meta["lost_regions"] >= 24 + 5000 - 1023 + 1, "regions without room are counted")
    ok("LOST: regions" in text(run(DWELL, "report", data).stdout), "the report says so")


def unseen(folder):
    data = f"{folder}/data"
    for options in (["--engine", "outside"],):
        answer = run(DWELL, "record", *options, "-o", data, program("record_regions"), 10)
        if answer.returncode:
            skip("from outside, regions are not seen", text(answer.stderr).strip())
            continue
        said = text(run(DWELL, "report", "--by", "region", data).stdout)
        ok("has no regions" in said and "engine inside" in said, "from outside, regions are not seen, and the report says so")
        answer = run(DWELL, "report", "--region", "parse", data)
        ok(answer.returncode == 1 and "has no regions" in text(answer.stderr), "--region says so as well")
    plain = run(program("record_regions"), 1, "badly")
    ok(plain.returncode == 0, "without dwell, the program runs as it is")


def main():
    with tempfile.TemporaryDirectory() as folder:
        if not os.path.exists(PLUGIN):
            note(f"no {PLUGIN} in {PROGRAMS}")
        agree_everywhere(folder)
        filters(folder)
        exports(folder)
        losses(folder)
        unseen(folder)
    done()


main()
