# SPDX-License-Identifier: MIT
"""gmon_counts.py - reads a gmon.out byte by byte with the symbols of nm, and the output of gprof."""
import bisect
import re
import struct
import subprocess

SAID = re.compile(r"^calls (\S+) (\d+)$", re.M)
# name, and how often it was called; recursive calls are behind a plus in the call graph, and left out here
FLAT = re.compile(r"^\s*[\d.]+\s+[\d.]+\s+([\d.]+)\s+(?:(\d+)\s+[\d.]+\s+[\d.]+\s+)?([A-Za-z_]\S*)", re.M)


def said(output):
    """{function: calls} that a program says it has made."""
    return {name: int(count) for name, count in SAID.findall(output.decode())}


class Symbols:
    def __init__(self, path):
        lines = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True).stdout
        found = sorted((int(address, 16), name) for address, kind, name in
                       (line.split() for line in lines.splitlines()) if kind in "tTwW" and "." not in name)
        self.addresses = [address for address, _ in found]
        self.names = [name for _, name in found]

    def __call__(self, address):
        place = bisect.bisect_right(self.addresses, address) - 1
        return self.names[place] if place >= 0 else "?"


class GmonFile:
    """calls: {(caller, callee): count}; ticks: {function: count}; rate."""

    def __init__(self, path, program):
        with open(path, "rb") as file:
            data = file.read()
        name = Symbols(program)
        self.calls, self.ticks, self.rate = {}, {}, 0
        if data[:8] != b"gmon\1\0\0\0":
            raise ValueError(f"{path} is not a gmon.out")
        with open(program, "rb") as file:
            word = "I" if file.read(5)[4] == 1 else "Q"  # the program's class
        arc, head = struct.Struct(f"<{word}{word}I"), struct.Struct(f"<{word}{word}II15sc")
        at = 20
        while at < len(data):
            tag, at = data[at], at + 1
            if tag == 1:
                source, target, count = arc.unpack_from(data, at)
                key = name(source), name(target)
                self.calls[key] = self.calls.get(key, 0) + count
                at += arc.size
            elif tag == 0:
                low, high, bins, self.rate, unit, _ = head.unpack_from(data, at)
                if unit.rstrip(b"\0") != b"seconds":
                    raise ValueError(f"{path} counts {unit}")
                for place, count in enumerate(struct.unpack_from(f"<{bins}H", data, at + head.size)):
                    if count:
                        where = name(low + place * (high - low) // bins)
                        self.ticks[where] = self.ticks.get(where, 0) + count
                at += head.size + 2 * bins
            else:
                raise ValueError(f"{path} has a record {tag}")

    def called(self, function):
        return sum(count for (_, callee), count in self.calls.items() if callee == function)


def by_gprof(program, *files):
    """({function: calls}, {function: seconds}) of the flat profile."""
    answer = subprocess.run(["gprof", "-b", "-p", program, *files], capture_output=True, text=True, check=False)
    if answer.returncode:
        raise ValueError(answer.stderr)
    rows = FLAT.findall(answer.stdout)
    return ({name: int(count) for _, count, name in rows if count}, {name: float(seconds) for seconds, _, name in rows})
