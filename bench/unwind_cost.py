# SPDX-License-Identifier: MIT
"""unwind_cost.py - the cost of a frame of a stack, beside other unwinders."""
import os
import re
import subprocess
from statistics import median

from table import render, spread
from verdict import verdict, verdicts

OURS = "this walk"  # what the program calls dwell's
LINE = re.compile(r"(.+?) +(\d+) frames +([0-9.]+) ns a frame")


class UnwindCost:
    def __init__(self, build):
        self.program = os.path.join(build, "bench/unwind_cost")
        self.found = {}  # who walks: [ns a frame]

    def one_round(self):
        if not os.access(self.program, os.X_OK):
            return
        run = subprocess.run([self.program], capture_output=True, text=True, check=False)
        for line in run.stdout.splitlines():
            match = LINE.match(line)
            if match:
                self.found.setdefault(match[1], []).append(float(match[3]))

    def finish(self):
        pass

    def print_tables(self):
        print("Time per frame of a stack of some 70, walked again and again:\n")
        if not self.found:
            print(f"{os.path.basename(self.program)} has nothing to say here")
            return
        first = median(next(iter(self.found.values())))
        rows = [[who, spread(ns), f"{median(ns) / first:.1f}"] for who, ns in self.found.items()]
        print(render(["", "ns a frame", "to the first"], rows))
        rivals = {who.replace(OURS, "dwell's walk"): ns for who, ns in self.found.items() if "cold" not in who}
        print(verdicts(verdict("ns a frame, warm", rivals, "ns")))
