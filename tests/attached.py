# SPDX-License-Identifier: MIT
"""attached.py - running programs for tests of dwell calls -p to attach to."""
import os
import subprocess
import time

PATIENCE_S = 30  # for dwell to begin or to end; it takes some hundredths of a second


def environment(**more):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "DWELL_"))}
    return dict(clean, **more)


def wait_for(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as children:
        return [int(child) for child in children.read().split()]


class Crew:
    """tests/prog/crew.c; before: the words of a command that executes it."""

    def __init__(self, path, *arguments, lazy=False, before=(), **more):
        self.process = subprocess.Popen([*before, path, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=environment(**({} if lazy else {"LD_BIND_NOW": "1"})), **more)
        self.process.stdout.readline()
        self.pid = self.process.pid

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()[1]

    def maps(self):
        with open(f"/proc/{self.pid}/maps") as lines:
            return lines.read()

    def has(self):
        """Its mappings, descriptors and signal actions, as far as a recording would change them."""
        with open(f"/proc/{self.pid}/status") as lines:
            signals = [line for line in lines if line.startswith(("SigCgt", "SigIgn"))]
        return self.maps().count("\n"), len(os.listdir(f"/proc/{self.pid}/fd")), signals

    def end(self):
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S)
