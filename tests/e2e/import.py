#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""import.py DWELL PROGRAMS - profiles of other tools become recordings. An export that is imported has the contents of the
first recording; files of perf, Go and callgrind have the figures that these tools report themselves."""
import collections
import functools
import gzip
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, one_sentence, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

PLUGINS = [program("librecord_plugin_left.so"), program("librecord_plugin_right.so")]
GO_PROGRAM = """package main

import (
	"os"
	"runtime/pprof"
	"time"
)

var sink uint32

//go:noinline
func leaf(n uint32) uint32 {
	for i := uint32(0); i < n; i++ {
		sink = sink*1664525 + i
	}
	return sink
}

func work(until time.Time) {
	for time.Now().Before(until) {
		leaf(100000)
	}
}

func main() {
	file, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(file)
	work(time.Now().Add(400 * time.Millisecond))
	pprof.StopCPUProfile()
	file.Close()
}
"""


def import_file(path, *options):
    """Imports a file, and returns the path of the recording."""
    data = path + ".imported"
    answer = run(DWELL, "import", "-f", "-o", data, *options, path)
    if answer.returncode:
        note(text(answer.stderr))
    return data


def export(data, name, *options):
    """Exports a recording, and returns the path of the file."""
    path = f"{data}.{name}"
    answer = run(DWELL, "export", "-f", name, "-o", path, *options, data)
    if answer.returncode:
        note(text(answer.stderr))
    return path


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def report(data, *options):
    answer = run(DWELL, "report", "--format", "json", "--limit", "0", *options, data)
    return json.loads(answer.stdout) if answer.returncode == 0 else {"meta": {}, "samples": [], "calls": []}


def rows_of(data):
    """Returns {(function, object): [samples, self, total]}."""
    rows = collections.Counter()
    for row in report(data)["samples"]:
        for column in ("self", "self_ns", "total_ns"):
            rows[row["name"], row["object"], column] += row[column] or 0
    return rows


# ---- round trips ----

def is_same_message(data):
    path = export(data, "pprof")
    return gzip.decompress(contents(export(import_file(path), "pprof"))) == gzip.decompress(contents(path))


def above_libraries(folder):
    """A program above its libraries remains the first mapping."""
    unlimited = ["sh", "-c", 'ulimit -s unlimited && exec "$@"', "sh"]
    if run(*unlimited, "true").returncode:
        skip("a program above its libraries", "this user must not have an unlimited stack")
        return
    data = f"{folder}/above.data"
    run(*unlimited, DWELL, "record", "-q", "-o", data, program("record_load"), "four_threads", "0.1")
    # Samples of dwell's own code have several addresses and one name: the first import makes one row of them.
    ok(is_same_message(import_file(export(data, "pprof"))), "a program above its libraries: pprof: the message is the same")


def round_trips(data):
    again = import_file(export(data, "pprof"))
    ok(is_same_message(data), "pprof: the message is the same, byte for byte")
    ok(rows_of(again) == rows_of(data) and rows_of(data), "pprof: the report is the same")
    ok(contents(export(again, "folded")) == contents(export(data, "folded")), "pprof: stacks and their numbers are the same")
    for name, first, options in (("stacks", (), ()), ("processes", ("--first", "process"), ()),
                                 ("threads", ("--first", "thread"), ("--threads",)), ("times", ("--unit", "ns"), ("--unit", "ns"))):
        path = export(data, "folded", *options)
        again = import_file(path, *first)
        lines = contents(path).splitlines()
        ok(sorted(contents(export(again, "folded", *options)).splitlines()) == sorted(lines) and lines,
           f"folded, {name}: the lines are the same")
    path = export(data, "callgrind")
    costs = figures_of_callgrind(path)
    again = import_file(path)
    ok(costs == figures_of_callgrind(export(again, "callgrind")) and costs, "callgrind: the cost of each function is the same")
    wanted = {row["name"]: row["total_ns"] for row in report(data)["samples"]}
    found = {row["name"]: row["total_ns"] for row in report(again)["calls"] if row["name"] != "(root)"}
    names = collections.Counter(row["name"] for row in report(data)["samples"])
    wrong = [(name, found.get(name), ns) for name, ns in wanted.items() if names[name] == 1 and found.get(name) != ns]
    for line in wrong:
        note(line)
    ok(not wrong and found, "callgrind: calls have the total of each function, to the nanosecond")


def figures_of_callgrind(path):
    """Returns {function: self cost} as callgrind_annotate has it, or nothing without it."""
    if not shutil.which("callgrind_annotate"):
        return {"unknown": 0}
    lines = text(run("callgrind_annotate", "--threshold=100", path).stdout).splitlines()
    costs = collections.Counter()
    for line in lines:
        row = re.match(r"^ *([\d,]+) \([ \d.]+%\) .*?(?: [\d,]+ \([ \d.]+%\))? +\S*?:(.*?)(?: \[.*\])?$", line)
        if row and "=>" not in line:
            costs[row[2]] += int(row[1].replace(",", ""))
    return dict(costs)


def totals_of_callgrind(path):
    """Returns {function: inclusive cost} as callgrind_annotate has it. Rows without an object are of inlined files. One source
    in two objects is one row."""
    lines = text(run("callgrind_annotate", "--inclusive=yes", "--threshold=100", path).stdout).splitlines()
    costs = collections.Counter()
    for line in lines:
        row = re.match(r"^ *([\d,]+) \([ \d.]+%\) +[^:]*:(.*) \[.*\]$", line)
        if row:
            costs[row[2]] += int(row[1].replace(",", ""))
    return costs


# ---- files of other tools ----

# The forms of a perf.data: with frame pointers, packed, of a pipe, with copies of stacks.
PERF_FORMS = {"-g": ("-g",), "-z": ("-g", "-z"), "a pipe": ("-g",), "dwarf": ("--call-graph", "dwarf,16384")}


def record_by_perf(path, form):
    """Returns True if perf has recorded a program."""
    words = ("perf", "record", "-q", "-e", "cpu-clock", "-F", "999", *PERF_FORMS[form])
    done = run(*words, "-o", "-" if form == "a pipe" else path, program("record_plugins"), "loop", *PLUGINS)
    if form == "a pipe":
        with open(path, "wb") as file:
            file.write(done.stdout)
    return done.returncode == 0


@functools.lru_cache(maxsize=None)
def kernel_names():
    """Returns {name: the first name of its address} of the kernel's functions, such as memcpy for __pi_memcpy: perf shows another
    of them than dwell."""
    first, names = {}, {}
    with open("/proc/kallsyms", encoding="utf-8") as symbols:
        for line in symbols:
            address, _, name = line.split()[:3]
            if int(address, 16):  # hidden from other users
                names[name] = first.setdefault(address, name)
    return names


def functions_of_perf(path):
    """Returns {function: samples}, by perf report."""
    answer = run("perf", "report", "-i", path, "--stdio", "-n", "--no-children", "-g", "none")
    samples = collections.Counter()
    for line in text(answer.stdout).splitlines():
        row = re.match(r"^\s+[\d.]+%\s+(\d+)\s.*\[.\] (.*?)(?:@@?[A-Z].*)?\s*$", line)
        if row:
            samples[kernel_names().get(row[2], row[2])] += int(row[1])
    return samples


def totals_of_perf(path):
    """Returns {function: samples with it on their stack}, by perf script; and how many stacks end before the program's start."""
    totals, cut = collections.Counter(), 0
    for stack in text(run("perf", "script", "-i", path, "--no-inline", "-F", "ip,sym").stdout).split("\n\n"):
        names = [line.split(None, 1)[1].strip() for line in stack.splitlines() if len(line.split(None, 1)) > 1]
        totals.update(set(names))
        cut += names[-1:] != ["_start"]
    return totals, cut


