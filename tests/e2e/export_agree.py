#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""export_agree.py DWELL PROGRAMS - one recording in all formats, each read back by the tool that users have for it
or by a parser of the format: the sum and the ten functions with the most samples are those of `dwell report`."""
import csv
import io
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, one_sentence, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

PYTHON_WORK = """
import json, zlib
rows = [{"number": i, "text": str(i) * 5} for i in range(20000)]
for i in range(4):
    dumped = json.dumps(rows)
    zlib.compress(dumped.encode())
    json.loads(dumped)
"""


class Figures:
    """The figures of each function in a format, by its name: samples and nanoseconds, or one of them. None: not in
    the format."""

    def __init__(self, samples=None, ns=None, total_ns=None):
        self.samples, self.ns, self.total_ns = samples, ns, total_ns


def export(data, name, *options, suffix=""):
    """Exports a recording, and returns the path of the file."""
    path = f"{data}.{name}{suffix}"
    answer = run(DWELL, "export", "-f", name, "-o", path, *options, data)
    if answer.returncode or answer.stderr:
        note(f"{name}: {text(answer.stderr)}")
    return path


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def read_json(data):
    """Reads the figures that all others are compared with. Functions of one name may call each other, as modules of
    Python do: a format that knows names alone counts such a stack once, so their totals are not compared."""
    rows = json.loads(read_text(export(data, "json")))["samples"]
    figures = Figures(Counter(), Counter(), Counter())
    for row in rows:
        figures.samples[row["name"]] += row["self"]
        figures.ns[row["name"]] += row["self_ns"]
    names = Counter(row["name"] for row in rows)
    for row in rows:
        if names[row["name"]] == 1:
            figures.total_ns[row["name"]] = row["total_ns"]
    return figures


def read_csv(data):
    figures = Figures(Counter(), Counter(), Counter())
    for row in csv.DictReader(io.StringIO(read_text(export(data, "csv")))):
        figures.samples[row["name"]] += int(row["self"])
        figures.ns[row["name"]] += int(row["self_ns"])
        figures.total_ns[row["name"]] += int(row["total_ns"])
    return figures


# flamegraph.pl: a line is anything, a blank, and a number, which may have a fraction.
FOLDED = re.compile(r"^(.*)\s+?(\d+(?:\.\d*)?)$")


def read_folded(data):
    figures = Figures(Counter(), Counter(), Counter())
    for unit, sums in (("samples", figures.samples), ("ns", figures.ns)):
        for line in read_text(export(data, "folded", "--unit", unit, suffix=unit)).splitlines():
            stack, amount = FOLDED.match(line).groups()
            names = stack.split(";")
            sums[names[-1]] += int(amount)
            for name in set(names[1:]) if unit == "ns" else ():
                figures.total_ns[name] += int(amount)
    return figures


TOP = re.compile(r"^\s*(\d+)(?:ns)?\s+[\d.]+%\s+[\d.]+%\s+(\d+)(?:ns)?\s+[\d.]+%\s+(.+)$", re.M)


def read_pprof(data):
    if not shutil.which("go"):
        return "go is not installed"
    path = export(data, "pprof", suffix=".pb.gz")
    options = ["-top", "-nodecount=100000", "-nodefraction=0", "-edgefraction=0"]
    figures = Figures(Counter(), Counter(), Counter())
    for index, unit, sums in (("samples", [], figures.samples), ("cpu", ["-unit=ns"], figures.ns)):
        answer = run("go", "tool", "pprof", *options, f"-sample_index={index}", *unit, path)
        if answer.returncode:
            note(text(answer.stderr))
        for flat, total, name in TOP.findall(text(answer.stdout)):
            name = name.removesuffix(" (inline)").removesuffix(" (partial-inline)")
            sums[name] += int(flat)
            if index == "cpu":
                figures.total_ns[name] += int(total)
    return figures


def read_speedscope(data):
    figures = Figures(Counter(), Counter(), Counter())
    for unit, sums in (("samples", figures.samples), ("ns", figures.ns)):
        file = json.loads(read_text(export(data, "speedscope", "--unit", unit, suffix=unit)))
        names = [frame["name"] for frame in file["shared"]["frames"]]
        for profile in file["profiles"]:
            for stack, weight in zip(profile["samples"], profile["weights"]):
                sums[names[stack[-1]]] += weight
                for name in {names[i] for i in stack} if unit == "ns" else ():
                    figures.total_ns[name] += weight
    return figures


# Lines of callgrind_annotate: a number and its share for each event, and behind them file:function [object].
ANNOTATED = re.compile(r"^\s*([\d,]+) \([ \d.]+%\)\s+([\d,]+)(?: \([ \d.]+%\))?\s+(.+?)$", re.M)


def annotated(path, *options):
    """Returns [(first event, second event, function)]."""
    answer = run("callgrind_annotate", "--threshold=100", "--auto=no", *options, path)
    if answer.returncode or answer.stderr:
        note(text(answer.stderr))
    rows = []
    for first, second, place in ANNOTATED.findall(text(answer.stdout)):
        name = re.sub(r" \[[^]]*\]$", "", place.partition(":")[2] or place)
        rows.append((int(first.replace(",", "")), int(second.replace(",", "")), name))
    return rows


def read_callgrind(data):
    if not shutil.which("callgrind_annotate"):
        return "callgrind_annotate is not installed"
    path = export(data, "callgrind")
    figures = Figures(Counter(), Counter(), Counter())
    for ns, samples, name in annotated(path):
        if name != "PROGRAM TOTALS":
            figures.ns[name] += ns
            figures.samples[name] += samples
    for ns, _, name in annotated(path, "--inclusive=yes"):
        figures.total_ns[name] += ns
    return figures


PERF_HEAD = re.compile(r"^(\S.*?)\s+(\d+)/(\d+)\s+([\d.]+):\s+(\d+) (\S+):\s*$")
PERF_FRAME = re.compile(r"^\s+([0-9a-f]+) (.+?)(\+0x[0-9a-f]+)? \(([^()]*)\)$")


def read_perf_script(data):
    """Reads as stackcollapse-perf.pl does: a line that does not begin with a blank is a sample, the rest are its
    frames."""
    figures = Figures(Counter(), Counter(), Counter())
    for block in read_text(export(data, "perf-script")).split("\n\n")[:-1]:
        head, *lines = block.splitlines()
        period = int(PERF_HEAD.match(head)[5])
        names = [PERF_FRAME.match(line)[2] for line in lines]
        figures.samples[names[0]] += 1
        figures.ns[names[0]] += period
        for name in set(names):
            figures.total_ns[name] += period
    return figures


def read_slices(data, *options, suffix=""):
    """Reads slices of Chrome's trace JSON: the time of a slice outside its children is its own. A timeline has
    arguments with the number of samples; a flame graph has time alone."""
    figures = Figures(Counter() if options else None, Counter(), Counter())
    tracks = {}
    events = json.loads(read_text(export(data, "perfetto", *options, suffix=suffix)))["traceEvents"]
    for event in events:
        track = tracks.setdefault((event["pid"], event["tid"]), [])
        if event["ph"] == "B":
            track.append({"name": event["name"], "ts": event["ts"], "samples": 0, "ns": 0})
        elif event["ph"] == "E":
            slice_ = track.pop()
            assert event["ts"] >= slice_["ts"], event
            name = slice_["name"]
            args = event.get("args", {"samples": 0, "ns": round((event["ts"] - slice_["ts"]) * 1000)})
            assert event["name"] == name and ("args" in event) == bool(options), event
            if options:
                figures.samples[name] += args["samples"] - slice_["samples"]
            figures.ns[name] += args["ns"] - slice_["ns"]
            if name not in [outer["name"] for outer in track]:
                figures.total_ns[name] += args["ns"]
            if track:
                track[-1]["samples"] += args["samples"]
                track[-1]["ns"] += args["ns"]
    assert not any(tracks.values()), "slices that do not end"
    return figures


def read_perfetto(data):
    return read_slices(data)


def read_timeline(data):
    return read_slices(data, "--timeline", suffix="-timeline")


def read_firefox(data):
    figures = Figures(None, Counter(), Counter())
    profile = json.loads(read_text(export(data, "firefox")))
    strings = profile["shared"]["stringArray"]
    for thread in profile["threads"]:
        stacks, frames, functions = thread["stackTable"], thread["frameTable"], thread["funcTable"]

        def name_of(stack):
            return strings[functions["name"][frames["func"][stacks["frame"][stack]]]]

        for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
            # Milliseconds with six digits: exact, as soon as they are nanoseconds again.
            ns = round(weight * 1e6)
            figures.ns[name_of(stack)] += ns
            names = set()
            while stack is not None:
                names.add(name_of(stack))
                stack = stacks["prefix"][stack]
            for name in names:
                figures.total_ns[name] += ns
    return figures


READERS = {
    "callgrind": read_callgrind,
    "csv": read_csv,
    "firefox": read_firefox,
    "folded": read_folded,
    "perf-script": read_perf_script,
    "perfetto": read_perfetto,
    "perfetto --timeline": read_timeline,
    "pprof": read_pprof,
    "speedscope": read_speedscope,
}


def top_ten(sums):
    return sorted(sums, key=lambda name: (-sums[name], name))[:10]


def same(what, found, due):
    """Checks that the sum and the figures of the ten largest functions are the same."""
    if found is None:
        return True
    wrong = [f"{name}: {found[name]} instead of {due[name]}" for name in top_ten(due) if found[name] != due[name]]
    if sum(found.values()) != sum(due.values()):
        wrong.append(f"sum: {sum(found.values())} instead of {sum(due.values())}")
    note("\n".join(f"{what}: {line}" for line in wrong))
    return not wrong


def same_totals(found, due):
    wrong = [f"{name}: total {found[name]} instead of {due[name]}"
             for name in top_ten(due) if found is not None and found[name] != due[name]]
    note("\n".join(wrong))
    return not wrong


def compare(title, data):
    due = read_json(data)
    ok(sum(due.samples.values()) > 100 and len(top_ten(due.samples)) == 10, f"{title}: there is something to compare")
    for name, read in READERS.items():
        found = read(data)
        if isinstance(found, str):
            skip(f"{title}: {name}", found)
            continue
        ok(same(f"{name}, samples", found.samples, due.samples) and same(f"{name}, ns", found.ns, due.ns)
           and same_totals(found.total_ns, due.total_ns),
           f"{title}: {name} has the sum and the top ten of dwell report")


def lines(data):
    """Checks that formats with lines contain those of a program that has them."""
    callgrind = read_text(export(data, "callgrind"))
    ok(re.search(r"fl=\(\d+\) .*export_load\.c\n", callgrind) and re.search(r"^[1-9]\d* \d+ \d+$", callgrind, re.M),
       "callgrind has files and lines")
    firefox = json.loads(read_text(export(data, "firefox")))
    strings, sources = firefox["shared"]["stringArray"], firefox["shared"]["sources"]["filename"]
    ok(any(strings[name].endswith("export_load.c") for name in sources)
       and any(line for thread in firefox["threads"] for line in thread["frameTable"]["line"]), "firefox has them")
    if not shutil.which("go"):
        skip("pprof has them", "go is not installed")
        return
    said = text(run("go", "tool", "pprof", "-top", "-lines", export(data, "pprof", suffix=".pb.gz")).stdout)
    ok(re.search(r" worker_12 \S*export_load\.c:\d+$", said, re.M), "pprof has them")


FLAT = re.compile(r"^\s*([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(?:(\d+)\s+[\d.]+\s+[\d.]+\s+)?(\S+)\s*$", re.M)


def gprof_shares(executable, path):
    """Returns {function: per cent of the histogram}, and the number of calls that gprof prints."""
    answer = run("gprof", "-b", "-p", executable, path)
    note(text(answer.stderr))
    rows = FLAT.findall(text(answer.stdout))
    return {name: float(share) for share, _, _, _, name in rows}, {name: int(calls or 0) for _, _, _, calls, name in rows}


def gmon(data, executable, title, *options):
    """Checks the shares that gprof shows for functions in their object. It prints two digits, and counters are
    whole ticks, which adds half a tick to each side of a function. It reads the section .text alone, in which stubs of the PLT,
    _init and _fini are not."""
    rows = [row for row in json.loads(read_text(export(data, "json", "--no-inline", suffix=".no_inline")))["samples"]
            if row["object"] == os.path.basename(executable)]
    whole = sum(row["self_ns"] for row in rows)
    shares, calls = gprof_shares(executable, export(data, "gmon", *options))
    tick = 1e9 / 2000 / whole * 100
    wrong = [f"{row['name']}: {shares.get(row['name'])} % instead of {100 * row['self_ns'] / whole:.2f} %"
             for row in rows if not re.search("@plt$|^_init$|^_fini$", row["name"]) and abs(shares.get(row["name"], 0) - 100 * row["self_ns"] / whole) > 0.006 + tick]
    note("\n".join(wrong))
    ok(rows and not wrong and abs(sum(shares.values()) - 100) < 1, f"{title}: gprof has the shares of dwell report")
    return calls


def gmon_of_program(data):
    """Checks shares, and that the number of samples below a function is the number of its calls, if one function
    calls it."""
    if not shutil.which("gprof"):
        skip("gmon", "gprof is not installed")
        return
    calls = gmon(data, program("export_load"), "gmon")
    due = {row["name"]: row["total"] for row in json.loads(read_text(export(data, "json")))["samples"]}
    ok(calls["large_ones"] == due["large_ones"] and calls["worker_12"] == due["worker_12"],
       "gmon: and calls by samples")


def gmon_of_library(folder):
    library = program("librecord_plugin_left.so")
    data = f"{folder}/plugins"
    run(DWELL, "record", "-q", "-F", "2000", "-o", data, "--", program("record_plugins"), "loop", library,
        program("librecord_plugin_right.so"))
    if shutil.which("gprof"):
        gmon(data, library, "gmon of a library by its file name", "--object", os.path.basename(library))
        gmon(data, library, "gmon of a library by its path", "--object", library)
    ok(one_sentence(run(DWELL, "export", "-f", "gmon", "--object", "libnone.so", data), "libnone.so"),
       "gmon of a library that there is not")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for title, command in (("two threads and recursion", (program("export_load"), "40")),
                               ("python3", (sys.executable, "-c", PYTHON_WORK))):
            data = f"{folder}/{os.path.basename(command[0])}"
            answer = run(DWELL, "record", "-q", "-F", "2000", "-o", data, "--", *command)
            note(text(answer.stderr))
            compare(title, data)
        lines(f"{folder}/export_load")
        gmon_of_program(f"{folder}/export_load")
        gmon_of_library(folder)
    done()


if __name__ == "__main__":
    main()
