# SPDX-License-Identifier: MIT
"""record_tools.py - profilers that know stacks, and how a program is run under each."""
import os
import re
import shutil
import struct
import tempfile
import time
from dataclasses import dataclass, field

from calls_tools import clean_environment
from contenders import Refused
from record_file import used_bytes


@dataclass
class Taken:
    """What a profiler has."""

    samples: int
    in_use: int  # bytes
    reserved: int  # bytes of all its files


@dataclass
class Run:
    wall_ms: float
    cpu_ms: float  # of the program, its children and the tool
    output: str
    taken: Taken = None


@dataclass
class Tool:
    name: str
    command: tuple = ()  # before the program's own; FOLDER is where it may write, HZ the rate
    environment: dict = field(default_factory=dict)
    is_fastest: bool = True  # whether it is asked for the highest rate
    has_stacks: bool = True

    def run(self, program, hz, wants_samples=True):
        """Run; raises Refused."""
        with tempfile.TemporaryDirectory() as folder:
            run, said = self._run_in(folder, program, str(hz))
            if wants_samples:
                run.taken = self.taken(folder, said)
        return run

    def _run_in(self, folder, program, hz):
        def filled(text):
            return text.replace("FOLDER", folder).replace("HZ", hz)

        start_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        words = [*map(filled, self.command)]
        words += [str(start_ns) if word == "NOW" else word for word in program]
        path = shutil.which(words[0])
        if not path:
            raise Refused(f"there is no {words[0]} here")
        environment = clean_environment()
        environment.update((name, filled(value)) for name, value in self.environment.items())
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
            files = [
                (os.POSIX_SPAWN_DUP2, output.fileno(), 1),
                (os.POSIX_SPAWN_DUP2, errors.fileno(), 2),
            ]
            start_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            pid = os.posix_spawn(path, words, environment, file_actions=files)
            _, status, usage = os.wait4(pid, 0)
            end_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            output.seek(0)
            errors.seek(0)
            said = errors.read()
            if status:
                last = said.strip().splitlines()[-1:] or [f"it ended with {status}"]
                raise Refused(last[0])
            cpu_ms = (usage.ru_utime + usage.ru_stime) * 1e3
            return Run((end_ns - start_ns) / 1e6, cpu_ms, output.read()), said

    def taken(self, folder, said):
        """None: it takes none. Raises Refused."""


class Dwell(Tool):
    def taken(self, folder, said):
        used = used_bytes(os.path.join(folder, "data"))
        return Taken(used.samples, used.in_use, used.reserved)


class Perf(Tool):
    def taken(self, folder, said):
        samples = re.search(r"\((\d+) samples\)", said)
        if not samples:
            raise Refused(said.strip().splitlines()[-1] if said.strip() else "it says nothing")
        size = os.path.getsize(os.path.join(folder, "data"))
        return Taken(int(samples[1]), size, size)


class Gperftools(Tool):
    def taken(self, folder, said):
        """A header of five words; then count, depth and addresses, again and again."""
        path = os.path.join(folder, "data")
        if not os.path.exists(path):
            raise Refused("libprofiler.so.0 is not here")
        with open(path, "rb") as file:
            data = file.read()
        samples, at = 0, 5 * 8
        while at + 16 <= len(data):
            count, depth = struct.unpack_from("<QQ", data, at)
            if not count:
                break
            samples += count
            at += 16 + depth * 8
        return Taken(samples, len(data), len(data))


def gperftools(name, **more):
    environment = {
        "LD_PRELOAD": "libprofiler.so.0",  # by its name: ld.so knows where it is
        "CPUPROFILE": "FOLDER/data",
        "CPUPROFILE_FREQUENCY": "HZ",
    }
    return Gperftools(name, (), environment | more, is_fastest=False)


def tools(dwell):
    """All that are compared; the first is the program by itself."""
    record = (dwell, "record", "-q", "-F", "HZ", "-o", "FOLDER/data")
    perf = ("perf", "record", "-F", "HZ", "-o", "FOLDER/data")
    return [
        Tool("plain", is_fastest=False),
        Dwell("dwell record", (*record, "--")),
        Dwell("dwell record --clock timer", (*record, "--clock", "timer", "--")),
        Perf("perf record, no stacks", (*perf, "--"), has_stacks=False),
        Perf("perf record -g", (*perf, "-g", "--")),
        Perf("perf record --call-graph dwarf", (*perf, "--call-graph", "dwarf", "--")),
        gperftools("gperftools"),
        gperftools("gperftools, wall time", CPUPROFILE_REALTIME="1"),
    ]
