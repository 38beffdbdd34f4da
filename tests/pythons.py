# SPDX-License-Identifier: MIT
"""pythons.py - the interpreters of Python that are here, and what the stacks of tests/prog/python_truth.py are."""
import glob
import os

from sampled import run, text
from scripted import Truth

SUPPORTED = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"]
QUALIFIED = SUPPORTED[3:]  # whose functions have qualified names
RIGHT = 0.999  # of all stacks; the others are marked
EVALUATION = "_PyEval_EvalFrameDefault"

# Functions of python_truth.py, and of Python's own, without a native function of its own between.
CALLEES = {
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
# The function has returned, and its frame is freed.
ENDS = ("_Py_CheckFunctionResult", "PyErr_Occurred", "_PyEvalFrameClearAndPop", "_PyEval_FrameClearAndPop", "_PyFrame_ClearExceptCode",
        "_PyThreadState_PopFrame")


def pythons():
    """{version: path}: the system's, others that are installed beside it, and those that PYTHONS names."""
    found = {}
    others = glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3"))
    for path in ["/usr/bin/python3", *sorted(others), *filter(None, os.environ.get("PYTHONS", "").split(":"))]:
        answer = run(path, "-c", "import sys, ctypes; print('%d.%d' % sys.version_info[:2])") if os.path.exists(path) else None
        if answer and answer.returncode == 0:
            found.setdefault(text(answer.stdout).strip(), path)
    return found


def last_part(name):
    return name.rsplit(".", 1)[-1]


def python_truth(version, start):
    """Returns the truth of python_truth.py. start: its outermost functions. A stack is marked if a signal comes in a few instructions
    where a frame is pushed or popped: one of some 50,000 at most, so that RIGHT is met on any machine."""
    callees = CALLEES if version in QUALIFIED else {last_part(name): list(map(last_part, its)) for name, its in CALLEES.items()}
    return Truth(start, callees, EVALUATION, ends=ENDS)
