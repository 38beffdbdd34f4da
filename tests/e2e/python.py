#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""python.py DWELL PROGRAMS - functions of Python in stacks: right by name, with their lines, in every version that is here;
freed code, threads, forks, an interpreter that is not supported."""
import base64
import json
import os
import re
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pythons import EVALUATION, QUALIFIED, RIGHT, SUPPORTED, last_part, python_truth, pythons  # noqa: E402
from sampled import DWELL, Recording, program, run, text, unharmed  # noqa: E402
from scripted import PROGRAMS, check_outside, seconds_of  # noqa: E402
from tap import done, ok, skip  # noqa: E402

TRAMPOLINES = SUPPORTED[4:]  # of -X perf


def truth(version, path):
    python_truth(version, ["<module>", "main", "call"]).check(
        (path, os.path.join(PROGRAMS, "python_truth.py"), program("libpython_shadow.so")), RIGHT, what=f"{version}: ")


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


SHOWN = ("<module>", "only_child", "Worker.crunch")


def shown(path):
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "app.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        plain = run(path, script, "forked")
        recording = Recording(path, script, "forked")
        unharmed(plain, recording.run, "a program that forks")
        ok(seconds_of(recording.rows, "only_child") > 0.15 and seconds_of(recording.rows, "forked") > 0.15,
           "functions of a child, and of its parent before it, have their names")
        data = os.path.join(folder, "data")
        recording = Recording(path, script, "threaded", keep=data)
        rows = recording.rows
        ok(seconds_of(rows, "Worker.crunch") > 0.15, "a thread's functions have their names, with their class")
        ok(any(row["object"] == "app.py" for row in rows if row["name"] == "Worker.crunch"), "and their file")
        choices(recording, data)
        recording = Recording(path, script, "reused")
        each = [seconds_of(recording.rows, f"code_{number}") for number in range(20)]
        ok(min(each) > 0.01, f"code in the place of freed code has its own name: {min(each):.3f} s of 0.02 at least")


def choices(recording, data):
    lines = recording.read(["--by", "line"], "samples")[1]
    loop = sum(row["total_ns"] for row in lines if row["name"] == "Worker.crunch" and row["line"] in (7, 8)) / 1e9
    ok(loop > 0.15, f"--by line has the lines of the loop: {loop:.3f} s of 0.2")
    merged = recording.rows
    none = recording.read(["--no-python"], "samples")[1]
    ok(seconds_of(none, "Worker.crunch") == 0, "--no-python shows no function of Python")
    # Without symbols it has no name, or the compiler has put most of it elsewhere.
    replaced = [row["name"] for row in none if row["total_ns"] > 0.15e9 and seconds_of(merged, row["name"]) < 0.02]
    ok(replaced == [EVALUATION] if seconds_of(none, EVALUATION) > 0.02 else replaced, f"but the evaluation function, which they replace: {replaced}")
    alone = recording.read(["--python-only"], "samples")[1]
    strays = [(row["name"], row["object"]) for row in alone if not row["object"].endswith((".py", ">"))]
    ok(seconds_of(alone, "Worker.crunch") > 0.15 and not strays, f"--python-only has functions of Python alone: {strays}")
    focused = recording.read(["--focus", "app.py:*crunch"], "samples")[1]
    ok(seconds_of(focused, "Worker.crunch") == seconds_of(merged, "Worker.crunch"), "--focus finds them by file and name")
    annotated = json.loads(run(DWELL, "annotate", "--format", "json", "Worker.crunch", data).stdout)["lines"]
    hot = sum(line["total_ns"] for line in annotated if line["line"] in (7, 8)) / 1e9
    ok(hot > 0.15 and annotated[0]["file"].endswith("/app.py"), f"annotate has its lines: {hot:.3f} s of 0.2")
    shown_source = text(run(DWELL, "annotate", "Worker.crunch", data).stdout)
    ok("def crunch(self, seconds):" in shown_source and "sum(range(100))" in shown_source, "and its source")
    frames = json.loads(run(DWELL, "export", "-f", "speedscope", data).stdout)["shared"]["frames"]
    ok(any(frame["name"] == "Worker.crunch" and frame["file"].endswith("/app.py") and frame["line"] == 5 for frame in frames),
       "speedscope gets file and line")
    page = run(DWELL, "html", "-o", data + ".html", data)
    with open(data + ".html", encoding="utf-8") as file:
        inside = re.search(r'<script type="application/x-dwell">(.*?)</script>', file.read(), re.DOTALL)[1]
    crunch = re.search(rb'[{]"name":"Worker.crunch"[^}]*', zlib.decompress(base64.b64decode(inside)))[0]
    ok(page.returncode == 0 and b'"language":"Python"' in crunch and b'"line":5' in crunch, "the page has their language and line")
    script = text(run(DWELL, "export", "-f", "perf-script", data).stdout)
    ok(re.search(r"Worker\.crunch \(/.*app\.py:\d+\)", script), "an export has their files")


def trampolines(version, path):
    if run(path, "-c", "import sys; sys.activate_stack_trampoline('perf')").returncode:
        skip(f"{version} -X perf", "this Python has no trampolines: there are none for this CPU")
        return
    with tempfile.TemporaryDirectory() as folder:
        script, data = os.path.join(folder, "app.py"), os.path.join(folder, "data")
        with open(script, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        # CPython leaves the names of its trampolines in /tmp.
        shell = ["sh", "-c", 'echo $$; exec "$@"', "sh"]
        names_file = "/tmp/perf-%s.map" % text(run(DWELL, "record", "-q", "-o", data, *shell, path, "-X", "perf", script,
                                                    "only_child").stdout).strip()
        stacks = [line.rsplit(" ", 1) for line in text(run(DWELL, "export", "-f", "folded", data).stdout).splitlines()]
        native = text(run(DWELL, "export", "-f", "folded", "--no-python", data).stdout)
    os.unlink(names_file)
    busy = [(stack.split(";"), int(samples)) for stack, samples in stacks if "Worker.crunch" in stack]
    whole = sum(samples for names, samples in busy if "Py_BytesMain" in names and names.count("Worker.crunch") == 1
                and [name for name in names if name in ("<module>", "only_child")] == ["<module>", "only_child"])
    total_samples = sum(samples for names, samples in busy)
    ok(total_samples > 100 and whole > 0.98 * total_samples,
       f"{version} -X perf: {whole} of {total_samples} stacks go through trampolines to the program's start")
    ok(not any("py::" in stack for stack, samples in stacks) and "py::Worker.crunch" in native,
       f"{version} -X perf: a function is shown once, and its trampoline with --no-python")


def outside(version, path):
    """The interpreter's memory is read while it runs on. A stack whose functions cannot be confirmed keeps the
    interpreter's frame: on a busy machine that is a part of them, even in a program that stays in one function."""
    expected = [name if version in QUALIFIED else last_part(name) for name in SHOWN]
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "app.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(PROGRAM.replace("only_child():\n    Worker().crunch(0.2)", "only_child():\n    Worker().crunch(0.25)"))
        check_outside(folder, [path, script, "only_child"], expected, hz=2000, what=f"{version}: ", marks=EVALUATION)


def unsupported(version, path):
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data")
        run(DWELL, "record", "-q", "-o", data, path, "-c", "sum(i * i for i in range(500000))")
        said = text(run(DWELL, "report", data).stdout)
    ok("Python functions have no names" in said and EVALUATION in said,
       f"{version}: is recorded natively, and the report says why names are missing")


def main():
    found = pythons()
    for version in SUPPORTED:
        if version in found:
            truth(version, found[version])
        else:
            skip(f"stacks of Python {version}", "there is none here, or it has no ctypes")
    for version in [version for version in TRAMPOLINES if version in found]:
        trampolines(version, found[version])
    for version in [version for version in SUPPORTED if version in found]:
        outside(version, found[version])
    shown_in = next((found[version] for version in QUALIFIED if version in found), None)
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
