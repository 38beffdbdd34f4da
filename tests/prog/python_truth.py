# SPDX-License-Identifier: MIT
"""python_truth.py LIBRARY SECONDS - a program whose native stack says what its Python stack is.

Each function f_K is called through the native function shadow_K of LIBRARY (python_shadow.c): so a stack that has both can be
checked. From f_K on, Python calls Python without a native frame between: inline_K, then one of the leaves of that number.
"""
import ctypes
import random
import sys
import time

COUNT = 8
DEPTH = 6

shadow = ctypes.CDLL(sys.argv[1])
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
chooser = random.Random(1)
callbacks = []

SOURCE = """
def spin_K(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total

def number_K(n):
    for i in range(n):
        yield spin_K(i)

def leaf_generator_K(n):
    return sum(number_K(n))

def leaf_sorted_K(n):
    return len(sorted(range(n), key=lambda i: spin_K(5)))

def leaf_raised_K(n):
    try:
        raise_K(n)
    except ValueError:
        return spin_K(n)

def raise_K(n):
    if n:
        raise_K(n - 1)
    raise ValueError

class Made_K:
    def __init__(self, n):
        self.value = spin_K(n)

    def __eq__(self, other):
        return spin_K(3) == self.value

def leaf_made_K(n):
    return Made_K(n) in [Made_K(2), Made_K(1)]

def inline_K(depth):
    go_on(depth)
    leaf_generator_K(8)
    leaf_sorted_K(8)
    leaf_raised_K(8)
    leaf_made_K(8)

def f_K(depth):
    inline_K(depth)
    return 0
"""


def go_on(depth):
    if depth:
        number = chooser.randrange(COUNT)
        call(number, depth - 1)


def call(number, depth):
    getattr(shadow, f"shadow_{number}")(callbacks[number], depth)


def main():
    for number in range(COUNT):
        exec(compile(SOURCE.replace("_K", f"_{number}"), f"truth_{number}.py", "exec"), globals())
        callbacks.append(CALLBACK(globals()[f"f_{number}"]))
    started = time.process_time()
    while time.process_time() - started < float(sys.argv[2]):
        call(chooser.randrange(COUNT), DEPTH)


main()
