#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""python_i386.py DWELL PROGRAMS - functions of Python in stacks of 32-bit programs, right by name and with their lines, and as callers.

The interpreter is Debian's libpython3.N:i386, which can be installed beside that of 64 bits, and is embedded in a program.
LIBPYTHONS_I386 names others, separated by colons, such as those of packages that are unpacked into a folder.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pythons import EVALUATION, QUALIFIED, RIGHT, python_truth  # noqa: E402
from sampled import DWELL, Recording, program, run, text  # noqa: E402
from scripted import PROGRAMS, check_order, seconds_of  # noqa: E402
from tap import done, ok, skip  # noqa: E402

EMBEDDED = program("python_embedded_i686")
SHADOW = program("libpython_shadow_i686.so")
# Runs a file, with its arguments.
RUN = """
import sys
sys.argv = open("/proc/self/cmdline").read().split("\\0")[3:-1]
with open(sys.argv[0]) as file:
    exec(compile(file.read(), sys.argv[0], "exec"))
"""
# The first is the program's own main().
START = ["main", "<module>", "<module>", "main", "call"]
CALLS = 1000
SCRIPT = f"""
import threading, time, zlib

class Worker:
    def crunch(self, seconds):
        started = time.thread_time()
        while time.thread_time() - started < seconds:  # line 7
            sum(range(100))

def numbers():
    yield Worker().crunch(0.1)

def generating():
    list(numbers())

def threaded():
    thread = threading.Thread(target=Worker().crunch, args=(0.1,))
    thread.start()
    thread.join()

def reused():
    for number in range(5):
        scope = {{"Worker": Worker}}
        exec(compile(f"def code_{{number}}():\\n    Worker().crunch(0.02)\\n", f"made_{{number}}.py", "exec"), scope)
        scope[f"code_{{number}}"]()

def checks():
    for i in range({CALLS}):
        zlib.crc32(b"abc", i)

generating()
threaded()
reused()
checks()
"""


def libraries():
    """[(version, path)]"""
    named = filter(None, os.environ.get("LIBPYTHONS_I386", "").split(":"))
    found = [*named, *glob.glob("/usr/lib/i386-linux-gnu/libpython3.*.so.1.0")]
    return [(re.search(r"libpython([\d.]+)\.so", path)[1], path) for path in found]


def command(library, *words):
    """Runs words in the interpreter of a library, with what is in the same folder."""
    folder = os.path.dirname(os.path.abspath(library))
    home = os.path.dirname(os.path.dirname(folder))
    return ("env", f"PYTHONHOME={home}", f"LD_LIBRARY_PATH={folder}", EMBEDDED, library, RUN, *words)


def shown(folder, version, library):
    script, data = os.path.join(folder, "app.py"), os.path.join(folder, "data")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    recording = Recording(*command(library, script), options=["-F", "2000"], keep=data)
    crunch = "Worker.crunch" if version in QUALIFIED else "crunch"
    ok(recording.run.returncode == 0, f"{version}: the program ends well: {text(recording.run.stderr)[-300:]}")
    ok(seconds_of(recording.rows, crunch) > 0.25, f"{version}: functions have their names: {seconds_of(recording.rows, crunch):.3f} s of 0.3")
    check_order(data, f"{version}: a generator", ["embedding", "generating", "numbers"], marks=EVALUATION)
    each = [seconds_of(recording.rows, f"code_{number}") for number in range(5)]
    ok(min(each) > 0.01, f"{version}: code in the place of freed code has its own name: {min(each):.3f} s of 0.02 at least")
    lines = recording.read(["--by", "line"], "samples")[1]
    loop = sum(row["total_ns"] for row in lines if row["name"] == crunch and row["line"] in (7, 8)) / 1e9
    ok(loop > 0.25, f"{version}: --by line has the lines of the loop: {loop:.3f} s of 0.3")
    none = recording.read(["--no-python"], "samples")[1]
    ok(seconds_of(none, crunch) == 0 and seconds_of(none, EVALUATION) > 0.25, f"{version}: --no-python shows the interpreter instead")


def calls(folder, version, library):
    script, data = os.path.join(folder, "app.py"), os.path.join(folder, "calls")
    made = run(DWELL, "calls", "-q", "-f", "libz*:crc32", "--by-caller", "-o", data, *command(library, script))
    rows = json.loads(run(DWELL, "report", "--by", "caller", "--format", "json", data).stdout)["calls"]
    counts = {row["caller"]: row["calls"] for row in rows if row["name"] == "crc32"}
    ok(made.returncode == 0 and counts.get("checks") == CALLS, f"{version}: calls have their callers: {counts} {text(made.stderr)[-300:]}")


def outside(folder):
    """Records a program that waits for its library: a pipe that nothing writes to."""
    pipe, said = os.path.join(folder, "pipe"), "is a 32-bit program: from outside, its samples have no callers"
    os.mkfifo(pipe)
    with subprocess.Popen([EMBEDDED, pipe, pipe], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as target:
        watched = run(DWELL, "record", "-o", os.path.join(folder, "data"), "--duration", "0.1", "-p", str(target.pid))
        target.kill()
    ok(text(watched.stderr).count(said) == 1, f"a running process: one sentence says so: {text(watched.stderr)[-300:]}")
    started = run(DWELL, "record", "--engine", "outside", "-o", os.path.join(folder, "data"), EMBEDDED, "/none")
    ok(text(started.stderr).count(said) == 1, f"and from outside: {text(started.stderr)[-300:]}")


def main():
    if os.path.exists(EMBEDDED):
        with tempfile.TemporaryDirectory() as folder:
            outside(folder)
    found = libraries() if os.path.exists(EMBEDDED) else []
    for version, library in found:
        truth = os.path.join(PROGRAMS, "python_truth.py")
        python_truth(version, START).check(command(library, truth, SHADOW), RIGHT, what=f"{version}, 32 bits: ")
        with tempfile.TemporaryDirectory() as folder:
            shown(folder, version, library)
            calls(folder, version, library)
    if not found:
        skip("Python of 32 bits", "there is no libpython3.N:i386 here, or no compiler for 32 bits")
    done()


main()
