#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""diff.py DWELL PROGRAMS - `dwell diff`: a function that takes 50 % more time is found, in another build of the
program too; runs that are the same are reported as such; numbers of calls are exact.

The program goes by the CPU's clock, so that its times are exactly those on its command line. The rest is the noise
of sampling, which the verdicts are about: 5 in 100 comparisons in which nothing has changed have a mark by design,
and none of those below misses a change of 9 standard deviations. So points that rest on verdicts are tried up to
three times.
"""
import csv
import io
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, near, one_sentence, program, run, status_of, text  # noqa: E402
from tap import done, note, ok, ok_in_three  # noqa: E402

STEADY_S, CHANGED_S = 0.2, 0.2
HZ = 4000
FOLDER = tempfile.mkdtemp()
USED = set()  # names of recordings that were looked at twice


def record(name, changed=CHANGED_S, calls=0, options=(), binary="diff_load", steady=STEADY_S):
    """Makes a recording, and returns its path."""
    data = os.path.join(FOLDER, name)
    command = (program(binary), f"{steady:g}", f"{changed:g}", calls)
    answer = run(DWELL, "record", "-q", "-F", HZ, "-o", data, *options, "--", *command)
    if status_of(answer):
        note(text(answer.stderr))
    return data


def once_more(name, changed=CHANGED_S):
    """Returns the path of a recording that was made before. The next time that it is asked for, it is made anew, so that a
    point that is tried again gets another one."""
    data = os.path.join(FOLDER, name)
    if name in USED:
        return record(name, changed)
    USED.add(name)
    return data


def count(name, calls, *options):
    data = os.path.join(FOLDER, name)
    run(DWELL, "calls", "-q", "-f", "libc.so*:random", "-o", data, *options, "--", program("diff_load"), 0, 0, calls)
    return data


def diff(*arguments):
    return run(DWELL, "diff", *arguments)


def table(*arguments, name="samples"):
    answer = diff("--format", "json", *arguments)
    if answer.returncode == 2:
        note(text(answer.stderr))
        return {}
    return {row["name"]: row for row in json.loads(answer.stdout)[name]}


def shown(answer):
    note(f"status {answer.returncode}\n{text(answer.stdout)}{text(answer.stderr)}")
    return answer


# ---- verdicts ----

def same_is_same():
    old, new = record("same_old"), record("same_new")
    rows, answer = table(old, new), diff("--fail-single", "--fail-above", "10", old, new)
    marked = [row["name"] for row in rows.values() if row["self_significant"]]
    note(f"marked: {marked}")
    return not marked and shown(answer).returncode == 0 and not answer.stderr


def slower_is_found(old, new):
    """Checks a change by 50 %. With 800 and 1200 samples, the ratio has a standard deviation of 4.6 % at most; 10 %
    are allowed for."""
    rows, answer = table(old, new), shown(diff("--fail-single", "--fail-above", "20", old, new))
    row = rows.get("changed_work", {})
    marked = [row["name"] for row in rows.values() if row["self_significant"]]
    note(row)
    return (marked == ["changed_work"] and near(row["self_ratio"], 1.5, 0.1) and near(row["self_change_ns"], 0.1e9, 0.2)
            and answer.returncode == 1 and "changed_work got slower" in text(answer.stderr)
            and "the whole run got slower" in text(answer.stderr))


def verdicts():
    ok_in_three(same_is_same, "two runs of the same: no function is marked, and --fail-above 10 does not fail")
    ok_in_three(lambda: slower_is_found(record("old"), record("slower", 1.5 * CHANGED_S)),
                "half as much again in one function: found and reported, exit status 1")
    ok_in_three(lambda: slower_is_found(once_more("old"), record("new", 1.5 * CHANGED_S, binary="diff_other")),
                "the same in another build, with another name and other addresses")
    old, new = (os.path.join(FOLDER, name) for name in ("old", "new"))
    ok(status_of(diff("--fail-single", "--fail-above", "80", old, new)) == 0, "--fail-above 80: no failure")
    ok(status_of(diff("--fail-single", "--fail-above", "20", "--min", "50", old, new)) == 1
       and "changed_work" not in text(diff("--fail-single", "--fail-above", "20", "--min", "50", old, new).stderr),
       "--min 50: growth by less than half of all is none, but the run's is reported")
    ok(status_of(diff("--fail-single", "--fail-above", "10", new, old)) == 0, "a faster run is not a failure")
    answer = diff("--fail-above", "20", old, new)
    ok(status_of(answer) == 0 and "changed_work got slower" in text(answer.stderr) and "5 of each" in text(answer.stderr),
       "one recording a side does not fail by itself, and how many there have to be is said")
    ok(table(new, old)["changed_work"]["self_change_ns"] == -table(old, new)["changed_work"]["self_change_ns"],
       "the other way round, it is as much less")
    shares = table("--normalize", old, new)["changed_work"]
    note(shares)
    ok(near(shares["self_ratio"], 0.6 / 0.5, 0.1), "--normalize: of 1/2 to 3/5, within 10 %")


def several(old, new):
    """Checks that several runs are reported as one on average. These differ only by the noise of sampling."""
    answer = diff("--format", "json", "--fail-above", "20", *old, "--", *new)
    meta, rows = json.loads(answer.stdout)["meta"], json.loads(answer.stdout)["samples"]
    row = {row["name"]: row for row in rows}["changed_work"]
    note(f"{meta}\n{row}\n{text(answer.stderr)}")
    return (meta["old_runs"] == meta["new_runs"] == 3 and near(meta["old_ns"], 0.4e9, 0.05)
            and near(row["self_ratio"], 1.5, 0.1) and row["self_significant"]
            and answer.returncode == 1 and "changed_work" in text(answer.stderr))


def repeated():
    ok_in_three(lambda: several([once_more(name) for name in ("old", "same_old", "same_new")],
                                [once_more("slower", 1.5 * CHANGED_S)] +
                                [record(f"new{i}", 1.5 * CHANGED_S) for i in range(2)]),
                "three runs of each: means of a run, and a change that stands out")


# ---- calls ----

def calls():
    old, same, new = count("calls_old", 1000), count("calls_same", 1000), count("calls_new", 1500)
    row = table(old, new, name="calls")["random"]
    note(row)
    ok((row["old_calls"], row["new_calls"], row["calls_change"]) == (1000, 1500, 500), "numbers of calls are exact")
    ok(row["old_total_ns"] > 0 and row["new_mean_ns"] > 0, "with times")
    ok(status_of(diff("--fail-calls-above", "0", old, same)) == 0, "--fail-calls-above 0: as many are no failure")
    answer = shown(diff("--fail-calls-above", "49.9", old, new))
    ok(answer.returncode == 1 and "random is called more often, 1500 times instead of 1000" in text(answer.stderr),
       "--fail-calls-above 49.9: half as many again are")
    ok(status_of(diff("--fail-calls-above", "50%", old, new)) == 0, "--fail-calls-above 50%: just so many are not")
    ok(status_of(diff("--fail-above", "49.9", old, new)) == 1, "--fail-above is of calls as well")
    ok(status_of(diff("--fail-calls-above", "0", new, old)) == 0, "fewer are no failure")
    answer = diff(count("count_old", 10, "--count"), count("count_new", 0, "--count"))
    ok("gone" in text(answer.stdout) and "total" not in text(answer.stdout), "--count: one that is gone, without times")


def both(old, new):
    answer = json.loads(diff("--format", "json", old, new).stdout)
    ok(any(row["name"] == "changed_work" for row in answer["samples"])
       and [(row["name"], row["old_calls"], row["new_calls"]) for row in answer["calls"]] == [("random", 7, 9)],
       "a recording with samples and calls: both")
    lines = text(shown(diff(old, new)).stdout)
    ok(lines.startswith("old: ") and "\nnew: " in lines and "changed_work" in lines and "random" in lines,
       "in text as well")


# ---- forms ----

def forms(old, new):
    for by in ("function", "stack", "object"):
        rows = json.loads(diff("--by", by, "--format", "json", old, new).stdout)["samples"]
        first = text(diff("--by", by, "--format", "csv", old, new).stdout).split("\n\n")[0]
        lines = list(csv.DictReader(io.StringIO(first)))
        plain = [{key: "" if value is None else str(value).lower() if isinstance(value, bool) else value
                  for key, value in row.items()} for row in rows]
        ok(len(lines) == len(plain) > 0 and all(line["name"] == row["name"] and line["self_significant"] ==
                                                row["self_significant"] for line, row in zip(lines, plain)),
           f"--by {by}: CSV and JSON have the same rows")
        report = json.loads(run(DWELL, "report", "--format", "json", new).stdout)["meta"]["samples_ns"]
        ok(abs(sum(row["new_self_ns"] for row in rows) - report) <= len(rows), f"--by {by}: they add up to all")
    stacks = [row["stack"] for row in json.loads(diff("--by", "stack", "--format", "json", old, new).stdout)["samples"]]
    ok(any(stack.endswith("main;changed_work") for stack in stacks), "stacks are from the outermost function on")
    ok(set(table("--focus", "changed_work", "--hide", "main", old, new)) >= {"changed_work"}
       and "steady_work" not in table("--focus", "changed_work", old, new), "filters are of both sides")
    ok(list(table("--sort", "name", old, new)) == sorted(table(old, new)), "--sort name")
    ok(len(table("--limit", "1", old, new)) == 1, "--limit 1")


def refusals(old, calls_only):
    wall = record("wall", 0.1, options=["--clock", "wall"], steady=0.1)
    ok(one_sentence(diff(old), "OLD and NEW"), "one recording: one sentence")
    ok(one_sentence(diff(old, old, old), "--"), "three without a --: one sentence")
    ok(one_sentence(diff(old, "/nowhere"), "/nowhere"), "one that is not there")
    ok(one_sentence(diff(old, calls_only), "cannot compare '"), "samples and calls")
    ok(one_sentence(diff(old, wall), "wall"), "CPU time and wall time")
    ok(one_sentence(diff("--fail-above", "much", old, old), "'much'"), "no percentage")
    ok(one_sentence(diff("--by", "line", old, old), "'line'"), "no such rows")
    ok(one_sentence(diff("--sort", "size", old, old), "'size'"), "no such column")
    ok(status_of(diff("--", old, old)) == 0, "a -- before both is allowed")
    ok(status_of(diff("--help")) == 0, "--help")


def main():
    verdicts()
    repeated()
    calls()
    # Rows of these are looked at, not their times.
    old = record("both_old", 0.1, calls=7, options=["--calls", "libc.so*:random"], steady=0.1)
    new = record("both_new", 0.1, calls=9, options=["--calls", "libc.so*:random"], steady=0.1)
    both(old, new)
    forms(old, new)
    refusals(os.path.join(FOLDER, "old"), os.path.join(FOLDER, "calls_old"))
    done()


if __name__ == "__main__":
    try:
        main()
    finally:
        for name in os.listdir(FOLDER):
            os.unlink(os.path.join(FOLDER, name))
        os.rmdir(FOLDER)
