# SPDX-License-Identifier: MIT
"""scripted.py - functions of scripts in stacks: what tests of all interpreters ask.

A truth is a script that knows its own stack. Each function f_K of it is called through the native function shadow_K
(tests/prog/python_shadow.c), where K is a digit; from f_K on, functions of the same K call each other as `callees` has it.
"""
import base64
import collections
import json
import os
import re
import subprocess
import zlib

from emulation import EMULATED
from sampled import DWELL, Recording, program, run, status_of, text
from tap import note, ok, skip

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "prog")
SHADOW = re.compile(r"shadow_(\d)")
STARTS = {"__libc_start_main", "start_thread"}  # one of them is in each complete stack that has functions of a script
REPORTED = ("samples_broken", "samples_truncated", "samples_stackless")  # stacks that the report calls incomplete, or cut
RUNS = 10  # of a truth, at most


class Truth:
    def __init__(self, start, callees, evaluation, rename=lambda name: name, ends=()):
        """start: the outermost functions, of which the last one calls shadow_K, as go_on does. callees: those of each
        function. evaluation: the interpreter's native frame, which marks a stack as incomplete. rename: from a shown name to
        one of these. ends: native functions that it calls when an activation has ended."""
        self.start, self.evaluation, self.rename, self.ends = start, evaluation, rename, ends
        self.callees = {number: {name.replace("_K", f"_{number}"): {callee.replace("_K", f"_{number}") for callee in names}
                                 for name, names in callees.items()} for number in map(str, range(10))}
        self.own = set().union(*({name, *names} for own in self.callees.values() for name, names in own.items()))
        self.scripts = self.own.union(start)

    def _follows(self, part, number):
        own = self.callees[number]
        return all(after in own.get(before, ()) for before, after in zip(part, part[1:]))

    def _split(self, names):
        """Returns the functions up to each native one that they were called through, and the numbers of these."""
        parts, numbers = [[]], []
        for name in names:
            shadow = SHADOW.fullmatch(name)
            if shadow:
                numbers.append(shadow[1])
                parts.append([])
            elif name in self.scripts:
                parts[-1].append(name)
        return parts, numbers

    def _continues(self, parts, numbers):
        """Checks all functions but those before the first native one, which have to call it."""
        return (all(part[-1:] == self.start[-1:] for part in parts[:-1]) and
                all((not part or part[0] == f"f_{number}") and self._follows(part, number) for number, part in zip(numbers, parts[1:])))

    def is_right(self, names):
        """Compares the functions of a stack with the native ones that they were called through."""
        parts, numbers = self._split(names)
        return parts[0] == self.start and self._continues(parts, numbers)

    def is_right_end(self, names):
        """Checks the inner end of a stack, whose first functions may be those of any number, or the outermost ones."""
        parts, numbers = self._split(names)
        first = parts[0]
        if numbers and not first:
            parts[0] = self.start[-1:]
        return (self.start[-len(first):] == first or any(self._follows(first, number) for number in self.callees)) and self._continues(parts, numbers)

    def is_right_apart(self, names, first):
        """Checks a stack of its own, which begins with the function `first` of any number."""
        part = [name for name in names if name in self.scripts]
        return not part or (part[0][:-1] == first.replace("K", "") and self._follows(part, part[0][-1]))

    def _without_end(self, names):
        """Returns a stack without what ends an activation, and all that this calls."""
        last = max((at for at, name in enumerate(names) if name == self.evaluation or name in self.scripts), default=-1)
        is_end = names[last + 1:] and names[last + 1].removesuffix("@plt") in self.ends
        return names[:last + 1] if is_end else names

    def judge(self, folded, apart=(None, None)):
        """Counts samples: right, marked by a native frame that remains, wrong. apart: a native function that begins a stack
        of its own, if it has a name, and the first function there."""
        counts, wrong = collections.Counter(), []
        for line in folded.splitlines():
            stack, samples = line.rsplit(" ", 1)
            names = [self.rename(name) for name in stack.split(";")]
            is_apart = apart[0] in names or (apart[1] and any(name.startswith(apart[1].replace("K", "")) for name in names))
            has_shadow = any(SHADOW.fullmatch(name) for name in names)
            if not STARTS.intersection(names) and (has_shadow or not is_apart):
                # The native stack is incomplete, as its report says; or it is of no script.
                is_script = has_shadow or self.evaluation in names or self.scripts.intersection(names)
                counts["incomplete"] += int(samples) if is_script else 0
                # One without functions of the truth, as of a module that is being imported, has no end that is known.
                if self.is_right_end(names) or self.evaluation in names or not self.own.intersection(names):
                    continue
                right = False
            elif has_shadow:
                right = self.is_right(names)
            elif is_apart:
                right = self.is_right_apart(names, apart[1])
                counts["apart"] += int(samples)
            else:
                continue
            names = self._without_end(names)
            # The innermost function may be the interpreter's own, which begins or ends an activation.
            kind = "right" if right and self.evaluation not in names[:-1] else "marked" if self.evaluation in names else "wrong"
            counts[kind] += int(samples)
            wrong += [stack] if kind == "wrong" else []
        return counts, wrong

    def check(self, command, least, apart=(None, None), what="", seconds=0.5):
        """Records a truth for TRUTH_SECONDS at TRUTH_HZ. By hand, 20 and 10000 make 100,000 samples; by default there are 5,000.
        A busy machine makes fewer of them: runs are added up until they are enough, and TRUTH_RUNS of them at least. what: a word
        for the points."""
        hz, seconds = os.environ.get("TRUTH_HZ", f"{5000 / seconds:.0f}"), os.environ.get("TRUTH_SECONDS", str(seconds))
        counts, wrong, well, reported, timeout = collections.Counter(), [], True, 0, 60 + 30 * float(seconds)
        runs = int(os.environ.get("TRUTH_RUNS", "1"))
        for made in range(1, max(RUNS, runs) + 1):
            recording = Recording(*command, seconds, options=["-F", hz], timeout=timeout)
            well = well and status_of(recording.run) == 0
            folded = run(DWELL, "export", "-f", "folded", "--no-inline", recording.data, timeout=timeout)
            counted, unlike = self.judge(text(folded.stdout), apart)
            counts += counted
            wrong += unlike
            reported += sum(recording.meta.get(kind, 0) for kind in REPORTED)
            total = sum(counts[kind] for kind in ("right", "marked", "wrong"))
            is_enough = total > 500 * max(1, float(seconds)) and (not apart[1] or counts["apart"] > 10 * max(1, float(seconds)))
            if (made >= runs and is_enough and counts["right"] >= least * total) or wrong or not well:
                break
        ok(well, f"{what}the program ends well {made} times: {text(recording.run.stderr)[-200:]}")
        ok(is_enough and not wrong, f"{what}none of {total} stacks is wrong")
        ok(counts["incomplete"] < 0.01 * total, f"{what}native stacks are complete, but for {counts['incomplete']}")
        ok(counts["incomplete"] <= reported, f"{what}and all of these are reported: {reported}")
        ok(counts["right"] >= least * total, f"{what}at least {least:.1%} are right: {dict(counts)}")
        for stack in wrong[:3]:
            note(stack[-2000:])


