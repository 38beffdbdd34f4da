#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_truth.py DWELL PROGRAMS - stacks are exactly right in at least 99.9 % of samples, and none is wrong
without being marked, over 100,000 interruptions of programs whose stack is known.

tests/prog/record_truth.c says what is known: a leaf tells how many calls of left() and right() led to it, and the
innermost six of them. Besides, each return address has to be behind a call of the very function that the
frame before it is in, as a disassembler sees it: that tells what a frame too many or too few would look like in
all the others. A stack is *right* if all that holds up to _start, and *marked* if the recording says that it is
broken, cut or guessed.

Not a matter of luck: there is no tolerance for what is wrong, and what is marked is a property of the code.
How busy the machine is changes only which instructions are interrupted."""
import bisect
import os
import re
import shutil
import subprocess
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import COMPLETE, PROGRAMS as PROGRAMS_FOLDER, Recording, plain_name, program  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

ENOUGH = 100000
SHOWN = 5
PAGE = 4096
TURNS = {"left": 0, "right": 1}
LABEL = re.compile(r"^([0-9a-f]+) <(.+)>:$")
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t(?:[0-9a-f]{2} )+ *\t?(.*)$")
CALL = re.compile(r"^(?:notrack |bnd |data16 |rex\S* )*callq? +(?:[0-9a-f]+ <([^>+]+)>|\*)")
INDIRECT = None
PLT_HEAD = re.compile(r"^\.plt|@plt-0x")  # as objdump names it

# (program, how it is built, depth, seconds). Samples of deep stacks take so long that the rate is lowered.
PROGRAMS = [
    ("record_truth_O0", "gcc -O0", 12, 1.1),
    ("record_truth_O2", "gcc -O2", 12, 1.1),
    ("record_truth_O3", "gcc -O3 -fomit-frame-pointer", 12, 1.1),
    ("record_truth_clang", "clang -O2", 12, 1.1),
    ("record_truth_cxx", "C++ -O2, exceptions being thrown", 12, 1.1),
    ("record_truth_rust", "rustc -O", 12, 1.1),
    ("record_truth_O2", "gcc -O2, 200 deep", 200, 1),
    ("record_truth_cxx", "C++ -O2, exceptions being thrown, 200 deep", 200, 1),
]


class Code:
    """A program as binutils see it."""

    def __init__(self, path):
        self.starts, self.names = [], []
        self.calls = {}  # return address: function that was called, or INDIRECT
        called = False
        for line in self.lines("objdump", "-d", path):
            match = LABEL.match(line)
            if match:
                self.starts.append(int(match[1], 16))
                self.names.append(plain_name(match[2]))
            match = INSTRUCTION.match(line)
            if not match:
                continue
            if called is not False:
                self.calls[int(match[1], 16)] = called
            call = CALL.match(match[2])
            called = (plain_name(call[1]) if call[1] else INDIRECT) if call else False

    @staticmethod
    def lines(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()

    def function(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        return self.names[at] if at >= 0 else "?"


def leads_to(called, callee):
    """Returns whether a call of one function may be found in another. A stub of the PLT whose function is not bound
    yet jumps to the head of the table, which looks it up."""
    return called == callee or (called.endswith("@plt") and bool(PLT_HEAD.search(callee)))


class Judge:
    """The truth about one run."""

    def __init__(self, process, path, depth):
        self.code, self.depth = Code(path), depth
        self.maps = [(start, end, offset, mapped == os.path.realpath(path))
                     for _, start, end, offset, mapped in process.maps if mapped]
        self.is_musl = any("ld-musl" in line for line in self.code.lines("readelf", "-lW", path))
        self.text = next(self.bias(path, start, offset) for start, _, offset, ours in self.maps if ours)
        self.functions = {}  # by address: the program's function there, or None

    def bias(self, path, start, offset):
        """Returns the distance of an address in memory from the one that binutils show."""
        for line in self.code.lines("readelf", "-lW", path):
            words = line.split()
            if words[:1] == ["LOAD"] and int(words[1], 16) // PAGE * PAGE == offset:
                return start - int(words[2], 16) // PAGE * PAGE
        raise ValueError("there is no such segment")

    def function(self, pc):
        """Returns the program's function, or None in other code. There are a few hundred addresses in all stacks."""
        if pc not in self.functions:
            is_ours = any(start <= pc < end and ours for start, end, _, ours in self.maps)
            self.functions[pc] = self.code.function(pc - self.text) if is_ours else None
        return self.functions[pc]

    def frames(self, pcs):
        """[(function, or None where it is not the program's, return address in the file)]"""
        return [(self.function(pc - (i > 0)), pc - self.text) for i, pc in enumerate(pcs)]

    def problem(self, frames):
        """Returns the fault of a stack that claims to be whole, or None."""
        names = [name for name, _ in frames]
        for (callee, _), (caller, address) in zip(frames, frames[1:]):
            if caller is None:
                continue
            called = self.code.calls.get(address, False)
            if called is False:
                return f"no call before {address:x} in {caller}"
            if called is not INDIRECT and callee is not None and not leads_to(called, callee):
                return f"{caller} calls {called} there, not {callee}"
            if called is not INDIRECT and callee is None and not called.endswith("@plt"):
                return f"{caller} calls {called} there, which is in the program"
        if not any(names):
            return None  # the linker, before and after the program
        # musl's libc, where main() was called from, has no call frame information.
        if self.is_musl and names[-2:] == ["main", None]:
            return self.problem_of_walk(names)
        if names[-1] != "_start":
            return f"ends in {names[-1]}"
        return self.problem_of_walk(names)

    def problem_of_walk(self, names):
        if "walk_once" not in names:
            turns = [name for name in names if name in TURNS or str(name).startswith("leaf_")]
            return f"{turns} without walk_once" if turns else None
        inside = names[:names.index("walk_once")]
        turns = [TURNS[name] for name in inside if name in TURNS]
        leaf = next((int(name[5:]) for name in inside if str(name).startswith("leaf_")), None)
        if leaf is None:
            return None if len(turns) <= self.depth + 3 else f"{len(turns)} turns"
        if len(turns) != self.depth + leaf % 4:
            return f"leaf_{leaf} after {len(turns)} turns"
        if any(turn != leaf >> i & 1 for i, turn in enumerate(turns[:6])):
            return f"leaf_{leaf} after {turns[:6]}"
        return None


