# SPDX-License-Identifier: MIT
"""mcount_cost.py - the overhead of -pg per call, with glibc's runtime and ours, and the number of calls that each counts."""
import os
import re
import struct
import subprocess
import tempfile
from statistics import median

from running import Refused, clean_environment
from table import render, spread
from verdict import verdict, verdicts

CALLS = 2000000  # a thread, from one place; and as many from a thousand
OTHERS_MOST = 1000  # calls of what is not measured; what is, glibc counts half of if it must
LINE = re.compile(r"^one ([\d.]+) many ([\d.]+)$", re.M)
PLAIN = "without -pg"


def counted(path):
    """The sum of all arcs of a gmon.out but for those of the probe's few other functions, which are called less often."""
    with open(path, "rb") as file:
        data = file.read()
    at, arcs = 20, {}
    while at < len(data):
        if data[at] == 1:
            *ends, count = struct.unpack_from("<QQI", data, at + 1)
            arcs[tuple(ends)] = arcs.get(tuple(ends), 0) + count
            at += 21
        else:
            at += 41 + 2 * struct.unpack_from("<I", data, at + 17)[0]
    return sum(count for count in arcs.values() if count > OTHERS_MOST)


class McountCost:
    def __init__(self, build):
        programs = {name: os.path.join(build, "bench", name) for name in ("mcount_probe", "mcount_plain")}
        library = os.path.join(build, "src/runtime/gmon/libprofil-gmon.so.0")
        self.contenders = {
            PLAIN: ([programs["mcount_plain"]], {}),
            "glibc": ([programs["mcount_probe"]], {}),
            "libprofil-gmon": ([programs["mcount_probe"]], {"LD_PRELOAD": library}),
            "dwell record": ([os.path.join(build, "dwell"), "record", "-q", "-o", "data", "--", programs["mcount_probe"]], {}),
        }
        self.dwell = os.path.join(build, "dwell")
        self.found = {}  # (name, threads): [(one ns, many ns)] of the slowest thread of each round
        self.lost = {}  # (name, threads): [share of calls that were not counted]

    def _count(self, name, folder):
        if name == "dwell record":
            subprocess.run([self.dwell, "export", "-f", "gmon", "-o", "gmon.out", "data"], cwd=folder, check=True,
                           capture_output=True)
        return counted(os.path.join(folder, "gmon.out"))

    def _measure(self, name, threads):
        command, changes = self.contenders[name]
        with tempfile.TemporaryDirectory() as folder:
            answer = subprocess.run([*command, str(threads), str(CALLS)], cwd=folder, env=clean_environment() | changes,
                                    capture_output=True, text=True, check=True)
            if "cannot be preloaded" in answer.stderr:
                raise Refused(answer.stderr.strip())
            rows = [tuple(map(float, row)) for row in LINE.findall(answer.stdout)]
            self.found.setdefault((name, threads), []).append((max(one for one, _ in rows), max(many for _, many in rows)))
            if name != PLAIN:
                made = int(answer.stdout.split("calls ")[1])
                self.lost.setdefault((name, threads), []).append(1 - self._count(name, folder) / made)

    def one_round(self):
        for threads in (1, 2):
            for name in self.contenders:
                self._measure(name, threads)

    def finish(self):
        pass

    def _added(self, name, threads, which):
        plain = median(row[which] for row in self.found[PLAIN, 1])
        return [row[which] - plain for row in self.found[name, threads]]

    def _to_glibc(self, name, threads):
        ratio = median(self._added(name, threads, 0)) / median(self._added("glibc", threads, 0))
        return f"{ratio:.2f}"

    def _row(self, name, threads):
        if name == PLAIN:
            return [name, str(threads), "0", "0", "-", "-"]
        lost = self.lost[name, threads]
        return [name, str(threads), *(spread(self._added(name, threads, which), 1) for which in (0, 1)),
                self._to_glibc(name, threads), f"{100 * median(lost):.1f} %" if any(lost) else "none"]

    def print_tables(self):
        print("Overhead of -pg per call of an empty function:\n")
        rows = [self._row(name, threads) for threads in (1, 2) for name in self.contenders if name != PLAIN]
        print(render(["runtime", "threads", "one caller (ns/call)", "1,000 callers (ns/call)", "ratio to glibc", "calls not counted"], rows))
        lines = []
        for threads in (1, 2):
            rivals = {name: self._added(name, threads, 0) for name in self.contenders if name != PLAIN}
            lines.append(verdict(f"overhead per call with -pg, {'one thread' if threads == 1 else 'two threads'}", rivals, "ns"))
        print(verdicts(*lines))
