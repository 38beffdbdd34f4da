#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""merge.py DWELL PROGRAMS - one recording of many has the sum of them, whatever their clocks are, and every verb reads
it."""
import collections
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, environment, one_sentence, program, run, status_of, text  # noqa: E402
from tap import done, note, ok  # noqa: E402

PLUGINS = [program("librecord_plugin_left.so"), program("librecord_plugin_right.so")]
FORMATS = ("pprof", "folded", "speedscope", "callgrind", "gmon", "firefox", "perfetto", "perf-script", "json", "csv")
TEAMS = ("it's blue", "red\n=x")
SUMS = ("samples", "samples_ns", "cpu_ns", "system_ns", "unwatched_ns", "lost_samples", "calls", "processes", "threads",
        "sampled_processes", "sampled_threads", "samples_broken", "samples_stackless")


def record(data, *command, rank, clock="ticks", options=()):
    answer = run(DWELL, "record", "-q", "-o", data, "--label", f"rank={rank}", "--label", "text=it's \"x\"\n;", *options,
                 "--", *command, env=environment(DWELL_CLOCK=clock))
    if status_of(answer):
        note(text(answer.stderr))
    return data


def merge(output, *inputs, **options):
    return run(DWELL, "merge", "-o", output, *inputs, **options)


def report(data, *options):
    answer = run(DWELL, "report", "--format", "json", "--limit", "0", *options, data)
    return json.loads(answer.stdout) if answer.returncode == 0 else {"meta": {}, "samples": [], "calls": []}


def by_function(reports):
    """Returns {function: [samples, their time]} over all reports."""
    sums = collections.defaultdict(lambda: [0, 0])
    for one in reports:
        for row in one["samples"]:
            sums[row["name"]][0] += row["self"]
            sums[row["name"]][1] += row["self_ns"]
    return dict(sums)


def calls_of(reports):
    """Returns {function: [calls, returned, time]} over all reports."""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for one in reports:
        for row in one["calls"]:
            for place, column in enumerate(("calls", "returned", "total_ns")):
                sums[row["name"]][place] += row[column] or 0
    return dict(sums)


def has_sums(parts, whole, what):
    """The merged report has the sum of the others."""
    wrong = [(name, whole["meta"].get(name), [part["meta"].get(name) for part in parts]) for name in SUMS
             if whole["meta"].get(name) != sum(part["meta"].get(name) or 0 for part in parts)]
    for line in wrong:
        note(line)
    ok(not wrong, f"{what}: totals are sums, to the sample and the nanosecond")
    one, other = by_function(parts), by_function([whole])
    for name in one.keys() | other.keys():
        if one.get(name) != other.get(name):
            note(f"{name}: {one.get(name)} and {other.get(name)}")
    ok(one == other and one, f"{what}: so are the rows of functions")


def samples(folder):
    inputs = [record(f"{folder}/0.data", program("record_plugins"), "loop", *PLUGINS, rank=0),
              record(f"{folder}/1.data", program("record_plugins"), "fork", *PLUGINS, rank=1),
              record(f"{folder}/2.data", program("record_plugins"), "loop", *PLUGINS, rank=2, clock="ns")]
    parts = [report(data) for data in inputs]
    one = f"{folder}/one.data"
    ok(status_of(merge(one, *inputs[:2])) == 0, "recordings of one clock are merged")
    has_sums(parts[:2], report(one), "one clock")
    both = f"{folder}/both.data"
    answer = merge(both, *inputs)
    ok(status_of(answer) == 0 and "3 runs, aligned" in text(answer.stderr), f"and of two: {text(answer.stderr).strip()}")
    has_sums(parts, report(both), "two clocks")
    again = f"{folder}/again.data"
    ok(status_of(merge(again, one, inputs[2])) == 0, "a merged one is merged again")
    has_sums(parts, report(again), "merged again")
    ok(one_sentence(merge(f"{folder}/x", one, inputs[0]), "contain the same run"), "but not with a part of it")
    return inputs, both


def calls(folder):
    command = ("sort", DWELL)
    chosen = ("--calls", "libc.so*:str*", "--calls", "libc.so*:mem*", "--calls", "libc.so*:malloc")
    inputs = [record(f"{folder}/calls{rank}.data", *command, rank=rank, clock=clock, options=chosen)
              for rank, clock in enumerate(("ticks", "ns", "ticks"))]
    parts = [report(data) for data in inputs]
    for some in (inputs, inputs[::2]):
        whole = f"{folder}/calls{len(some)}.all"
        ok(status_of(merge(whole, *some)) == 0, f"{len(some)} recordings with calls are merged")
        one, other = calls_of(part for part, data in zip(parts, inputs) if data in some), calls_of([report(whole)])
        counts = {name: sums[:2] for name, sums in one.items()}
        ok(counts and counts == {name: sums[:2] for name, sums in other.items()}, "calls are summed exactly")
        far = [name for name in one if abs(one[name][2] - other[name][2]) > 10 + 1e-4 * one[name][2]]
        for name in far:
            note(f"{name}: {one[name]} and {other[name]}")
        ok(not far, "so are their times, but for the rate of the clock")
    counted = f"{folder}/counted.data"
    run(DWELL, "calls", "-q", "-o", counted, "-f", "libc.so*:str*", "--count", "--", *command)
    ok(one_sentence(merge(f"{folder}/x", inputs[0], counted), "in different ways"), "calls with times and without are not mixed")
    return whole


def verbs(folder, merged, inputs, merged_calls):
    asked = [("report",), ("report", "--tree"), ("report", "--callers"), ("report", "--by", "process"), ("info",),
             ("info", "--format", "json"), ("diff", inputs[0]), ("annotate", "plugin_work"),
             ("html", "-o", f"{folder}/page.html")]
    asked += [("export", "-o", f"{folder}/exported", "-f", name) for name in FORMATS]
    for verb in asked:
        answer = run(DWELL, *verb, merged)
        ok(status_of(answer) == 0, f"dwell {' '.join(verb)} reads it: {text(answer.stderr).strip()[:200]}")
    for verb in (("report",), ("report", "--by", "process"), ("info",), ("export", "-f", "callgrind", "--of", "calls")):
        answer = run(DWELL, *verb, merged_calls)
        ok(status_of(answer) == 0 and answer.stdout, f"dwell {' '.join(verb)} reads calls: {text(answer.stderr).strip()}")


def archives(folder):
    """Archives of two machines: their files are gone."""
    place = f"{folder}/place"
    os.mkdir(place)
    command = [shutil.copy(path, place) for path in (program("record_plugins"), *PLUGINS)]
    inputs = [record(f"{folder}/a{rank}.data", command[0], how, *command[1:], rank=rank)
              for rank, how in enumerate(("loop", "jit", "jit"))]
    parts = [report(data) for data in inputs]
    merge(f"{folder}/jit.all", inputs[1], of_another_machine(inputs[1]))
    ok(by_function([report(f"{folder}/jit.all")])["jit_first"] == by_function(parts[1:2])["jit_first"],
       "a JIT's map is not that of a process with the same pid on another machine")
    merged, archived = f"{folder}/plain.all", f"{folder}/archived.all"
    merge(merged, *inputs)
    run(DWELL, "archive", "-q", "-o", archived, merged)
    made = []
    for data in inputs:
        made.append(f"{data}.archive")
        run(DWELL, "archive", "-q", data)
    ok(one_sentence(merge(f"{folder}/x", made[0], inputs[1]), "archive"), "archives and others are not mixed")
    shutil.rmtree(place)
    for data in inputs[1:]:
        for process in json.loads(run(DWELL, "info", "--format", "json", data).stdout)["processes"]:
            os.unlink(f"/tmp/perf-{process['pid']}.map")
    both = f"{folder}/archives.all"
    ok(status_of(merge(both, *made)) == 0, "archives are merged")
    has_sums(parts, report(both), "archives")
    names = by_function([report(both)])
    ok("left_work" in " ".join(names) and "jit_first" in names, "they have all names")
    ok(by_function([report(archived)]) == names, "an archive of merged ones has the same")
    ok(os.stat(both).st_size < sum(os.stat(data).st_size for data in made), "and what they share once")


def of_another_machine(data):
    """Makes a recording with the same pids: a copy with another boot_id (see src/recording/format.h)."""
    other = f"{data}.other"
    shutil.copy(data, other)
    with open(other, "r+b") as file:
        file.seek(72)
        file.write(b"another machine!")
    return other


def same_pids(folder, data):
    other = of_another_machine(data)
    both = f"{folder}/machines.data"
    merge(both, data, other)
    parts, whole = [report(one) for one in (data, other)], report(both)
    has_sums(parts, whole, "the same pids on two machines")
    run(DWELL, "export", "-f", "perfetto", "-o", f"{folder}/trace", both)
    with open(f"{folder}/trace", encoding="utf-8") as file:
        pids = {event["pid"] for event in json.load(file)["traceEvents"]}
    ok(len(pids) == whole["meta"]["sampled_processes"], "each process has its track in a trace")
    lines = text(run(DWELL, "export", "-f", "perf-script", "-o", "-", both).stdout).splitlines()
    heads = {part for line in lines if "-clock:" in line for part in line.split() if "/" in part}
    ok(len(heads) == whole["meta"]["sampled_threads"], "and each thread its number in perf's text")


def by_label(both, inputs):
    rows = json.loads(run(DWELL, "report", "--by", "label:team", "--format", "json", both).stdout)["samples"]
    ok({row["team"]: row["self"] for row in rows} == {team: report(data)["meta"]["samples"] for team, data in zip(TEAMS, inputs)},
       "--by label:team has the samples of each team")
    uneven = json.loads(run(DWELL, "report", "--imbalance", "--by", "label:team", "--format", "json", both).stdout)
    ok(uneven["meta"]["groups"] == 2 and uneven["imbalance"], "--imbalance --by label:team compares them")
    nothing = run(DWELL, "report", "--by", "label:crew", both)
    ok(nothing.returncode == 1 and not nothing.stdout and "no label 'crew'" in text(nothing.stderr), "a label that none has: status 1")


def stacks_of(data):
    """{stack: samples} by perf's text, with addresses."""
    blocks = text(run(DWELL, "export", "-f", "perf-script", "-o", "-", data).stdout).split("\n\n")[:-1]
    return collections.Counter(tuple(block.splitlines()[1:]) for block in blocks)