def examine(name, title, depth, seconds):
    """How many samples there were."""
    path = program(name)
    if not os.path.exists(path):
        skip(title, "there is no compiler for it here")
        return 0
    recording = Recording(path, depth, seconds, options=["-F", 20000])
    process = next(iter(recording.raw.processes.values()))
    judge, counts, reasons, in_walk = Judge(process, path, depth), Counter(), Counter(), 0
    for frame, times in Counter(frame for _, frame, _, _ in process.samples).items():
        pcs, end, guessed = process.stack(frame)
        frames = judge.frames(pcs)
        problem = judge.problem(frames)
        in_walk += times * any(name == "walk_once" for name, _ in frames)
        if end == COMPLETE and not problem:
            counts["right, but marked" if guessed else "right"] += times
            continue
        counts["wrong, and marked" if end != COMPLETE or guessed else "WRONG"] += times
        reasons[problem or "broken", shown(judge, pcs)] += times
    samples = sum(counts.values())
    note(f"{title}: {dict(counts)} of {samples}, {in_walk} in the walk; {recording.meta.get('sample_clock')}")
    for (reason, where), times in reasons.most_common(SHOWN):
        note(f"{times} times {reason}: {where}")
    ok(recording.run.returncode == 0 and in_walk > 0.9 * samples > 0, f"{title}: runs, and nearly all of it in known stacks")
    # musl's own code has no call frame information, so the walk reads its instructions: if a function is left
    # by a jump through a register, it finds no rule.
    least = 0.98 if judge.is_musl else 0.999
    ok(counts["right"] + counts["right, but marked"] >= least * samples,
       f"{title}: at least {least:.1%} of stacks are right")
    ok(counts["WRONG"] == 0, f"{title}: none is wrong without saying so")
    return samples if recording.meta.get("sample_clock") == "perf" else None


def shown(judge, pcs):
    return " < ".join(name or f"{pc:x}" for (name, _), pc in list(zip(judge.frames(pcs), pcs))[:6])


if not shutil.which("objdump"):
    skip("all stacks", "there is no objdump")
    done()
if len(sys.argv) > 3:  # to inspect one of them
    PROGRAMS = [each for each in PROGRAMS if sys.argv[3] in each[0]]
ok(leads_to("qsort@plt", "qsort@plt-0x10") and leads_to("qsort@plt", ".plt") and leads_to("spin", "spin")
   and not leads_to("qsort@plt", "strtod@plt") and not leads_to("spin", "qsort@plt-0x10"),
   "a stub that is not bound leads to the head of its table, and to no other stub")
found = [examine(*each) for each in PROGRAMS]
has_enough = os.path.basename(PROGRAMS_FOLDER) == "musl"  # fewer programs are built with it
for each in PROGRAMS:  # a slow machine needs some of them twice
    if None not in found and sum(found) < ENOUGH and not has_enough:
        found.append(examine(*each))
if None in found:
    skip("100,000 interruptions", "only the perf clock is that fast, and this is another")
elif not has_enough:
    ok(sum(found) >= ENOUGH, f"{sum(found)} interruptions in all, at least {ENOUGH}")
done()
