# SPDX-License-Identifier: MIT
"""report_speed.py - what it takes to show a recording of a million samples of python3 and the libraries that it
has loaded: time, CPU time, memory, and how long nothing is to be seen."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from statistics import median

from calls_tools import clean_environment
from contenders import Refused
from table import render, spread

SAMPLES = 1_000_000
HZ = 4_000  # which every machine holds
PYTHON = "/usr/bin/python3"

# Where the two recordings are kept, or are from an earlier run: they take some minutes each.
KEPT = "DWELL_BENCH_RECORDINGS"


@dataclass
class Shown:
    wall_ms: float
    first_ms: float  # until there was something to see
    cpu_ms: float
    memory_mb: float  # at most
    lines: int


def run(command, seconds):
    """Runs it to its end, and looks when its output begins. Raises Refused."""
    if not shutil.which(command[0]):
        raise Refused(f"there is no {command[0]} here")
    start = time.monotonic()
    with open(os.devnull, "wb") as nowhere:
        with subprocess.Popen(command, env=clean_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=nowhere) as process:
            output = os.read(process.stdout.fileno(), 65536)
            first = time.monotonic() - start
            lines = output.count(b"\n")
            while output:
                if time.monotonic() - start > seconds:
                    process.kill()
                    raise Refused(f"it was not done after {seconds} s")
                output = os.read(process.stdout.fileno(), 65536)
                lines += output.count(b"\n")
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
    if status:
        raise Refused(f"it ended with {status}")
    wall, cpu = time.monotonic() - start, usage.ru_utime + usage.ru_stime
    return Shown(wall * 1e3, first * 1e3, cpu * 1e3, usage.ru_maxrss / 1024, lines)


class ReportSpeed:
    LONGEST_S = 600

    def __init__(self, build):
        self.dwell = os.path.join(build, "dwell")
        self.load = os.path.join(os.path.dirname(os.path.abspath(__file__)), "report_load.py")
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = os.environ.get(KEPT) or self.temporary.name
        self.data, self.archive, self.perf = (os.path.join(self.folder, name)
                                              for name in ("speed.data", "speed.archive", "speed.perf"))
        self.commands = {
            "dwell report": [self.dwell, "report", self.data],
            "dwell report --tree": [self.dwell, "report", "--tree", self.data],
            "dwell report --tree --no-inline": [self.dwell, "report", "--tree", "--no-inline", self.data],
            "dwell report --tree, of an archive": [self.dwell, "report", "--tree", self.archive],
            "perf report --stdio": ["perf", "report", "--stdio", "-i", self.perf],
            "perf report --stdio --no-inline": ["perf", "report", "--stdio", "--no-inline", "-i", self.perf],
        }
        self.found = {}  # name: [Shown]
        self.reasons = {}  # name: sentence
        self.facts = []

    def _record(self):
        load = [PYTHON, "-W", "ignore", self.load, str(SAMPLES / HZ)]
        quiet = {"env": clean_environment(), "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if not os.path.exists(self.data):
            subprocess.run([self.dwell, "record", "-q", "-F", str(HZ), "-o", self.data, "--", *load], **quiet,
                           check=False)
        subprocess.run([self.dwell, "archive", "-q", "-f", "-o", self.archive, self.data], **quiet, check=False)
        if not os.path.exists(self.perf) and shutil.which("perf"):
            subprocess.run(["perf", "record", "-q", "-F", str(HZ), "-g", "-o", self.perf, "--", *load], **quiet,
                           check=False)

    def _look(self):
        """How many samples of how many objects the two have."""
        info = json.loads(subprocess.run([self.dwell, "info", "--format", "json", self.data], capture_output=True,
                                         check=True).stdout)
        hit = [one for one in info["objects"] if one["symbols"]]
        self.facts.append(f"dwell has {info['meta']['samples']:,} samples in {info['meta']['stacks']:,} stacks and "
                          f"{len(hit)} files, and {os.path.getsize(self.data) >> 20} MB;")
        if os.path.exists(self.perf):
            told = subprocess.run(["perf", "report", "--stdio", "--stats", "-i", self.perf], capture_output=True,
                                  check=False, text=True).stdout
            samples = re.search(r"SAMPLE events:\s+(\d+)", told)
            self.facts.append(f"perf has {int(samples[1]) if samples else 0:,} samples, and "
                              f"{os.path.getsize(self.perf) >> 20} MB.")

    def one_round(self):
        if not self.found and not self.reasons:
            self._record()
        for name, command in self.commands.items():
            if name in self.reasons:
                continue
            try:
                self.found.setdefault(name, []).append(run(command, self.LONGEST_S))
            except (Refused, OSError) as error:
                self.reasons[name] = str(error)

    def finish(self):
        try:
            self._look()
        except (OSError, ValueError, KeyError, subprocess.CalledProcessError) as error:
            self.facts.append(f"what was recorded is not known: {error}")
        self.temporary.cleanup()

    def _row(self, name):
        if name in self.reasons:
            return [name, self.reasons[name]]
        shown = self.found[name]
        return [
            name,
            spread([one.wall_ms / 1e3 for one in shown], 2),
            spread([one.first_ms / 1e3 for one in shown], 2),
            spread([one.cpu_ms / 1e3 for one in shown], 2),
            f"{median(one.memory_mb for one in shown):.0f}",
            f"{median(one.lines for one in shown):,.0f}",
        ]

    def print_tables(self):
        print("Showing a million samples of python3 and its libraries;")
        print("\n".join(self.facts) + "\n")
        header = ["", "s", "s to the first line", "s of CPU", "MB", "lines"]
        print(render(header, [self._row(name) for name in self.commands]))


if __name__ == "__main__":
    sys.exit("report_speed.py is a part of bench/run")