def addresses(folder):
    """Each process has its libraries elsewhere: perf's text of all has the addresses of each."""
    inputs = [record(f"{folder}/place{rank}.data", program("diff_load"), 0.05, 0.05, 0, rank=rank,
                     options=("--label", f"team={TEAMS[rank]}")) for rank in range(2)]
    merge(f"{folder}/places", *inputs)
    by_label(f"{folder}/places", inputs)
    one, other = (stacks_of(data) for data in inputs)
    common = set(one) & set(other)
    ok(one and other and len(common) < min(len(one), len(other)) and stacks_of(f"{folder}/places") == one + other,
       f"perf's text has the addresses of each process: {len(one)} and {len(other)} stacks, {len(common)} of them equal")


def pieces(folder):
    """Pieces of one run: the same processes are in all of them."""
    place = f"{folder}/pieces"
    os.mkdir(place)
    run(DWELL, "record", "-q", "--every", "1s", "-o", f"{place}/", "--", program("record_plugins"), "loop", *PLUGINS)
    inputs = sorted(os.path.join(place, name) for name in os.listdir(place))
    answer = merge(f"{folder}/pieces.all", *inputs)
    whole, parts = report(f"{folder}/pieces.all"), [report(data) for data in inputs]
    ok(status_of(answer) == 0 and whole["meta"]["samples"] == sum(part["meta"]["samples"] for part in parts)
       and whole["meta"]["sampled_processes"] == 1, f"{len(inputs)} pieces of a process are one process again")


