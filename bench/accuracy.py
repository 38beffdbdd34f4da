# SPDX-License-Identifier: MIT
"""accuracy.py - how near a profile is to the truth, of programs of which that is known."""
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from math import pi, sqrt
from statistics import median

from calls_tools import json_report
from record_tools import gperftools_stacks
from running import Notes, Refused, Tool, clean_environment, run
from table import render, spread
from verdict import verdict, verdicts

HZ = 999
SHARES = {"share_40": 40, "share_20": 20, "share_15": 15, "share_10": 10,
          "share_5": 5, "share_5b": 5, "share_3": 3, "share_2": 2}
THREADS = {"thread_2": 2, "thread_1": 1}
FUNCTIONS_S, THREADS_S = 3, 3  # of CPU time

# Reasons that are printed if dwell is not best; see verdict.py.
WHY_DISTANCE = "Only the noise of sampling is left, which differs from run to run."


@dataclass
class Profile:
    """The result of a profiler."""

    functions: dict = field(default_factory=dict)  # name: samples, or seconds
    samples: int = 0
    seconds: float = 0  # that it says were used


def distance(functions, truth):
    """The total variation distance: which part of the profile would have to be moved. Only of functions that are known."""
    seen = sum(functions.get(name, 0) for name in truth)
    if not seen:
        raise Refused("it has seen none of the functions")
    return sum(abs(functions.get(name, 0) / seen - share / sum(truth.values())) for name, share in truth.items()) / 2


def expected_distance(samples):
    """Returns the distance of a perfect profiler: half the sum of the counts' mean deviations, by the normal distribution."""
    total = sum(SHARES.values())
    deviation = sum(sqrt(share / total * (1 - share / total)) for share in SHARES.values())
    return deviation / 2 * sqrt(2 / pi / max(samples, 1))


def thread_ratio(functions):
    if not functions.get("thread_1"):
        raise Refused("it has not seen the second thread")
    return functions.get("thread_2", 0) / functions["thread_1"]


def output_of(*command):
    said = subprocess.run(command, capture_output=True, text=True, check=False, env=clean_environment())
    if said.returncode:
        raise Refused(said.stderr.strip().splitlines()[-1] if said.stderr.strip() else f"{command[0]} ended with {said.returncode}")
    return said.stdout


class Dwell(Tool):
    def profile(self, folder, program):
        report = json_report(self.command[0], os.path.join(folder, "data"))
        rows = {row["name"]: row["self_ns"] / 1e9 for row in report["samples"]}
        return Profile(rows, report["meta"]["samples"], sum(rows.values()))


class Perf(Tool):
    def profile(self, folder, program):
        text = output_of("perf", "script", "-i", os.path.join(folder, "data"), "-F", "period,ip,sym")
        profile = Profile()
        for period, name in re.findall(r"^\s*(\d+)\s+[0-9a-f]+\s+(\S+)", text, re.M):
            profile.functions[name] = profile.functions.get(name, 0) + 1
            profile.samples += 1
            profile.seconds += int(period) / 1e9
        return profile


def symbols(program):
    """[(first address, address behind, name)] of functions."""
    found = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [tT] (\S+)$", output_of("nm", "-S", program), re.M)
    return [(int(at, 16), int(at, 16) + int(size, 16), name) for at, size, name in found]


class Gperftools(Tool):
    def profile(self, folder, program):
        """Addresses are those of the process; the list of mappings follows the last one."""
        path = os.path.join(folder, "data")
        if not os.path.exists(path):
            raise Refused("libprofiler.so.0 is not here")
        with open(path, "rb") as file:
            maps = file.read().decode("utf-8", "replace")
        where = re.search(rf"([0-9a-f]+)-[0-9a-f]+ r-xp ([0-9a-f]+) \S+ \d+\s+{re.escape(program)}", maps)
        if not where:
            raise Refused("its file does not say where the program was")
        base, names = int(where[1], 16) - int(where[2], 16), symbols(program)
        profile = Profile()
        for count, stack in gperftools_stacks(path):
            name = next((name for begin, end, name in names if begin <= stack[0] - base < end), "?")
            profile.functions[name] = profile.functions.get(name, 0) + count
            profile.samples += count
        profile.seconds = profile.samples / HZ
        return profile


class Gprof(Tool):
    """A runtime of programs that were built with -pg."""

    def profile(self, folder, program):
        text = output_of("gprof", "-b", "-p", program, os.path.join(folder, "gmon.out"))
        each = re.search(r"Each sample counts as ([\d.e-]+) seconds", text)
        rows = re.findall(r"^\s*[\d.]+\s+[\d.]+\s+([\d.]+)\s.*?(\S+)\s*$", text, re.M)
        if not each or not rows:
            raise Refused("gprof has nothing to say")
        functions = {name: float(seconds) for seconds, name in rows}
        seconds = sum(functions.values())
        return Profile(functions, round(seconds / float(each[1])), seconds)


