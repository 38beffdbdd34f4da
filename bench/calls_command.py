# SPDX-License-Identifier: MIT
"""calls_command.py - runs a command and says how long it took."""
import os
import shutil
import tempfile
import time
from dataclasses import dataclass

from calls_tools import clean_environment
from contenders import Refused


# Debian's where it is there: what is first in PATH may be a script that starts it.
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"


@dataclass
class Took:
    wall_ms: float
    cpu_ms: float  # with its children
    output: str


def run_command(command):
    """Took; raises Refused. A word NOW becomes the time at which it is started."""
    program = shutil.which(command[0])
    if not program:
        raise Refused(f"there is no {command[0]} here")
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        files = [(os.POSIX_SPAWN_DUP2, output.fileno(), 1)]
        start_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        words = [str(start_ns) if word == "NOW" else word for word in command]
        pid = os.posix_spawn(program, words, clean_environment(), file_actions=files)
        _, status, usage = os.wait4(pid, 0)
        end_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        if status:
            raise Refused(f"{command[0]} ended with {os.waitstatus_to_exitcode(status)}")
        output.seek(0)
        return Took(
            (end_ns - start_ns) / 1e6, (usage.ru_utime + usage.ru_stime) * 1e3, output.read()
        )