def evaluation_of(command):
    """Returns the name of an evaluation function without a symbol: most of a command's time is in it, but for its start on a slow machine."""
    rows = [row for row in Recording(*command, report=["--no-python"]).rows if row["object"] not in ("dwell", "[exec and dynamic linking]")]
    return max(rows, key=lambda row: row["self_ns"])["name"]


def seconds_of(rows, name, part="total_ns"):
    return sum(row[part] for row in rows if row["name"] == name) / 1e9


def check_exports(data, name, file, first, language):
    """Formats that have a place for it contain file and first line, and the language where there are colours."""
    script = text(run(DWELL, "export", "-f", "perf-script", data).stdout)
    # The path of Java's is that of its package.
    folder = r"[^/()]+" if language == "Java" else "/.*"
    ok(re.search(rf"{re.escape(name)} \({folder}/{re.escape(file)}:{first}\)", script), "perf-script gets file and line")
    firefox = json.loads(run(DWELL, "export", "-f", "firefox", data).stdout)
    number = firefox["shared"]["stringArray"].index(name)
    thread = next(thread for thread in firefox["threads"] if number in thread["funcTable"]["name"])
    function = thread["funcTable"]["name"].index(number)
    categories = {category for frame, category in enumerate(thread["frameTable"]["category"]) if thread["frameTable"]["func"][frame] == function}
    ok(thread["funcTable"]["lineNumber"][function] == first and
       {firefox["meta"]["categories"][category]["name"] for category in categories} == {language}, "Firefox gets the line and the language")
    events = json.loads(run(DWELL, "export", "-f", "perfetto", data).stdout)
    events = events if isinstance(events, list) else events["traceEvents"]
    ok(any(event.get("name") == name and event.get("args", {}).get("line") == first for event in events), "Perfetto gets the line")
    kind = {"Python": "cpython", "Java": "jvm"}.get(language, language.lower())
    ok(kind.encode() in run(DWELL, "export", "-f", "otlp", data).stdout, "OTLP gets the language")
    for form in ([], ["--tree"]):
        shown = text(run(DWELL, "report", "--color=always", "--limit", "0", *form, data).stdout)
        ok(re.search(rf"\x1b\[3[2-6]m *{re.escape(name)}", shown), f"{' '.join(form) or 'the table'}: it has its language's colour")


