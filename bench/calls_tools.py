# SPDX-License-Identifier: MIT
"""calls_tools.py - the tools that count or time calls, and how the probe is run under each."""
import json
import os
import re
import subprocess
from dataclasses import dataclass
from statistics import median

from running import Refused, Tool, bytes_in, last_line

LIBRARY = "libcalls_nothing.so"
CALLED = "calls_nothing"
NOT_CALLED = "calls_not_made"

# Kinds of results; tools with the same kind are compared.
NOTHING, COUNTS, SAMPLED, TIMES = "-", "counts", "sampled times", "times"


def json_report(dwell, data):
    said = subprocess.run(
        [dwell, "report", data, "--limit", "0", "--format", "json"],
        capture_output=True,
        text=True,
        check=False,
    )
    if said.returncode != 0:
        raise Refused(said.stderr.strip())
    return json.loads(said.stdout)


class ProbeRun:
    """The output of calls_probe under a tool, and the time of the run."""

    def __init__(self, done):
        self.written_bytes, self.cpu_ms, self.wall_ms = done.written, done.cpu_ms, done.wall_ms
        self.call_ns, self.two_readings_ns = [], []  # of each thread
        for part in done.output.split("thread\n")[1:]:
            rows = [line.split()[1:] for line in part.splitlines() if line.startswith("chunk ")]
            chunks = [[float(word) for word in row] for row in rows]
            self.call_ns.append(median(chunk[0] for chunk in chunks))
            self.two_readings_ns.append(median(chunk[1] for chunk in chunks))


@dataclass
class CallsTool(Tool):
    result: str = NOTHING
    calls: int = 1_000_000  # a fraction of a second of them; a multiple of the probe's chunks
    few_and_many: tuple = (100_000, 10_000_000)  # how what it writes grows is seen by these
    most_threads: int = 2
    sees: int = 0  # calls that are made in the run at hand

    def probe(self, program, calls, threads=1):
        """ProbeRun; raises Refused."""
        self.sees = calls * threads
        done = self.run([program, str(calls), str(threads)])
        if "thread\n" not in done.output:
            raise Refused(last_line(done.said or done.output, "the probe has printed nothing"))
        return ProbeRun(done)

    def taken(self, folder, said):
        self.check(folder, said, self.sees)

    def check(self, folder, said, calls):
        """Raises Refused where the tool has not seen the calls: then they cost nothing."""


class Dwell(CallsTool):
    def check(self, folder, said, calls):
        rows = json_report(self.command[0], os.path.join(folder, "data"))["calls"]
        seen = sum(row["calls"] for row in rows if row["symbol"] == CALLED)
        if self.result != NOTHING and seen != calls:
            raise Refused(f"it has seen {seen} of {calls} calls")


class Uftrace(CallsTool):
    def check(self, folder, said, calls):
        if "LOST" in said.upper():
            raise Refused("it has lost records: " + last_line(said, ""))
        if bytes_in(folder) < 2 * 16 * calls:  # a record of 16 bytes going in, and one coming out
            raise Refused("it has not seen all calls")


class LdProfile(CallsTool):
    def check(self, folder, said, calls):
        if not bytes_in(folder):
            raise Refused("the linker has written no profile")


class CountsFile(CallsTool):
    """A tool that leaves a file with the function's name and the number of its calls in one line."""

    PATTERN = r"(\d+) {}$"

    def check(self, folder, said, calls):
        path = os.path.join(folder, "counts")
        text = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
        seen = re.search(self.PATTERN.format(CALLED), text, re.MULTILINE)
        if not seen:
            raise Refused(last_line(said, "it has seen no calls"))
        if int(seen[1]) < calls:  # ltrace sees some of two threads twice
            raise Refused(f"it has seen {seen[1]} of {calls} calls")


class Bpftrace(CountsFile):
    PATTERN = r"@{}: (\d+)$"

    def run(self, program, *arguments, **more):
        """It takes the program's command as one word."""
        return super().run([" ".join(program)], *arguments, **more)


class PerfUprobe(CountsFile):
    PATTERN = r"^(\d+),.*:{},"


