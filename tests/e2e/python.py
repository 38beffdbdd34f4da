#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""python.py DWELL PROGRAMS - functions of Python in stacks: right by name, with their lines, in every version that is here;
freed code, threads, forks, an interpreter that is not supported."""
import collections
import glob
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, Recording, program, run, status_of, text, unharmed  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "prog")
# The part of stacks that must be right; the others are marked. In 3.12, a signal in any of 22 instructions at the start of an
# evaluation, one of which begins every few microseconds here, leaves a stack without Python: 0.05 to 0.15 % of them.
SUPPORTED = {"3.11": 0.999, "3.12": 0.995, "3.13": 0.999}
EVALUATION = "_PyEval_EvalFrameDefault"
SHADOW = re.compile(r"shadow_(\d)")
# Functions of python_truth.py and those of Python's own that it calls.
SCRIPT = re.compile(r"(f|inline|leaf_\w+|number|spin|raise|Made)_\d.*|go_on|call|main|<module>|Random\..*|CDLL\..*")


def interpreters():
    """{version: path} of the interpreters here: the system's, and others that are installed beside it."""
    found = {}
    for path in ["/usr/bin/python3", *sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3")))]:
        answer = run(path, "-c", "import sys, ctypes; print('%d.%d' % sys.version_info[:2])") if os.path.exists(path) else None
        if answer and answer.returncode == 0:
            found.setdefault(text(answer.stdout).strip(), path)
    return found


# ---- the truth ----

def callees(name, number):
    """Returns what a function of python_truth.py calls without a native function of its own between."""
    own = {
        "f_K": ["inline_K"],
        "inline_K": ["go_on", "leaf_generator_K", "leaf_sorted_K", "leaf_raised_K", "leaf_made_K"],
        "go_on": ["call", "Random.randrange"],
        "Random.randrange": ["Random._randbelow_with_getrandbits"],
        "call": ["CDLL.__getattr__"],
        "CDLL.__getattr__": ["CDLL.__getitem__"],
        "leaf_generator_K": ["number_K"],
        "number_K": ["spin_K"],
        "leaf_sorted_K": ["leaf_sorted_K.<locals>.<lambda>"],
        "leaf_sorted_K.<locals>.<lambda>": ["spin_K"],
        "leaf_raised_K": ["raise_K", "spin_K"],
        "raise_K": ["raise_K"],
        "leaf_made_K": ["Made_K.__init__", "Made_K.__eq__"],
        "Made_K.__init__": ["spin_K"],
        "Made_K.__eq__": ["spin_K"],
    }
    general = name.replace(f"_{number}", "_K")
    return [callee.replace("_K", f"_{number}") for callee in own.get(general, [])]


def is_right(names):
    """Compares the Python functions of a stack with the native ones that they were called through."""
    parts = [[]]
    numbers = []
    for name in names:
        shadow = SHADOW.fullmatch(name)
        if shadow:
            numbers.append(shadow[1])
            parts.append([])
        elif SCRIPT.fullmatch(name):
            parts[-1].append(name)
    right = parts[0] == ["<module>", "main", "call"]
    for number, part in zip(numbers, parts[1:]):
        right = right and (not part or part[0] == f"f_{number}")
        right = right and all(after in callees(before, number) for before, after in zip(part, part[1:]))
    return right and all(part[-1:] == ["call"] for part in parts[:-1])


def judge(folded):
    """Counts samples whose stack goes through python_shadow.c: right, marked as incomplete by a native frame that remains, wrong."""
    counts, wrong = collections.Counter(), []
    for line in folded.splitlines():
        stack, samples = line.rsplit(" ", 1)
        names = stack.split(";")
        if not any(SHADOW.fullmatch(name) for name in names):
            continue
        kind = "right" if is_right(names) else "marked" if EVALUATION in names else "wrong"
        counts[kind] += int(samples)
        if kind == "wrong":
            wrong.append(stack)
    return counts, wrong


def truth(version, path):
    """By hand, TRUTH_SECONDS=20 and TRUTH_HZ=10000 make 100,000 samples. A stack is marked
    if a signal comes in the first instructions of an evaluation: in 3.11 one of some 10,000, so that the bound is met on any machine."""
    seconds, hz = os.environ.get("TRUTH_SECONDS", "1"), os.environ.get("TRUTH_HZ", "5000")
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data")
        command = (path, os.path.join(HERE, "python_truth.py"), program("libpython_shadow.so"), seconds)
        recording = Recording(*command, options=["-F", hz], keep=data)
        ok(status_of(recording.run) == 0, f"{version}: the program ends well: {text(recording.run.stderr)[-200:]}")
        counts, wrong = judge(text(run(DWELL, "export", "-f", "folded", "--no-inline", data).stdout))
    total = sum(counts.values())
    ok(total > 500 * float(seconds) and not wrong, f"{version}: none of {total} stacks is wrong")
    ok(counts["right"] >= SUPPORTED[version] * total, f"{version}: at least {SUPPORTED[version]:.1%} are right: {dict(counts)}")
    for stack in wrong[:3]:
        note(stack[-2000:])


# ---- what is shown ----

PROGRAM = """
import os, sys, threading, time

class Worker:
    def crunch(self, seconds):
        started = time.thread_time()
        while time.thread_time() - started < seconds:  # line 7
            sum(range(100))

def threaded():
    thread = threading.Thread(target=Worker().crunch, args=(0.2,))
    thread.start()
    thread.join()

def forked():
    if os.fork() == 0:
        only_child()
        os._exit(0)
    os.wait()

def only_child():
    Worker().crunch(0.2)

def reused():
    for number in range(20):
        scope = {"Worker": Worker}
        exec(compile(f"def code_{number}():\\n    Worker().crunch(0.02)\\n", f"made_{number}.py", "exec"), scope)
        scope[f"code_{number}"]()

globals()[sys.argv[1]]()
"""


def total(rows, name, part="total_ns"):
    return sum(row[part] for row in rows if row["name"] == name) / 1e9


def shown(path):
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "app.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        plain = run(path, script, "forked")
        recording = Recording(path, script, "forked")
        unharmed(plain, recording.run, "a program that forks")
        ok(total(recording.rows, "only_child") > 0.15 and total(recording.rows, "forked") > 0.15,
           "functions of a child, and of its parent before it, have their names")
        data = os.path.join(folder, "data")
        recording = Recording(path, script, "threaded", keep=data)
        rows = recording.rows
        ok(total(rows, "Worker.crunch") > 0.15, "a thread's functions have their names, with their class")
        ok(any(row["object"] == "app.py" for row in rows if row["name"] == "Worker.crunch"), "and their file")
        choices(recording, data)
        recording = Recording(path, script, "reused")
        each = [total(recording.rows, f"code_{number}") for number in range(20)]
        ok(min(each) > 0.01, f"code in the place of freed code has its own name: {min(each):.3f} s of 0.02 at least")


def choices(recording, data):
    lines = recording.read(["--by", "line"], "samples")[1]
    loop = sum(row["total_ns"] for row in lines if row["name"] == "Worker.crunch" and row["line"] in (7, 8)) / 1e9
    ok(loop > 0.15, f"--by line has the lines of the loop: {loop:.3f} s of 0.2")
    merged = recording.rows
    ok(total(merged, EVALUATION) < 0.02, "evaluation frames are replaced")
    none = recording.read(["--no-python"], "samples")[1]
    ok(total(none, "Worker.crunch") == 0 and total(none, EVALUATION) > 0.15, "--no-python shows the interpreter instead")
    alone = recording.read(["--python-only"], "samples")[1]
    ok(total(alone, "Worker.crunch") > 0.15 and all(row["object"].endswith((".py", ">")) for row in alone),
       "--python-only has functions of Python alone")
    focused = recording.read(["--focus", "app.py:*crunch"], "samples")[1]
    ok(total(focused, "Worker.crunch") == total(merged, "Worker.crunch"), "--focus finds them by file and name")
    script = text(run(DWELL, "export", "-f", "perf-script", data).stdout)
    ok(re.search(r"Worker\.crunch\+0x[0-9a-f]+ \(/.*app\.py\)", script), "an export has their files")


def unsupported(version, path):
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data")
        run(DWELL, "record", "-q", "-o", data, path, "-c", "sum(i * i for i in range(500000))")
        said = text(run(DWELL, "report", data).stdout)
    ok("Python functions have no names" in said and EVALUATION in said,
       f"{version}: is recorded natively, and the report says why names are missing")


def main():
    found = interpreters()
    for version in SUPPORTED:
        if version in found:
            truth(version, found[version])
        else:
            skip(f"stacks of Python {version}", "there is none here, or it has no ctypes")
    shown_in = next((found[version] for version in SUPPORTED if version in found), None)
    if shown_in:
        shown(shown_in)
    else:
        skip("names, lines and options", "there is no supported Python here")
    others = [version for version in found if version.startswith("3.") and version not in SUPPORTED]
    if others:
        unsupported(others[0], found[others[0]])
    else:
        skip("a version that is not supported", "there is none here")
    done()


main()
