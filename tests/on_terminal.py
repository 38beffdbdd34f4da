# SPDX-License-Identifier: MIT
"""on_terminal.py - runs commands on a terminal of their own, for the tests of what a person sees there."""
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

from sampled import DWELL, environment

COLOR = re.compile(r"\x1b\[[0-9;]*m")
PROGRESS = re.compile(r"\r[^\r\n]*\x1b\[K")
PATIENCE_S = 30


def plainly(**changes):
    """Returns an environment in which only the changes describe the terminal."""
    env = {name: value for name, value in environment().items()
           if name not in ("NO_COLOR", "COLUMNS", "PAGER", "LESS") and not name.startswith(("LC_", "LANG"))}
    env.update({"TERM": "xterm", "LC_ALL": "C.UTF-8"})
    env.update(changes)
    return {name: value for name, value in env.items() if value is not None}


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, *command, columns=100, rows=24, **changes):
        self.seen = ""
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execve(command[0], list(command), plainly(**changes))

    def read(self, until=None):
        """Reads until these words, or the end."""
        deadline = time.monotonic() + PATIENCE_S
        while not (until and until in self.seen) and time.monotonic() < deadline:
            if not select.select([self.master], [], [], 0.2)[0]:
                continue
            try:
                block = os.read(self.master, 65536)
            except OSError:
                break
            if not block:
                break
            self.seen += block.decode(errors="replace")
        return self

    def end(self):
        """Waits for the end. seen is without the line that comes and goes where reading takes long; all has it."""
        self.read()
        _, status = os.waitpid(self.pid, 0)
        os.close(self.master)
        self.status = os.waitstatus_to_exitcode(status)
        self.all = self.seen.replace("\r\n", "\n")
        self.seen = PROGRESS.sub("", self.all)
        return self


def show(*words, **settings):
    """Returns a verb's output without a pager."""
    return Terminal(DWELL, words[0], "--no-pager", *words[1:], **settings).end().seen