def of_perf_form(path, form):
    what = f"perf.data, {form}: samples and functions are those of perf report"
    wanted = functions_of_perf(path) if record_by_perf(path, form) else None
    if not wanted:
        skip(what, f"perf cannot record here with {' '.join(PERF_FORMS[form])}")
        return None
    data = import_file(path)
    found, totals = collections.Counter(), collections.Counter()
    for row in report(data, "--no-inline")["samples"]:  # perf names the function that has a symbol
        found[kernel_names().get(row["name"], row["name"])] += row["self"]
        totals[row["name"]] += row["total"]
    most = [(name, count, found[name]) for name, count in wanted.most_common(3) if not name.startswith("0x")]
    note(most)
    ok(sum(found.values()) == sum(wanted.values()) and all(count == other for _, count, other in most), what)
    if form == "dwarf":
        wanted, cut = totals_of_perf(path)
        deep = [(name, count, totals[name]) for name, count in wanted.most_common(8) if name in totals]
        note(f"{deep}, {cut} are cut by perf")
        ok(len(deep) > 2 and all(count <= other <= count + cut for _, count, other in deep), "perf.data, dwarf: so are the callers")
    return data


def of_perf(folder):
    if not shutil.which("perf"):
        skip("perf.data", "perf is not installed: it is in linux-perf")
        return
    made = {form: of_perf_form(f"{folder}/perf.{number}", form) for number, form in enumerate(PERF_FORMS)}
    data = made["-g"]
    if not data:
        return
    answer = text(run("perf", "report", "-i", f"{folder}/perf.0", "--stdio", "-g", "none").stdout)
    events = re.search(r"Event count \(approx\.\): (\d+)", answer)
    ok(events and int(events[1]) == report(data)["meta"]["samples_ns"], "perf.data: so is the time, to the nanosecond")
    ok(len(report(data, "--by", "process")["samples"]) == 1, "perf.data: it has the process")


