# SPDX-License-Identifier: MIT
"""memory.py - how much memory a tool takes, and how much more the program under it."""
import os
import threading
import time

POLL_S = 0.02  # the kernel keeps the highest mark, so only what comes in the last moments of a process is missed


def _read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _high_mark_kb(pid):
    for line in _read(f"/proc/{pid}/status").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0


def _executable(pid):
    try:
        return os.path.realpath(f"/proc/{pid}/exe")
    except OSError:
        return ""


def _family(pid):
    """The process and all below it."""
    found, threads = [pid], f"/proc/{pid}/task"
    try:
        names = os.listdir(threads)
    except OSError:
        return found
    for thread in names:
        for child in _read(f"{threads}/{thread}/children").split():
            found += _family(int(child))
    return found


class Watch:
    """The highest marks of the processes of a run, and what they execute, which may be something else than at first."""

    def __init__(self):
        self.marks = {}  # pid: (executable, kB)
        self.over = threading.Event()
        self.thread = None

    def begin(self, pid):
        self.thread = threading.Thread(target=self._look, args=(pid,))
        self.thread.start()

    def _look(self, pid):
        while not self.over.is_set():
            for one in _family(pid):
                self._note(one, _executable(one), _high_mark_kb(one))
            time.sleep(POLL_S)

    def _note(self, pid, executable, kb):
        before, mark = self.marks.get(pid, ("", 0))
        if kb:
            self.marks[pid] = (executable, max(mark, kb) if before == executable else kb)

    def end(self):
        self.over.set()
        if self.thread:
            self.thread.join()

    def tool_mb(self, tool):
        """Returns the memory of all processes that execute the tool."""
        return sum(kb for what, kb in self.marks.values() if what == tool) / 1024

    def program_mb(self, tool):
        """Returns the memory of the largest process that does not."""
        return max((kb for what, kb in self.marks.values() if what != tool), default=0) / 1024