def check_shown(recording, data, worker, language, evaluation):
    """A recording of 0.2 s in the function `worker`: (name, file, first line, line of its loop, last line)."""
    name, file, first, loop, last = worker
    rows = recording.rows
    ok(seconds_of(rows, name) > 0.15, f"{name} has its name")
    ok({row["object"] for row in rows if row["name"] == name} == {file}, "and its file")
    lines = recording.read(["--by", "line"], "samples")[1]
    there = sum(row["total_ns"] for row in lines if row["name"] == name and row["line"] == loop) / 1e9
    ok(there > 0.1, f"--by line has the line of the loop: {there:.3f} s of 0.2")
    shown = {row["line"] for row in lines if row["name"] == name}
    # Between two instructions, an interpreter may not have stored the next one: then the line is not known.
    unknown = sum(row["total_ns"] for row in lines if row["name"] == name and row["line"] is None) / 1e9
    ok(shown - {None} <= set(range(first, last + 1)) and unknown < 0.05 * there,
       f"all its lines are its own: {shown}, and {unknown:.3f} s without one")
    ok(seconds_of(rows, evaluation) < 0.02, "evaluation frames are replaced")
    none = recording.read(["--no-python"], "samples")[1]
    ok(seconds_of(none, name) == 0 and seconds_of(none, evaluation) > 0.1, "--no-python shows the interpreter instead")
    focused = recording.read(["--focus", f"{file}:*"], "samples")[1]
    ok(seconds_of(focused, name) == seconds_of(rows, name), "--focus finds functions by their file")
    frames = json.loads(run(DWELL, "export", "-f", "speedscope", data).stdout)["shared"]["frames"]
    ok(any(frame["name"] == name and frame["file"].endswith("/" + file) and frame["line"] == first for frame in frames),
       "speedscope gets file and line")
    check_exports(data, name, file, first, language)
    run(DWELL, "html", "-o", data + ".html", data)
    with open(data + ".html", encoding="utf-8") as page:
        inside = re.search(r'<script type="application/x-dwell">(.*?)</script>', page.read(), re.DOTALL)[1]
    entry = re.search(rb'[{]"name":"%s"[^}]*' % re.escape(name.encode()), zlib.decompress(base64.b64decode(inside)))[0]
    ok(b'"language":"%s"' % language.encode() in entry, "the page has their language")


def check_order(data, what, expected, least=50, marks=None, may_be_cut=False):
    """All stacks that have the innermost function have those before it, in their order. marks: the interpreter's native frame, which
    remains where a function is not known; one of 10,000 does, and one or two of the first while the place of frames is learnt, so that
    1 % and two are never reached by chance. may_be_cut: a stack may be incomplete, as until the code of a library is known that the
    program has just opened; that is so for no more of them."""
    named = right = marked = cut = total = 0
    # There are as many samples as the kernel has ticks, 250 a second, in place of 999.
    least = least // 4 if EMULATED else least
    for line in text(run(DWELL, "export", "-f", "folded", data).stdout).splitlines():
        names, samples = line.rsplit(" ", 1)[0].split(";"), int(line.rsplit(" ", 1)[1])
        total += samples
        if expected[-1] in names:
            named += samples
            is_right = [name for name in names if name in expected] == expected
            right += samples if is_right else 0
            if not is_right:
                is_marked = marks in names
                marked += samples if is_marked else 0
                cut += samples if not is_marked and may_be_cut and not STARTS.intersection(names) else 0
                note(line[-2000:])
    few = max(2, named // 100)
    ok(named == right + marked + cut and marked <= few and cut <= few and right > least,
       f"{what}: {right} of {total} stacks have names, all in their order, {marked} are marked, and {cut} are incomplete")


def check_outside(folder, command, expected, hz=999, what="", **options):
    """From outside, and by the id of a process that runs, stacks have the same functions as from inside. Options as of check_order()."""
    data = os.path.join(folder, "data")
    made = run(DWELL, "record", "-q", "-F", str(hz), "--engine", "outside", "-o", data, *command)
    if b"perf_event_open()" in made.stderr:
        skip(f"{what}from outside", text(made.stderr).strip()[-200:])
        return
    check_order(data, f"{what}from outside", expected, **options)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as target:
        run(DWELL, "record", "-q", "-F", str(hz), "-o", data, "-p", str(target.pid))
    check_order(data, f"{what}a running process", expected, **options)


def check_unsupported(folder, name, said):
    """name: a program that exports what an interpreter exports, of another version."""
    data = os.path.join(folder, "data")
    run(DWELL, "record", "-q", "-o", data, program(name))
    ok(said in text(run(DWELL, "report", data).stdout), "another version: is recorded natively, and the report says why names are missing")