def of_go(folder):
    what = "pprof: the figures of a profile of Go are those of go tool pprof"
    if not shutil.which("go"):
        skip(what, "go is not installed: it is in golang-go")
        return
    with open(f"{folder}/main.go", "w", encoding="utf-8") as file:
        file.write(GO_PROGRAM)
    env = dict(os.environ, GOCACHE=f"{folder}/cache", GOFLAGS="-mod=mod", GO111MODULE="off", CGO_ENABLED="0")
    made = run("go", "run", f"{folder}/main.go", f"{folder}/go.pb.gz", env=env)
    if made.returncode:
        skip(what, "go cannot build here")
        return
    answer = text(run("go", "tool", "pprof", "-top", "-unit=ns", "-nodecount=1000", f"{folder}/go.pb.gz").stdout)
    wanted = {}
    for line in answer.splitlines():
        row = re.match(r"^ *(\d+)(?:ns)? +[\d.]+% +[\d.]+% +(\d+)(?:ns)? +[\d.]+%  (.*?)(?: \(inline\))?$", line)
        if row:
            wanted[row[3]] = (int(row[1]), int(row[2]))
    found = {row["name"]: (row["self_ns"], row["total_ns"]) for row in report(import_file(f"{folder}/go.pb.gz"))["samples"]}
    if wanted != found:
        note(wanted)
        note(found)
    ok(wanted and wanted == found, what)