def tools(build):
    """[(tool, its program)]"""
    dwell = os.path.join(build, "dwell")
    record = (dwell, "record", "-q", "-F", str(HZ), "-o", "FOLDER/data")
    perf = ("perf", "record", "-q", "-F", str(HZ), "-o", "FOLDER/data", "--")
    preload = {"LD_PRELOAD": "libprofiler.so.0", "CPUPROFILE": "FOLDER/data", "CPUPROFILE_FREQUENCY": str(HZ)}
    gmon = {"GMON_OUT_PREFIX": "FOLDER/gmon"}
    library = {"LD_PRELOAD": os.path.join(build, "src/runtime/gmon/libprofil-gmon.so.0")}
    shares, shares_pg = (os.path.join(build, "bench", name) for name in ("shares", "shares_pg"))
    return [
        (Dwell("dwell record", (*record, "--")), shares),
        (Dwell("dwell record --clock timer", (*record, "--clock", "timer", "--")), shares),
        (Perf("perf record", perf), shares),
        (Gperftools("gperftools", (), preload), shares),
        (Gprof("glibc's gprof runtime, profil() at 100 Hz", (), gmon), shares_pg),
        (Gprof("libprofil-gmon at 100 Hz", (), gmon | library), shares_pg),
    ]


class Accuracy:
    def __init__(self, build):
        self.tools = tools(build)
        self.notes = Notes()  # by (tool's name, load): Profile

    @staticmethod
    def _measure(tool, program, load, seconds):
        with tempfile.TemporaryDirectory() as folder:
            words = [word.replace("FOLDER", folder) for word in tool.command]
            environment = clean_environment()
            environment.update((name, value.replace("FOLDER", folder)) for name, value in tool.environment.items())
            run([*words, program, load, str(seconds)], environment)
            for name in os.listdir(folder):
                # The number of the process is behind its name; libraries that were hit have files of their own.
                if re.fullmatch(r"gmon\.\d+", name):
                    os.rename(os.path.join(folder, name), os.path.join(folder, "gmon.out"))
            profile = tool.profile(folder, program)
        # Raises Refused where it has not seen what is asked for next.
        distance(profile.functions, SHARES if load == "functions" else THREADS)
        return profile

    def one_round(self):
        for load, seconds in (("functions", FUNCTIONS_S), ("threads", THREADS_S)):
            for tool, program in self.tools:
                self.notes.take((tool.name, load), self._measure, tool, program, load, seconds)

    def finish(self):
        pass

    def _distances(self, tool, load="functions", truth=None):
        return [distance(profile.functions, truth or SHARES) for profile in self.notes.of((tool.name, load))]

    def _ratios(self, tool):
        return [thread_ratio(profile.functions) for profile in self.notes.of((tool.name, "threads"))]

    def _functions_row(self, tool):
        profiles = self.notes.of((tool.name, "functions"))
        if not profiles:
            return [tool.name, self.notes.reason((tool.name, "functions"))]
        noise = [expected_distance(profile.samples) for profile in profiles]
        return [
            tool.name,
            f"{median(profile.samples for profile in profiles):,.0f}",
            spread(self._distances(tool), 4),
            f"{median(noise):.4f}",
            spread([100 * profile.seconds / FUNCTIONS_S for profile in profiles], 0),
        ]

    def _threads_row(self, tool):
        if not self.notes.of((tool.name, "threads")):
            return [tool.name, self.notes.reason((tool.name, "threads"))]
        return [tool.name, spread(self._ratios(tool), 2), spread(self._distances(tool, "threads", THREADS), 4)]

    def print_tables(self):
        print(f"Eight functions with {'/'.join(map(str, SHARES.values()))} % of {FUNCTIONS_S} s of CPU time. The distance is the part of")
        print("the profile that would have to be moved; expected noise is that of a perfect profiler with as many samples:\n")
        header = ["profiler", "samples", "distance", "expected noise", "CPU time accounted for (%)"]
        print(render(header, [self._functions_row(tool) for tool, _ in self.tools]))
        print(verdicts(verdict("distance from the truth, eight functions", {t.name: self._distances(t) for t, _ in self.tools},
                               "", WHY_DISTANCE)))
        print(f"\nTwo threads at once, one with twice the work of the other; {THREADS_S} s of CPU time:\n")
        print(render(["profiler", "ratio (true: 2)", "distance"], [self._threads_row(tool) for tool, _ in self.tools]))
        rivals = {tool.name: self._distances(tool, "threads", THREADS) for tool, _ in self.tools}
        print(verdicts(verdict("distance from the truth, two threads", rivals, "", WHY_DISTANCE)))

