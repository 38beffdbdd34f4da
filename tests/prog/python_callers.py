# SPDX-License-Identifier: MIT
"""python_callers.py [waits] - calls functions of libraries from known functions, known times, and prints "made FUNCTION CALLER CALLS".
waits: it waits for a line before, and for the end of its input after that."""
import ctypes
import os
import sqlite3
import sys
import threading
import zlib

try:
    import numpy
except ImportError:
    numpy = None

LARGE = bytes(100000)  # zlib releases the interpreter's lock for it
made = {}
lock = threading.Lock()


def note(function, caller, calls=1):
    with lock:
        made[function, caller] = made.get((function, caller), 0) + calls


def looped(calls):
    for _ in range(calls):
        zlib.crc32(b"looped")
    note("crc32", "looped", calls)


def large(calls):
    for _ in range(calls):
        zlib.crc32(LARGE)
    note("crc32", "large", calls)


class Worker:
    def checksum(self, calls):
        for _ in range(calls):
            zlib.crc32(b"method")
        note("crc32", "Worker.checksum", calls)

    def __lt__(self, other):
        zlib.crc32(b"slot")
        note("crc32", "Worker.__lt__")
        return False


def generated(calls):
    for _ in range(calls):
        yield zlib.crc32(b"generated")


def consume(calls):
    for _ in generated(calls):
        zlib.crc32(b"consumed")
    note("crc32", "generated", calls)
    note("crc32", "consume", calls)


def recursive(depth):
    zlib.crc32(b"recursive")
    note("crc32", "recursive")
    if depth:
        recursive(depth - 1)


def compare(left, right):
    zlib.crc32(b"compare")
    note("crc32", "compare")
    return left[0] - right[0]


def called_back():
    """libc calls back into Python, and a function is called before, in and after it."""
    numbers = (ctypes.c_int * 10)(*range(10, 0, -1))
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
    zlib.crc32(b"before")
    ctypes.CDLL(None).qsort(numbers, 10, 4, kind(compare))
    zlib.crc32(b"after")
    note("crc32", "called_back", 2)


def foreign(calls):
    function = ctypes.CDLL("libz.so.1").adler32
    for _ in range(calls):
        function(1, b"foreign", 7)
    note("adler32", "foreign", calls)


def parents(calls):
    for _ in range(calls):
        os.getppid()
    note("getppid", "parents", calls)


def selected(calls):
    connection = sqlite3.connect(":memory:")
    for number in range(calls):
        connection.execute(f"select {number}")
    note("sqlite3_prepare", "selected", calls)


def product(calls):
    matrix, other = numpy.ones((20, 30)), numpy.ones((30, 40))
    for _ in range(calls):
        matrix @ other
    note("cblas_dgemm", "product", calls)


def only_child(calls):
    for _ in range(calls):
        zlib.crc32(b"child")


def forked():
    pid = os.fork()
    if pid == 0:
        only_child(60)
        os._exit(0)
    os.waitpid(pid, 0)
    note("crc32", "only_child", 60)


def made_at_run_time():
    for number in range(20):
        scope = {"zlib": zlib}
        exec(f"def code_{number}():\n    zlib.crc32(b'')\n", scope)
        scope[f"code_{number}"]()
        note("crc32", f"code_{number}")


def threaded():
    threads = [threading.Thread(target=target, args=(calls,)) for target, calls in ((looped, 1000), (large, 200), (Worker().checksum, 333)) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    threaded()
    looped(7)
    sorted([Worker(), Worker(), Worker()])
    consume(50)
    recursive(40)
    called_back()
    foreign(400)
    parents(250)
    selected(30)
    if numpy:
        product(25)
    made_at_run_time()
    forked()
    zlib.crc32(b"module")
    note("crc32", "main")


if "waits" in sys.argv:
    print("ready", flush=True)
    sys.stdin.readline()
main()
for (function, caller), calls in made.items():
    print("made", function, caller, calls)
print("done", flush=True)
if "waits" in sys.argv:
    sys.stdin.readline()
