# SPDX-License-Identifier: MIT
"""record_tools.py - profilers that take samples of whole programs, and how a program is run under each."""
import glob
import os
import re
import struct
from dataclasses import dataclass

from record_file import used_bytes
from running import Refused, Tool, last_line


@dataclass
class Taken:
    """The result of a profiler."""

    samples: int
    in_use: int  # bytes
    reserved: int  # bytes of all its files


@dataclass
class SampleTool(Tool):
    is_fastest: bool = True  # whether it is asked for the high rates
    has_stacks: bool = True
    on_tick: bool = False  # comes with the kernel's tick, and so no more often than that, rather than by its own interrupts


class Dwell(SampleTool):
    def taken(self, folder, said):
        used = used_bytes(os.path.join(folder, "data"))
        return Taken(used.samples, used.in_use, used.reserved)


class Perf(SampleTool):
    def taken(self, folder, said):
        samples = re.search(r"\((\d+) samples\)", said)
        if not samples:
            raise Refused(last_line(said, "it says nothing"))
        size = os.path.getsize(os.path.join(folder, "data"))
        return Taken(int(samples[1]), size, size)


def gperftools_stacks(path):
    """[(count, [address, the innermost first])]: a header of five words; then count, depth and addresses, again and again."""
    with open(path, "rb") as file:
        data = file.read()
    stacks, at = [], 5 * 8
    while at + 16 <= len(data):
        count, depth = struct.unpack_from("<QQ", data, at)
        if not count:
            break
        stacks.append((count, struct.unpack_from(f"<{depth}Q", data, at + 16)))
        at += 16 + depth * 8
    return stacks


class Gperftools(SampleTool):
    def taken(self, folder, said):
        """A child has a file of its own, with its number behind the name."""
        paths = glob.glob(os.path.join(folder, "data*"))
        if not paths:
            raise Refused("libprofiler.so.0 is not here, or has written nothing")
        size = sum(map(os.path.getsize, paths))
        return Taken(sum(count for path in paths for count, _ in gperftools_stacks(path)), size, size)


class Profil(SampleTool):
    """profil() itself, which profil_on.c turns on: it counts, and writes nothing."""

    def taken(self, folder, said):
        with open(os.path.join(folder, "data"), encoding="ascii") as file:
            return Taken(int(file.read()), 0, 0)


def gperftools(name, on_tick, **more):
    environment = {
        "LD_PRELOAD": "libprofiler.so.0",  # by its name: ld.so knows where it is
        "CPUPROFILE": "FOLDER/data",
        "CPUPROFILE_FREQUENCY": "HZ",
    }
    return Gperftools(name, (), environment | more, is_fastest=False, on_tick=on_tick)


def profil(name, build, *before, on_tick=True, **more):
    """Returns a profiler by profil(); the libraries in `before` are preloaded as well."""
    libraries = [*before, os.path.join(build, "bench/libprofil_on.so")]
    environment = {"LD_PRELOAD": ":".join(libraries), "PROFIL_ON": "FOLDER/data", "PROFIL_HZ": "HZ"}
    return Profil(name, (), environment | more, is_fastest=bool(before), has_stacks=False, on_tick=on_tick)


def with_stacks(dwell):
    record = (dwell, "record", "-q", "-F", "HZ", "-o", "FOLDER/data")
    perf = ("perf", "record", "-F", "HZ", "-o", "FOLDER/data")
    return [
        Dwell("dwell record", (*record, "--")),
        Dwell("dwell record --clock timer", (*record, "--clock", "timer", "--"), on_tick=True),
        Perf("perf record -g", (*perf, "-g", "--")),
        Perf("perf record --call-graph dwarf", (*perf, "--call-graph", "dwarf", "--")),
        gperftools("gperftools", True),
        gperftools("gperftools, wall time", False, CPUPROFILE_REALTIME="1"),
    ]


def without_stacks(build):
    dwell, libprofil = os.path.join(build, "dwell"), os.path.join(build, "src/runtime/libprofil.so")
    record = (dwell, "record", "-q", "-F", "HZ", "-o", "FOLDER/data", "--no-stacks")
    return [
        Dwell("dwell record --no-stacks", (*record, "--"), has_stacks=False),
        Perf("perf record, no stacks", ("perf", "record", "-F", "HZ", "-o", "FOLDER/data", "--"), has_stacks=False),
        profil("libprofil, perf clock", build, libprofil, on_tick=False, PROFIL_CLOCK="perf"),
        profil("libprofil, timer clock", build, libprofil, PROFIL_CLOCK="timer"),
        profil("glibc profil(), 100 Hz", build),
    ]


def tools(build):
    """All that are compared; the first is the program by itself."""
    plain = SampleTool("plain", is_fastest=False)
    return [plain, *with_stacks(os.path.join(build, "dwell")), *without_stacks(build)]
