#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""python_kinds.py DWELL PROGRAMS - Python code of all kinds in stacks: generators, coroutines, code that is made at run time, frozen
modules, sub-interpreters, greenlets, extensions in C by Cython, an interpreter that is embedded in another program; numpy."""
import ctypes.util
import json
import os
import shutil
import sys
import sysconfig
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import PATIENCE  # noqa: E402
from pythons import SUPPORTED, pythons  # noqa: E402
from sampled import DWELL, environment, program, run, text  # noqa: E402
from scripted import check_order  # noqa: E402
from tap import done, ok, skip  # noqa: E402

SYSTEM = "/usr/bin/python3"
START = "__libc_start_main"
EVALUATION = "_PyEval_EvalFrameDefault"
# An emulator's clocks tick more seldom.
SPIN = f"""
import time
def spin_in(where):
    started = time.thread_time()
    while time.thread_time() - started < {0.05 * PATIENCE}:
        where()
"""
LEAF = "def {0}():\n    sum(range(2000))\n"

KINDS = SPIN + """
import asyncio, threading

def generator():
    for _ in numbers():
        pass

def numbers():
    for _ in range(2):
        yield spin_in(in_generator)

def coroutine():
    asyncio.run(outer())

async def outer():
    await asyncio.gather(inner())

async def inner():
    await asyncio.sleep(0)
    spin_in(in_coroutine)

def made():
    exec("def of_exec(): spin_in(in_exec)\\nof_exec()")

def sub():
    run_in(CODE)

def sub_thread():
    thread = threading.Thread(target=run_in, args=(CODE.replace("in_sub", "in_thread"),))
    thread.start()
    thread.join()

def run_in(code):
    try:
        import _interpreters as interpreters
        interpreters.exec(interpreters.create(), code)
    except ImportError:
        import _xxsubinterpreters as interpreters
        interpreters.run_string(interpreters.create(), code)

def main():
    generator()
    coroutine()
    made()
    sub()
    sub_thread()
"""

# The functions of each kind; between some, those of Python itself are left out.
ORDERS = {
    "a generator": ["_run_module_as_main", "main", "generator", "numbers", "spin_in", "in_generator"],
    "a coroutine": ["main", "coroutine", "inner", "spin_in", "in_coroutine"],
    "code of exec()": ["main", "made", "of_exec", "spin_in", "in_exec"],
    "a sub-interpreter": ["main", "sub", "run_in", "spin_in", "in_sub"],
    "one in a thread": ["_bootstrap_inner", "run", "run_in", "spin_in", "in_thread"],
}

GREENLETS = SPIN + LEAF.format("in_greenlet") + """
import greenlet

def first():
    for _ in range(20):
        turn()
        second_greenlet.switch()

def second():
    for _ in range(20):
        turn()
        first_greenlet.switch()

def turn():
    for _ in range(50):
        in_greenlet()

def main():
    first_greenlet.switch()

