# SPDX-License-Identifier: MIT
"""python_load.py fib|calls|mixed NUMBER - a load for python_beside.py; prints what it has taken, in nanoseconds of CPU time."""
import json
import re
import sys
import time
import zlib


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def calls(n):
    for _ in range(n):
        zlib.crc32(b"abc")


class Words:
    def __init__(self, text):
        self.words = re.findall(r"\w+", text)

    def __lt__(self, other):
        return len(self.words) < len(other.words)

    def packed(self):
        return json.loads(json.dumps(self.words))


def lines(n):
    for number in range(n):
        yield Words("so many words " * (number % 20))


def mixed(n):
    for _ in range(n):
        sorted(lines(30), key=lambda one: one)
        for one in lines(10):
            one.packed()
        fib(12)


started = time.process_time_ns()
globals()[sys.argv[1]](int(sys.argv[2]))
print(time.process_time_ns() - started)