class Callgrind(CallsTool):
    def check(self, folder, said, calls):
        """Each place that calls has a line `calls=COUNT POSITION`."""
        with open(os.path.join(folder, "counts"), encoding="utf-8") as file:
            seen = [int(count) for count in re.findall(r"^calls=(\d+) ", file.read(), re.MULTILINE)]
        if calls > sum(seen):
            raise Refused(f"it has seen {sum(seen)} of {calls} calls")


def dwell_tool(dwell, result, *options, function=CALLED, name=None):
    chosen = f"{LIBRARY}:{function}"
    command = (dwell, "calls", "-q", "-f", chosen, "-o", "FOLDER/data", *options, "--")
    return Dwell(name or " ".join(["dwell calls", *options]), command, result=result)


def bpftrace(library, name, result, *script):
    script = " ".join(script).replace("PROBE", f"{library}:{CALLED}")
    command = ("bpftrace", "-q", "-o", "FOLDER/counts", "-e", script, "-c")
    return Bpftrace(name, command, result=result, calls=40_000, few_and_many=(10_000, 40_000))


# perf makes uprobes by tracefs, which need not be mounted: it is, for this run alone.
PERF_SCRIPT = f"""
mount -t tracefs none /sys/kernel/tracing || exit
event=dwell_bench_$$:{CALLED}
perf probe -q -x "$1" --add "$event={CALLED}" || exit
counts=$2
shift 2
perf stat -x, -o "$counts" -e "$event" -- "$@"
status=$?
perf probe -q --del "$event"
exit $status
"""


def perf_uprobe(library):
    command = ("unshare", "-m", "sh", "-c", PERF_SCRIPT, "sh", library, "FOLDER/counts")
    return PerfUprobe("perf stat, uprobe", command, result=COUNTS, calls=40_000, few_and_many=(10_000, 40_000))


COUNT_SCRIPT = ("uprobe:PROBE", f"{{ @{CALLED} = count(); }}")
TIME_SCRIPT = (
    "uprobe:PROBE { @start[tid] = nsecs; }",
    "uretprobe:PROBE /@start[tid]/",
    f"{{ @{CALLED} = count(); @ns = sum(nsecs - @start[tid]); delete(@start[tid]); }}",
)


def tools(dwell, library):
    """All that are compared; the first is the program by itself. `library` is where the function is."""
    return [
        CallsTool("plain"),
        dwell_tool(dwell, NOTHING, function=NOT_CALLED, name="dwell calls, function not chosen"),
        dwell_tool(dwell, COUNTS, "--count"),
        dwell_tool(dwell, COUNTS, "--count", "--via", "entry"),
        LdProfile(
            "LD_PROFILE",
            environment={"LD_PROFILE": LIBRARY, "LD_PROFILE_OUTPUT": "FOLDER"},
            result=COUNTS,
        ),
        Callgrind(
            "callgrind",
            ("valgrind", "--tool=callgrind", "-q", "--callgrind-out-file=FOLDER/counts"),
            result=COUNTS,
            calls=400_000,
            few_and_many=(100_000, 1_000_000),
        ),
        bpftrace(library, "bpftrace, uprobe", COUNTS, *COUNT_SCRIPT),
        perf_uprobe(library),
        dwell_tool(dwell, SAMPLED, "--sample-timing"),
        dwell_tool(dwell, TIMES),
        dwell_tool(dwell, TIMES, "--via", "got"),
        dwell_tool(dwell, TIMES, "--via", "entry"),
        dwell_tool(dwell, TIMES, "--by-caller"),
        Uftrace(
            "uftrace record",
            ("uftrace", "record", "--force", "--no-event", "-d", "FOLDER/data"),
            result=TIMES,
            calls=400_000,
            few_and_many=(100_000, 400_000),
        ),
        Uftrace(
            "uftrace record -P",
            ("uftrace", "record", "--force", "--no-event", "--no-libcall", "-P", f"{CALLED}@{LIBRARY}", "-d", "FOLDER/data"),
            result=TIMES,
            calls=400_000,
            few_and_many=(100_000, 400_000),
        ),
        CountsFile(
            "ltrace -c",
            ("ltrace", "-f", "-c", "-o", "FOLDER/counts", "-e", CALLED),
            result=TIMES,
            calls=2_000,
            few_and_many=(1_000, 3_000),
        ),
        bpftrace(library, "bpftrace, uprobe and uretprobe", TIMES, *TIME_SCRIPT),
    ]
