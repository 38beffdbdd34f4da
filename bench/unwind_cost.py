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
        self.found = {}  # unwinder: [ns/frame]

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
        print("Time per frame of a stack of about 70 frames, walked repeatedly:\n")
        if not self.found:
            print(f"{os.path.basename(self.program)} was not measured here")
            return
        first = median(next(iter(self.found.values())))
        rows = [[name, spread(ns), f"{median(ns) / first:.1f}"] for name, ns in self.found.items()]
        print(render(["unwinder", "time (ns/frame)", "ratio to first"], rows))
        rivals = {name.replace(OURS, "dwell's unwinder"): ns for name, ns in self.found.items() if "cold" not in name}
        print(verdicts(verdict("time per frame, warm", rivals, "ns")))
