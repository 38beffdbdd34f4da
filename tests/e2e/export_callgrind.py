#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""export_callgrind.py DWELL PROGRAMS - callgrind's format of samples and of calls keeps to its grammar, as in
valgrind's manual and as KCachegrind reads it; and callgrind_annotate finds the exact counts and times of `dwell
calls`."""
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

NAME = re.compile(r"^(ob|fl|fi|fe|fn|cob|cfi|cfl|cfn)=\((\d+)\)(?: (.+))?$")
SPACES = {"ob": "object", "cob": "object", "fn": "function", "cfn": "function"}  # the rest are files
HEADERS = ("version", "creator", "pid", "cmd", "part", "desc", "positions", "events", "event", "summary", "totals")

CALLERS = 50  # of one function in it, at most
CALLS_WORK = """
import zlib
for i in range(50):
    zlib.decompress(zlib.compress(b"abcd" * 10000))
"""


class Grammar:
    """One file, line by line. `wrong`: violations of the grammar; sums: of the self costs of functions."""

    def __init__(self, lines):
        self.wrong, self.names, self.sums, self.header = [], {}, [], {}
        self.function = None
        lines = iter(enumerate(lines, 1))
        for number, line in lines:
            if not self.take(line, lines):
                self.wrong.append(f"{number}: {line}")
        self.wrong += [f"no {name}" for name in ("events", "positions") if name not in self.header]
        if "summary" in self.header and [int(word) for word in self.header["summary"].split()] != self.sums:
            self.wrong.append(f"the summary {self.header['summary']} is not the sum {self.sums}")

    def take(self, line, lines):
        if not line or line.startswith("#"):
            return True
        head = re.match(r"^([a-z]+): ?(.*)$", line)
        if head:
            self.header[head[1]] = head[2]
            return head[1] in HEADERS and self.function is None
        name = NAME.match(line)
        if name:
            return self.take_name(*name.groups())
        if line.startswith("calls="):
            # The next line is the cost of the calls, from the line of the caller.
            return bool(re.match(r"^calls=\d+ \d+$", line)) and self.costs(next(lines, (0, ""))[1]) is not None
        costs = self.costs(line)
        if costs is None or self.function is None:
            return False
        self.sums = [a + b for a, b in zip(self.sums or [0] * len(costs), costs)]
        return True

    def take_name(self, key, number, name):
        space = SPACES.get(key, "file")
        known = self.names.get((space, number))
        if key == "fn":
            self.function = number
        if name:
            self.names[space, number] = name
        return bool(known) != bool(name)

    def costs(self, line):
        """Returns the costs of a line, as many as there are events, or None if the line has none."""
        if not re.match(r"^\d+( \d+)+$", line):
            return None
        costs = [int(word) for word in line.split()[1:]]
        return costs if len(costs) == len(self.header.get("events", "").split()) else None


def export(data, *options):
    path = data + ".callgrind"
    answer = run(DWELL, "export", "-f", "callgrind", "-o", path, *options, data)
    note(text(answer.stderr))
    with open(path, encoding="utf-8", errors="replace") as file:
        grammar = Grammar(file.read().splitlines())
    note("\n".join(grammar.wrong[:10]))
    return path, grammar


def exact(data, title, rounded=0):
    """Checks callgrind_annotate's figures of each function against dwell report. Times may differ by so many
    nanoseconds: one for each caller, whose time is rounded by itself."""
    rows = json.loads(run(DWELL, "report", "--format", "json", data).stdout)["calls"]
    path, grammar = export(data, "--of", "calls")
    ok(rows and not grammar.wrong, f"{title}: calls keep to the grammar")
    if not shutil.which("callgrind_annotate"):
        skip(f"{title}: counts and times", "callgrind_annotate is not installed")
        return
    said = text(run("callgrind_annotate", "--threshold=100", "--inclusive=yes", path).stdout)
    counted = text(run("callgrind_annotate", "--threshold=100", "--tree=caller", path).stdout)
    wrong = []
    for row in rows:
        found = re.search(rf"^\s*([\d,]+) \([^)]*\)\s+([\d,]+).*\?\?\?:{re.escape(row['name'])} \[", said, re.M)
        times = [int(each.replace(",", "")) for each in found.groups()] if found else []
        blocks = [block for block in counted.split("\n\n") if f"*  ???:{row['name']} [" in block]
        calls = sum(int(count) for block in blocks for count in re.findall(r"< .*\((\d+)x\)", block))
        near = len(times) == 2 and abs(times[0] - row["total_ns"]) <= rounded and times[1] == row["calls"]
        if not near or calls != row["calls"]:
            wrong.append(f"{row['name']}: {times} and {calls} calls instead of {row['total_ns']}, {row['calls']}")
    note("\n".join(wrong))
    ok(not wrong, f"{title}: callgrind_annotate has all counts and total times")


def main():
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/samples"
        run(DWELL, "record", "-q", "-o", data, "--", program("export_load"), "20")
        ok(not export(data)[1].wrong, "samples keep to the grammar")
        for title, options in (("calls", ()), ("calls by caller", ("--by-caller",))):
            data = f"{folder}/{title}"
            run(DWELL, "calls", "-q", "-f", "libz*:*", *options, "-o", data, "--", sys.executable, "-c", CALLS_WORK)
            exact(data, title, len(options) * CALLERS)
        data = f"{folder}/count"
        run(DWELL, "calls", "-q", "--count", "-f", "*", "-o", data, "--", sys.executable, "-c", CALLS_WORK)
        rows = json.loads(run(DWELL, "report", "--format", "json", data).stdout)["calls"]
        grammar = export(data)[1]
        ok(not grammar.wrong and grammar.sums == [sum(row["calls"] for row in rows)] and grammar.sums[0] > 0,
           "counts without times")
    done()


if __name__ == "__main__":
    main()
