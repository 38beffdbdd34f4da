# SPDX-License-Identifier: MIT
"""ways.py - the ways a program is run in, and what must be in the recording afterwards."""
import json
import subprocess
from dataclasses import dataclass

from under import READABLE, WHOLE

# Samples have to show this share of the CPU time of a run; the rest is dwell itself, the linker of each process before our
# library is loaded, and each process's last piece of less than a tick.
SAMPLED_SHARE = 0.85
PER_PROCESS_S = 0.012
SLACK_S = 0.1

LOSSES = ("lost_processes", "lost_programs", "lost_threads", "lost_calls", "lost_functions", "lost_samples", "unnamed",
          "refused_processes")
DAMAGES = ("damaged", "missing")


@dataclass
class Way:
    name: str
    title: str
    options: tuple = ()
    has_calls: bool = False
    has_samples: bool = False
    attaches: bool = False  # to a server that was started plainly, while it is loaded

    def wrap(self, dwell, data, argv):
        if not self.options or self.attaches:
            return argv
        verb, *options = self.options
        return [dwell, verb, "-q", "-o", data, *options, "--", *argv]


PLAIN = Way("plain", "plainly")
WAYS = (
    Way("audit", "calls -f '*'", ("calls", "-f", "*"), has_calls=True),
    Way("got", "calls -f '*' --via got", ("calls", "-f", "*", "--via", "got"), has_calls=True),
    Way("entry", "calls -f '*' --via entry --count", ("calls", "-f", "*", "--via", "entry", "--count"), has_calls=True),
    Way("record", "record", ("record",), has_samples=True),
    Way("both", "record --calls '*'", ("record", "--calls", "*"), has_calls=True, has_samples=True),
    Way("attach", "record -p PID -d 5", ("record", "-d", "5"), has_samples=True, attaches=True),
)


class Recording:
    """The contents of a recording by `dwell report`, and the problems with them."""

    def __init__(self, dwell, data):
        self.problems = []
        self.meta, self.samples, self.calls = {}, [], []
        shown = subprocess.run([dwell, "report", "--no-pager", data], capture_output=True, check=False)
        if shown.returncode or not shown.stdout.strip():
            self.problems.append(f"no report, status {shown.returncode}: {shown.stderr.decode(errors='replace').strip()}")
            return
        answer = subprocess.run([dwell, "report", "--format", "json", data], capture_output=True, check=False)
        try:
            report = json.loads(answer.stdout)
        except ValueError as error:
            self.problems.append(f"the report is not JSON: {error}")
            return
        self.meta = report["meta"]
        self.samples, self.calls = report.get("samples", []), report.get("calls", [])
        self.problems += [f"the recording is {key}: {self.meta[key]}" for key in DAMAGES if self.meta.get(key)]

    def losses(self):
        """Returns the losses that the report admits."""
        return ", ".join(f"{key.replace('_', ' ')} {self.meta[key]:,}" for key in LOSSES if self.meta.get(key))

    def kinds_of_losses(self):
        """Returns the same without figures."""
        found = [key.replace("lost_", "").replace("_", " ") for key in LOSSES if self.meta.get(key)]
        return f"lost: {', '.join(found)}" if found else ""

    def check_calls(self, program):
        if not self.meta.get("calls"):
            self.problems.append("no call was counted")
        for row in self.calls:
            ended = sum(row[key] for key in ("returned", "escaped", "abandoned", "untimed", "running"))
            if row["calls"] != ended:
                self.problems.append(f"{row['calls']} calls of {row['name']}, but {ended} by how they ended")
        for library in program.libraries:
            if not any(library in str(row["object"]) and row["calls"] for row in self.calls):
                self.problems.append(f"no calls of {library}")

    def check_samples(self, objects, cpu_s):
        """cpu_s: how much has to be in them, if that is known."""
        if not self.meta.get("samples"):
            self.problems.append("no samples")
            return
        accounted_ns = sum(self.meta.get(key, 0) for key in ("samples_ns", "lost_samples_ns", "unwatched_ns"))
        processes = self.meta.get("sampled_processes", 0)
        least = cpu_s * SAMPLED_SHARE - PER_PROCESS_S * processes - SLACK_S
        if cpu_s and not least <= accounted_ns / 1e9 <= cpu_s * 1.05 + SLACK_S:
            self.problems.append(f"samples and losses are {accounted_ns / 1e9:.2f} s of {cpu_s:.2f} s")
        for wanted in objects:
            if not any(wanted in str(row["object"]) for row in self.samples):
                self.problems.append(f"no samples in {wanted}")


def by_names(names):
    """Returns the ways named in a comma-separated list."""
    known = {way.name: way for way in WAYS}
    unknown = [name for name in names.split(",") if name not in known]
    if unknown:
        raise ValueError(f"there is no {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in names.split(",")]


def examine(dwell, data, way, program, outcome, demands=WHOLE):
    """demands: what must be in it, of under.py."""
    recording = Recording(dwell, data)
    if demands == READABLE:
        return recording
    if recording.meta and way.has_calls:
        recording.check_calls(program)
    if recording.meta and way.has_samples:
        # One that was attached has seen a part.
        recording.check_samples(program.objects if demands == WHOLE else (), 0 if way.attaches or program.has_strays else outcome.cpu_s)
    return recording
