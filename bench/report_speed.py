# SPDX-License-Identifier: MIT
"""report_speed.py - how long it is until there is something to see: from a command to its profile, and from a large
recording to its first line; with CPU time and memory."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from statistics import median

from figures import show
from plot import Plot
from programs import SHORT, python3
from running import Notes, PYTHON, Refused, clean_environment, run
from table import render, spread
from verdict import verdict, verdicts

HZ = 10_000
SIZES = [10_000, 100_000, 300_000]  # samples

# Reasons that are printed if dwell is not best; see verdict.py.
WHY_FIRST = "Most of dwell's time is reading debug information for inlined functions, which the other tool does not name here."


@dataclass
class Shown:
    wall_ms: float
    first_ms: float  # until there was something to see
    cpu_ms: float
    memory_mb: float  # at most
    lines: int


def show_report(command, seconds):
    """Runs it to its end, and looks when its output begins. Raises Refused."""
    if not shutil.which(command[0]):
        raise Refused(f"there is no {command[0]} here")
    start = time.monotonic()
    with subprocess.Popen(command, env=clean_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
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
    if status or not lines:
        raise Refused(f"it ended with {os.waitstatus_to_exitcode(status)}, and {lines} lines")
    wall, cpu = time.monotonic() - start, usage.ru_utime + usage.ru_stime
    return Shown(wall * 1e3, first * 1e3, cpu * 1e3, usage.ru_maxrss / 1024, lines)


class FirstReport:
    """From a command to its first profile: a short program is recorded, and its report made."""

    def __init__(self, build):
        dwell = os.path.join(build, "dwell")
        gperftools = {"LD_PRELOAD": "libprofiler.so.0", "CPUPROFILE": "FOLDER/data", "CPUPROFILE_FREQUENCY": "999"}
        callgrind = ["valgrind", "--tool=callgrind", "-q", "--callgrind-out-file=FOLDER/data"]
        perf = ["perf", "record", "-q", "-g", "-F", "999", "-o", "FOLDER/data", "--"]
        uftrace = ["uftrace", "record", "--force", "--no-event", "-l", "-d", "FOLDER/data"]
        self.program = python3(None, SHORT)
        self.ways = {  # name: command before the program's, variables, command of the report
            "dwell record, dwell report": ([dwell, "record", "-q", "-F", "999", "-o", "FOLDER/data", "--"], {},
                                           [dwell, "report", "FOLDER/data"]),
            "perf record -g, perf report": (perf, {}, ["perf", "report", "--stdio", "-i", "FOLDER/data"]),
            "gperftools, google-pprof": ([], gperftools, ["google-pprof", "--text", PYTHON, "FOLDER/data"]),
            "dwell calls -f '*', dwell report": ([dwell, "calls", "-q", "-f", "*", "-o", "FOLDER/data", "--"], {},
                                                 [dwell, "report", "FOLDER/data"]),
            "uftrace record -l, uftrace report": (uftrace, {}, ["uftrace", "report", "--no-pager", "-d", "FOLDER/data"]),
            "callgrind, callgrind_annotate": (callgrind, {}, ["callgrind_annotate", "FOLDER/data"]),
        }
        self.notes = Notes()  # by name: [ms of the run, ms until the report's first line]

    def _plain(self):
        return [run(self.program).wall_ms, 0]

    def _way(self, before, variables, report):
        with tempfile.TemporaryDirectory() as folder:
            environment = clean_environment()
            environment.update((name, value.replace("FOLDER", folder)) for name, value in variables.items())
            done = run([word.replace("FOLDER", folder) for word in before] + self.program, environment)
            return [done.wall_ms, show_report([word.replace("FOLDER", folder) for word in report], 60).first_ms]

    def one_round(self):
        self.notes.take("plain", self._plain)
        for name, way in self.ways.items():
            self.notes.take(name, self._way, *way)

    def finish(self):
        pass

    def _row(self, name):
        found = self.notes.of(name)
        if not found:
            return [name, self.notes.reason(name)]
        return [name, *(spread([one[i] for one in found], 0) for i in (0, 1)), spread(self._sums(name), 0)]

    def _sums(self, name):
        return [sum(one) for one in self.notes.of(name)]

    def print_tables(self):
        print("Time from a command to the first line of its report: python3 with little to do.\n")
        print(render(["time (ms)", "run", "report", "total"], [self._row(name) for name in ["plain", *self.ways]]))
        names = list(self.ways)
        print(verdicts(*(verdict(f"time to the first report, {what}", {name: self._sums(name) for name in some}, "ms", WHY_FIRST)
                         for what, some in (("samples", names[:3]), ("calls", names[3:])))))


class ReportSpeed:
    """From recordings of growing size to their reports."""

    LONGEST_S = 120

    def __init__(self, build):
        self.dwell = os.path.join(build, "dwell")
        self.load = os.path.join(os.path.dirname(os.path.abspath(__file__)), "report_load.py")
        self.folder = tempfile.TemporaryDirectory()
        self.notes = Notes()  # by (name, samples): Shown

    def _path(self, kind, samples):
        return os.path.join(self.folder.name, f"{kind}-{samples}")

    def _commands(self, samples):
        data, perf = self._path("data", samples), self._path("perf", samples)
        return {
            "dwell report": [self.dwell, "report", data],
            "dwell report --tree": [self.dwell, "report", "--tree", data],
            "dwell report --tree --no-inline": [self.dwell, "report", "--tree", "--no-inline", data],
            "dwell report --tree, from an archive": [self.dwell, "report", "--tree", self._path("archive", samples)],
            "perf report --stdio": ["perf", "report", "--stdio", "-i", perf],
            "perf report --stdio --no-inline": ["perf", "report", "--stdio", "--no-inline", "-i", perf],
        }

    def _record(self, samples):
        load = [PYTHON, "-W", "ignore", self.load, str(samples / HZ)]
        quiet = {"env": clean_environment(), "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
        data, perf = self._path("data", samples), self._path("perf", samples)
        subprocess.run([self.dwell, "record", "-q", "-F", str(HZ), "-o", data, "--", *load], **quiet)
        subprocess.run([self.dwell, "archive", "-q", "-f", "-o", self._path("archive", samples), data], **quiet)
        if shutil.which("perf"):
            subprocess.run(["perf", "record", "-q", "-F", str(HZ), "-g", "-o", perf, "--", *load], **quiet)

    def one_round(self):
        for samples in SIZES:
            if not os.path.exists(self._path("data", samples)):
                self._record(samples)
            for name, command in self._commands(samples).items():
                self.notes.take((name, samples), show_report, command, self.LONGEST_S)

    def _look(self):
        """How many samples of how many objects the two largest have."""
        data, perf = self._path("data", SIZES[-1]), self._path("perf", SIZES[-1])
        info = json.loads(subprocess.run([self.dwell, "info", "--format", "json", data], capture_output=True,
                                         check=True).stdout)
        hit = [one for one in info["objects"] if one["symbols"]]
        facts = [f"dwell: {info['meta']['samples']:,} samples in {info['meta']['stacks']:,} stacks and "
                 f"{len(hit)} files, {os.path.getsize(data) / 1e6:.1f} MB;"]
        if os.path.exists(perf):
            stats = subprocess.run(["perf", "report", "--stdio", "--stats", "-i", perf], capture_output=True,
                                  check=False, text=True).stdout
            samples = re.search(r"SAMPLE events:\s+(\d+)", stats)
            facts.append(f"perf: {int(samples[1]) if samples else 0:,} samples, {os.path.getsize(perf) / 1e6:.1f} MB.")
        return "\n".join(facts)

    def finish(self):
        self.notes.take("facts", self._look)
        self.folder.cleanup()

    def _row(self, name, samples):
        shown = self.notes.of((name, samples))
        if not shown:
            return [name, self.notes.reason((name, samples))]
        return [
            name,
            spread([one.wall_ms / 1e3 for one in shown], 2),
            spread([one.first_ms / 1e3 for one in shown], 2),
            spread([one.cpu_ms / 1e3 for one in shown], 2),
            f"{median(one.memory_mb for one in shown):.0f}",
            f"{median(one.lines for one in shown):,.0f}",
        ]

    def _verdicts(self):
        lines = []
        for field, what, unit in (("first_ms", "time to the first line of a report", "ms"),
                                  ("cpu_ms", "CPU time of a report", "ms"), ("memory_mb", "memory of a report", "MB")):
            rivals = {name: [getattr(one, field) for one in self.notes.of((name, SIZES[-1]))]
                      for name in ("dwell report", "dwell report --tree", "perf report --stdio",
                                   "perf report --stdio --no-inline")}
            lines.append(verdict(f"{what}, {SIZES[-1]:,} samples", rivals, unit, WHY_FIRST))
        return verdicts(*lines)

    def print_tables(self):
        names = list(self._commands(0))
        print(f"Reports of {SIZES[-1]:,} samples of python3 and its libraries.")
        print("".join(self.notes.of("facts") or [self.notes.reason("facts")]) + "\n")
        header = ["command", "time (s)", "first line (s)", "CPU time (s)", "memory (MB)", "lines"]
        print(render(header, [self._row(name, SIZES[-1]) for name in names]))
        print(self._verdicts())
        plot = Plot("Time to the first line of a report", "recorded samples", "time (ms)")
        for name in names:
            for samples in SIZES:
                found = self.notes.of((name, samples))
                if found:
                    plot.add(name, samples, median(one.first_ms for one in found))
        print("\n" + show("report", plot))
