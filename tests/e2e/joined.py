#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""joined.py DWELL PROGRAMS - calls and samples of one run side by side: a function that has both shows in one row how
often it was called, how long that took, and how much of the CPU time samples found in it."""
import collections
import csv
import io
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, near, program, run, text  # noqa: E402
from tap import done, note, ok, ok_in_three  # noqa: E402

SPEC = "libjoined*:joined_hot,libjoined*:joined_other,libjoined*:joined_cool,libjoined*:joined_idle"
HOT = ("joined_hot", "joined_other")  # the same code

# The fastest function takes some 100 ms, as the program prints. At its start and its end, a sample may stand for time
# that was spent beside it: on the timer clock, whose samples are 4 ms apart, that is up to 8 %.
TOLERANCE = 0.1


class Run:
    def __init__(self, folder):
        self.data = f"{folder}/data"
        answer = run(DWELL, "record", "-q", "-F", "5000", "--calls", SPEC, "-o", self.data, program("joined"))
        self.called, self.cpu_ns = collections.Counter(), collections.Counter()
        for name, count, ns in re.findall(r"^called (\w+) (\d+) (\d+)$", text(answer.stdout), re.M):
            self.called[name] += int(count)
            self.cpu_ns[name] += int(ns)
        self.report = json.loads(self.show("--format", "json"))
        self.samples = {row["symbol"]: row for row in self.report["samples"]
                        if row["object"].startswith("libjoined")}
        self.calls = {row["symbol"]: row for row in self.report["calls"]}

    def show(self, *options):
        """Reports by symbols: inlined functions have no rows of their own, so that those of functions have all
        their time."""
        return text(run(DWELL, "report", "--no-inline", self.data, *options).stdout)

    def both(self, *names):
        """Returns the rows of a function in samples and calls, each by whichever of its names is in use there."""
        return tuple(next((rows[name] for name in names if name in rows), {}) for rows in (self.samples, self.calls))


def counts(one):
    note({name: (row["calls"], row["mean_ns"], row["self_ns"]) for name, row in one.samples.items()})
    for names in (HOT, ("joined_cool",)):
        sampled, counted = one.both(*names)
        what = " or ".join(names)
        ok(sampled.get("calls") == counted.get("calls") == sum(one.called[name] for name in names),
           f"{what}: a row of samples has the calls that the program says, in all processes")
        ok(sampled.get("mean_ns") and sampled["mean_ns"] == counted["mean_ns"],
           f"{what}: and the mean that the table of calls has")
        ok(sampled.get("self_ns") and sampled["self_ns"] == counted["sampled_self_ns"],
           f"{what}: and there is the self time that samples found")
    inlined = json.loads(text(run(DWELL, "report", "--format", "json", one.data).stdout))
    ok({row["symbol"]: row["sampled_self_ns"] for row in inlined["calls"]}
       == {name: row["sampled_self_ns"] for name, row in one.calls.items()},
       "calls have the same where inlined functions have rows of their own")
    ok(one.calls["joined_idle"]["calls"] == one.called["joined_idle"]
       and one.calls["joined_idle"]["sampled_self_ns"] is None, "a function without samples has no such time")
    meta = one.report["meta"]
    ok(meta["threads"] == meta["sampled_threads"] == meta["processes"] == 2,
       "a thread that was sampled and has made calls is one thread")
    others = [row for row in one.report["samples"] if row["symbol"] not in (*HOT, "joined_cool", "joined_idle")]
    ok(others and all(row["calls"] is None and row["mean_ns"] is None for row in others), "others have none")


def accuracy(folder):
    def measure():
        one = Run(folder)
        pairs = {names[0]: (one.both(*names)[0].get("self_ns", 0), sum(one.cpu_ns[name] for name in names))
                 for names in (HOT, ("joined_cool",))}
        note({name: f"{got / 1e6:.1f} of {due / 1e6:.1f} ms" for name, (got, due) in pairs.items()})
        return all(near(got, due, TOLERANCE) for got, due in pairs.values())

    ok_in_three(measure, f"sampled time is the CPU time that the program says, to {TOLERANCE:.0%}")


def tables(one):
    lines = one.show().splitlines()
    note("\n".join(lines))
    # On a busy machine a call may be long, and there is a column for that.
    heads = [[word for word in line.split() if word != "waiting"]
             for line in lines if "function" in line and "share" in line]
    ok(heads == ["self total samples share calls mean function object".split(),
                 "calls total self sampled mean p50 p99 max share function library".split()],
       "text: both tables have columns of the other")
    row = next((line for line in lines if re.search(r"joined_cool +libjoined\.so\.1\.", line)), "")
    ok(re.search(rf"% +{one.called['joined_cool']} +[\d.]+ [mu]s +joined_cool", row), "text: in one row")
    parts = [list(csv.DictReader(io.StringIO(part))) for part in one.show("--format", "csv").split("\n\n")]
    ok([row["calls"] for row in parts[0] if row["symbol"] == "joined_cool"] == [str(one.called["joined_cool"])]
       and [row["sampled_self_ns"] for row in parts[1] if row["symbol"] == "joined_cool"]
       == [str(one.calls["joined_cool"]["sampled_self_ns"])], "CSV says the same")


def others(one, folder):
    """Checks that the columns are missing if there is nothing to join."""
    tree = json.loads(one.show("--format", "json", "--tree"))
    ok({row["symbol"]: row["sampled_self_ns"] for row in tree["calls"]}
       == {name: row["sampled_self_ns"] for name, row in one.calls.items()}, "beside a tree, calls have it too")
    by_process = json.loads(one.show("--format", "json", "--by", "process"))
    ok(not any("sampled_self_ns" in row for row in by_process["calls"])
       and not any("calls" in row for row in by_process["samples"]), "rows by process are not joined")
    focused = json.loads(one.show("--format", "json", "--focus", "joined_uncounted"))
    ok(all(row["sampled_self_ns"] is None for row in focused["calls"]), "samples that are not shown do not count")
    run(DWELL, "record", "-q", "-o", f"{folder}/alone", program("joined"))
    alone = json.loads(text(run(DWELL, "report", "--format", "json", f"{folder}/alone").stdout))
    ok(alone["samples"] and not any("calls" in row for row in alone["samples"]), "samples alone have no calls")
    run(DWELL, "calls", "-q", "-f", SPEC, "-o", f"{folder}/alone", program("joined"))
    alone = json.loads(text(run(DWELL, "report", "--format", "json", f"{folder}/alone").stdout))
    ok(alone["calls"] and not any("sampled_self_ns" in row for row in alone["calls"]), "nor calls alone samples")


def unmatched(folder):
    answer = run(DWELL, "record", "-q", "--calls", "joined_never", "-o", f"{folder}/never", program("joined"))
    ok("dwell record: --calls 'joined_never' matched nothing" in text(answer.stderr),
       "a spec without a match is named with its option")
    note(text(answer.stderr))


def main():
    with tempfile.TemporaryDirectory() as folder:
        one = Run(folder)
        counts(one)
        tables(one)
        others(one, folder)
        unmatched(folder)
        accuracy(folder)
    done()


if __name__ == "__main__":
    main()
