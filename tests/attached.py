# SPDX-License-Identifier: MIT
"""attached.py - running programs for tests of dwell calls -p to attach to."""
import os
import subprocess
import time
import zlib

from surroundings import cleared

# For dwell to begin or to end; it takes some hundredths of a second. A machine that is emulated as a whole is slower.
PATIENCE_S = 30 * int(os.environ.get("TESTS_SLOWER", "1"))


def environment(**more):
    return cleared() | more


def wait_for(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as children:
        return [int(child) for child in children.read().split()]


def read_text(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def code_of(pid):
    """A checksum of all code of the process's files."""
    result = 0
    with open(f"/proc/{pid}/mem", "rb") as memory:
        for line in read_text(f"/proc/{pid}/maps").splitlines():
            place, rights, *_, path = line.split()
            if "x" in rights and path.startswith("/") and "dwell" not in path:
                start, end = (int(part, 16) for part in place.split("-"))
                memory.seek(start)
                result = zlib.crc32(memory.read(end - start), result)
    return result


def is_attached(pid, via, before):
    """Calls are counted: the recording is mapped, code has changed, and dwell has let go of all threads."""
    return "memfd:dwell" in read_text(f"/proc/{pid}/maps") and all(
        "TracerPid:\t0" in read_text(f"/proc/{pid}/task/{tid}/status") for tid in os.listdir(f"/proc/{pid}/task")) and (
        via == "got" or code_of(pid) != before)


class Crew:
    """tests/prog/crew.c, or another program that prints a line for each; before: the words of a command that executes it."""

    def __init__(self, path, *arguments, lazy=False, before=(), **more):
        self.process = subprocess.Popen([*before, path, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=environment(**({} if lazy else {"LD_BIND_NOW": "1"})), **more)
        self.process.stdout.readline()
        self.pid = self.process.pid

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def receive(self):
        return self.process.stdout.readline().split()[1]

    def ask(self, line):
        self.send(line)
        return self.receive()

    def maps(self):
        return read_text(f"/proc/{self.pid}/maps")

    def has(self):
        """Its mappings, descriptors and signal actions, as far as a recording would change them."""
        with open(f"/proc/{self.pid}/status") as lines:
            signals = [line for line in lines if line.startswith(("SigCgt", "SigIgn"))]
        return self.maps().count("\n"), len(os.listdir(f"/proc/{self.pid}/fd")), signals

    def end(self):
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S)