def of_callgrind(folder):
    what = "callgrind: costs are those of callgrind_annotate"
    path = f"{folder}/callgrind.out"
    if not shutil.which("valgrind"):
        skip(what, "valgrind is not installed")
        return
    made = run("valgrind", "--tool=callgrind", f"--callgrind-out-file={path}", "/bin/true")
    if made.returncode or not os.path.exists(path):
        skip(what, "valgrind cannot run here")
        return
    data = import_file(path)
    wanted = figures_of_callgrind(path)
    found = collections.Counter()
    for row in report(data)["samples"]:
        found[row["name"]] += row["self_events"]
    top = sorted(wanted, key=wanted.get)[-5:]
    note([(name, wanted[name], found[name]) for name in top])
    summary = int(re.search(r"^(?:summary|totals): (\d+)", contents(path).decode(errors="replace"), re.M)[1])
    ok(sum(found.values()) == summary and all(wanted[name] == found[name] for name in top), what)
    calls = report(data)["calls"]
    counted = sum(int(line[6:].split()[0]) for line in contents(path).decode(errors="replace").splitlines()
                  if line.startswith("calls="))
    ok(sum(row["calls"] for row in calls if row["calls"]) >= counted > 0, "callgrind: and so are the numbers of calls")
    totals = totals_of_callgrind(path)
    found = collections.Counter()
    for row in calls:
        found[row["name"]] += row["total_events"]
    wrong = [(name, cost, found[name]) for name, cost in totals.items() if found[name] != cost]
    for line in wrong:
        note(line)
    ok(totals and not wrong, f"callgrind: so are the inclusive costs of {len(totals)} functions")
    answer = text(run(DWELL, "report", data).stdout)
    ok(re.search(r"^ *calls +total Ir +self Ir +mean Ir +share", answer, re.M) and "nanosec" not in answer,
       "callgrind: heads of the table of calls name the event")
    rows = [line for line in answer.splitlines() if line.endswith("ld-linux-x86-64.so.2")]
    ok(rows and not [line for line in rows if re.search(r"\d (ns|us|ms|s)\b", line)], "callgrind: no figure has a unit of time")
    again = export(data, "callgrind", "--of", "calls")
    ok(b"\nevents: Ir Calls\n" in contents(again), "callgrind: an export of its calls has the event")


# ---- the verb ----

def every_verb(data):
    verbs = {"report": ("report", "--tree", data), "diff": ("diff", data, data), "info": ("info", data),
             "html": ("html", "-o", data + ".html", data), "archive": ("archive", "-f", data),
             "merge": ("merge", "-f", "-o", data + ".merged", data)}
    for name in ("pprof", "folded", "speedscope", "callgrind", "firefox", "perfetto", "perf-script", "otlp", "json", "csv"):
        verbs[f"export {name}"] = ("export", "-f", name, "-o", data + ".out", data)
    failed = {name: text(answer.stderr) for name, answer in ((name, run(DWELL, *words)) for name, words in verbs.items())
              if answer.returncode}
    for name, why in failed.items():
        note(f"{name}: {why}")
    ok(not failed, "every verb takes the recording")


def refusals(folder):
    path = f"{folder}/text"
    with open(path, "w", encoding="utf-8") as file:
        file.write("nothing at all\n")
    answer = run(DWELL, "import", "-o", f"{folder}/x.data", path)
    ok(one_sentence(answer, "unknown format"), "a text is refused in a sentence")
    ok(not os.path.exists(f"{folder}/x.data"), "and nothing is written")
    for words, what in ((("import",), "missing FILE"), (("import", path, path), "unexpected argument"),
                        (("import", "--first", "x", path), "unknown --first value"),
                        (("import", "--unit", "x", path), "unknown unit"), (("import", "--hz", "0", path), "invalid rate"),
                        (("import", f"{folder}/none"), "cannot open"), (("import", folder), "is not a file")):
        answer = run(DWELL, *words)
        ok(one_sentence(answer, what), f"dwell {' '.join(words[:2])}: {what}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("a;b 1\n")
    data = import_file(path)
    answer = run(DWELL, "import", "-o", data, path)
    ok(one_sentence(answer, "already exists"), "a recording is not replaced without -f")


def main():
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/own.data"
        # Nothing is unmapped in it: what was in the place of something else cannot keep its address.
        made = run(DWELL, "record", "-q", "-o", data, program("record_load"), "four_threads", "0.4")
        if made.returncode:
            note(text(made.stderr))
        round_trips(data)
        above_libraries(folder)
        every_verb(import_file(export(data, "folded")))
        of_perf(folder)
        of_go(folder)
        of_callgrind(folder)
        refusals(folder)
    done()


main()