def limits():
    resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))


def many(folder):
    inputs = [record(f"{folder}/m{rank}.data", "true", rank=rank) for rank in range(12)]
    answer = merge(f"{folder}/many", *inputs, preexec_fn=limits)
    ok(status_of(answer) == 0 and "12 runs" in text(answer.stderr), f"more inputs than descriptors: {text(answer.stderr).strip()}")
    info = run(DWELL, "info", f"{folder}/many")
    ok(status_of(info) == 0, "labels of all are there")
    return inputs


def incomplete(folder, inputs):
    cut = f"{folder}/cut.data"
    shutil.copy(inputs[0], cut)
    os.truncate(cut, os.stat(cut).st_size - 100)
    answer = merge(f"{folder}/cut.all", cut, inputs[1])
    ok(status_of(answer) == 0 and "cut.data' is damaged or cut short" in text(answer.stderr), "one that was cut is named")
    ok(report(f"{folder}/cut.all")["meta"].get("missing", 0) > 0, "and the result says what is missing")
    with subprocess.Popen([DWELL, "record", "-q", "-o", f"{folder}/running", "sh", "-c", "echo; read x"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, env=environment()) as running:
        running.stdout.readline()
        answer = merge(f"{folder}/running.all", f"{folder}/running", inputs[1])
        running.stdin.close()
    ok(status_of(answer) == 0 and "is still being written" in text(answer.stderr), "one that is still written is named")


def usage(folder, inputs):
    there = f"{folder}/m0.data"
    before = sorted(os.listdir(folder))
    ok(one_sentence(run(DWELL, "merge", *inputs), "-o FILE"), "it needs a name")
    ok(one_sentence(merge(f"{folder}/x"), "DATA"), "and recordings")
    ok(one_sentence(merge(f"{folder}/x", inputs[0], inputs[0]), "the same file"), "each once")
    ok(one_sentence(merge(there, inputs[1]), "--force"), "an existing file is not replaced")
    ok(one_sentence(run(DWELL, "merge", "-f", "-o", there, *inputs), "both an input and the output"), "nor is an input")
    ok(one_sentence(run(DWELL, "merge", "-f", "-o", DWELL, *inputs), "not a dwell recording"), "nor another file")
    ok(one_sentence(merge(f"{folder}/x", inputs[0], DWELL), "is not a dwell recording"), "other files are refused")
    ok(one_sentence(merge(f"{folder}/x", f"{folder}/nothing"), "nothing"), "and files that are not there")
    ok(sorted(os.listdir(folder)) == before, "nothing is left behind")


with tempfile.TemporaryDirectory(prefix="dwell-merge.") as scratch:
    ALL, MERGED = samples(scratch)
    verbs(scratch, MERGED, ALL, calls(scratch))
    same_pids(scratch, ALL[1])
    addresses(scratch)
    pieces(scratch)
    archives(scratch)
    MANY = many(scratch)
    incomplete(scratch, MANY)
    usage(scratch, MANY)
sys.exit(done())