first_greenlet, second_greenlet = greenlet.greenlet(first), greenlet.greenlet(second)
main()
"""

CYTHON = "def compiled(called, where):\n    called(where)\n"


def record(folder, *command, **options):
    data = os.path.join(folder, "data")
    made = run(DWELL, "record", "-q", "-F", "2000", "-o", data, *command, **options)
    ok(made.returncode == 0, f"{os.path.basename(command[0])} ends well: {text(made.stderr)[-300:]}")
    return data


def write(folder, name, contents):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(contents)
    return os.path.join(folder, name)


def kinds(folder, version, path):
    """Run as a module: then a frozen one runs it."""
    leaves = "".join(LEAF.format(names[-1]) for names in ORDERS.values())
    in_sub = SPIN + LEAF.format("in_sub") + "spin_in(in_sub)\n"
    write(folder, "kinds.py", f"CODE = {in_sub!r}\n" + KINDS + leaves + "main()\n")
    data = record(folder, path, "-m", "kinds", cwd=folder)
    for what, names in ORDERS.items():
        if "_bootstrap_inner" in names and tuple(map(int, version.split("."))) >= (3, 11):
            names = ["Thread._bootstrap_inner", "Thread.run", *names[2:]]
        check_order(data, f"{version}: {what}", names, least=30, marks=EVALUATION, may_be_cut=True)


def greenlets(folder):
    if run(SYSTEM, "-c", "import greenlet").returncode:
        skip("greenlets", "python3-greenlet is not installed")
        return
    data = record(folder, SYSTEM, write(folder, "greenlets.py", GREENLETS))
    stacks = [line.rpartition(" ")[0].split(";") for line in text(run(DWELL, "export", "-f", "folded", data).stdout).splitlines()]
    stacks = [stack for stack in stacks if START in stack and "in_greenlet" in stack]
    own = {tuple(name for name in stack if name in ("main", "first", "second", "turn")) for stack in stacks}
    # The native stack of the second begins inside of the first, which started it. In Python 3.13, frames of a greenlet do not lead to
    # those of the one that started it, whose native frames remain.
    apart = run(SYSTEM, "-c", "import sys; sys.exit(sys.version_info < (3, 13))").returncode == 0
    due = {("first", "turn"), ("second", "turn")} if apart else {("main", "first", "turn"), ("main", "first", "second", "turn")}
    ok(own == due and apart == any(EVALUATION in stack for stack in stacks), f"greenlets: each has its own functions: {own}")


def cython(folder):
    include = sysconfig.get_path("include", vars={"base": "/usr", "installed_base": "/usr"})
    if not shutil.which("cython3") or not os.path.exists(f"{include}/Python.h"):
        skip("an extension by Cython", "cython3 or libpython3-dev is not installed")
        return
    write(folder, "compiled.pyx", CYTHON)
    built = run("cython3", "-3", "compiled.pyx", cwd=folder)
    built = run("cc", "-O0", "-w", "-shared", "-fPIC", "-I", include, "-o", "compiled.so", "compiled.c", cwd=folder) if not built.returncode else built
    ok(built.returncode == 0, f"Cython builds an extension: {text(built.stderr)[-300:]}")
    script = write(folder, "calls.py", SPIN + LEAF.format("in_python") + "import compiled\ncompiled.compiled(spin_in, in_python)\n")
    data = record(folder, SYSTEM, script)
    native = next((name for line in text(run(DWELL, "export", "-f", "folded", data).stdout).splitlines()
                   for name in line.split(";") if name.startswith("__pyx_pf")), "no native function of Cython")
    check_order(data, "an extension by Cython", ["<module>", native, "spin_in", "in_python"], may_be_cut=True)


def embedded(folder):
    library = ctypes.util.find_library("python3.11")
    if not library:
        skip("an embedded interpreter", "libpython3.11 is not installed")
        return
    code = SPIN + LEAF.format("in_embedded") + "spin_in(in_embedded)\n"
    data = record(folder, program("python_embedded"), library, code)
    check_order(data, "an embedded interpreter", ["embedding", "<module>", "spin_in", "in_embedded"])


def numpy(folder):
    """Python calls C, which calls the BLAS: in one stack, and with its calls counted in the same run."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "matrix.py")
    if run(SYSTEM, "-c", "import numpy").returncode:
        skip("a program with numpy", "python3-numpy is not installed")
        return
    data = record(folder, "--calls", "*:cblas_dgemm", SYSTEM, script, env=environment(OPENBLAS_NUM_THREADS="1"))
    check_order(data, "numpy", ["main", "multiply", "cblas_dgemm"], least=20, may_be_cut=True)
    calls = json.loads(run(DWELL, "report", "--format", "json", data).stdout)["calls"]
    ok(sum(row["calls"] for row in calls if row["name"] == "cblas_dgemm") == 40, f"and all 40 calls of the BLAS: {calls}")


def main():
    found = pythons()
    for version, path in found.items():
        if version in SUPPORTED:
            with tempfile.TemporaryDirectory() as folder:
                kinds(folder, version, path)
    with tempfile.TemporaryDirectory() as folder:
        greenlets(folder)
        cython(folder)
        embedded(folder)
        numpy(folder)
    done()


main()
