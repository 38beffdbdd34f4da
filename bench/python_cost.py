# SPDX-License-Identifier: MIT
"""python_cost.py - the cost of the Python frames of a stack, beside that of its native frames, for each version here."""
import glob
import os
import re
import subprocess
from statistics import median

from table import render, spread

DEPTH = 20
LINE = re.compile(r"(\d+) native (\d+) ns, (\d+) Python (\d+) ns, (\d+) ns with probes")
HERE = os.path.dirname(os.path.abspath(__file__))


def interpreters():
    """[(version, path)] of the system's, and of others that are installed beside it."""
    found = {}
    for path in ["/usr/bin/python3", *sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3")))]:
        if os.path.exists(path):
            command = [path, "-c", "import sys, ctypes; print('%d.%d' % sys.version_info[:2])"]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            if run.returncode == 0:
                found.setdefault(run.stdout.strip(), path)
    return sorted(found.items(), key=lambda item: int(item[0].split(".")[1]))


class PythonCost:
    def __init__(self, build):
        self.library = os.path.join(build, "bench/python_walk.so")
        self.found = {}  # version: [(native frames, ns, Python frames, ns, ns if all their pages are probed)]

    def one_round(self):
        for version, path in interpreters() if os.path.exists(self.library) else []:
            command = [path, os.path.join(HERE, "python_walk.py"), self.library, str(DEPTH)]
            match = LINE.match(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
            if match and int(match[3]):
                self.found.setdefault(version, []).append([int(number) for number in match.groups()])

    def finish(self):
        pass

    def print_tables(self):
        print(f"Time to find the Python frames of a stack of {DEPTH} Python functions, beside that of its native frames:\n")
        if not self.found:
            print(f"{os.path.basename(self.library)} was not measured here")
            return
        rows = []
        for version, rounds in self.found.items():
            native, script, probed = ([one[i] for one in rounds] for i in (1, 3, 4))
            rows.append([version, str(rounds[0][0]), spread(native), str(rounds[0][2]), spread(script),
                         f"{median(script) / median(native):.1f}", spread(probed)])
        print(render(["Python", "native frames", "time (ns/stack)", "Python frames", "time (ns/stack)", "ratio",
                      "first in 10 ms (ns/stack)"], rows))
