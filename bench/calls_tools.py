# SPDX-License-Identifier: MIT
"""calls_tools.py - the tools that count or time calls, and how a program is run under each."""
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from statistics import median

from contenders import Refused

LIBRARY = "libcalls_nothing.so"
CALLED = "calls_nothing"
NOT_CALLED = "calls_not_made"

LD_VARIABLES = ("LD_", "DWELL_")

# What a tool tells; those that tell the same are compared.
NOTHING, COUNTS, SAMPLED, TIMES = "-", "counts", "sampled times", "times"


def clean_environment():
    return {k: v for k, v in os.environ.items() if not k.startswith(LD_VARIABLES)}


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


def bytes_in(folder):
    return sum(
        os.path.getsize(os.path.join(where, name))
        for where, _, names in os.walk(folder)
        for name in names
    )


class ProbeRun:
    """What calls_probe printed under a tool, and what the tool wrote."""

    def __init__(self, text, written_bytes):
        self.written_bytes = written_bytes
        self.call_ns, self.two_readings_ns = [], []  # of each thread
        for part in text.split("thread\n")[1:]:
            chunks = [[float(word) for word in line.split()[1:]] for line in part.splitlines()]
            self.call_ns.append(median(chunk[0] for chunk in chunks))
            self.two_readings_ns.append(median(chunk[1] for chunk in chunks))


@dataclass
class Tool:
    name: str
    tells: str
    command: tuple = ()  # before the program's own; FOLDER is where it may write
    environment: dict = field(default_factory=dict)
    calls: int = 1_000_000  # a fraction of a second of them; a multiple of the probe's chunks
    few_and_many: tuple = (100_000, 10_000_000)  # how what it writes grows is seen by these
    most_threads: int = 2

    def _in_folder(self, text, folder):
        return text.replace("FOLDER", folder)

    def probe(self, program, calls, threads=1):
        """ProbeRun; raises Refused."""
        if self.command and not shutil.which(self.command[0]):
            raise Refused(f"there is no {self.command[0]} here")
        with tempfile.TemporaryDirectory() as folder:
            command = [self._in_folder(word, folder) for word in self.command]
            environment = clean_environment()
            for name, value in self.environment.items():
                environment[name] = self._in_folder(value, folder)
            try:
                run = subprocess.run(
                    [*command, program, str(calls), str(threads)],
                    env=environment,
                    capture_output=True,
                    text=True,
                    timeout=60,
                    check=False,
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                raise Refused(str(error)) from error
            if run.returncode != 0 or not run.stdout.startswith("thread\n"):
                said = (run.stderr or run.stdout).strip().splitlines()
                raise Refused(said[-1] if said else f"it ended with {run.returncode}")
            self.check(folder, run.stderr, calls * threads)
            return ProbeRun(run.stdout, bytes_in(folder))

    def check(self, folder, said, calls):
        """Raises Refused where the tool has not seen the calls: then they cost nothing."""


class Dwell(Tool):
    def check(self, folder, said, calls):
        rows = json_report(self.command[0], os.path.join(folder, "data"))["calls"]
        seen = sum(row["calls"] for row in rows if row["symbol"] == CALLED)
        if self.tells != NOTHING and seen != calls:
            raise Refused(f"it has seen {seen} of {calls} calls")


class Uftrace(Tool):
    def check(self, folder, said, calls):
        if "LOST" in said.upper():
            raise Refused("it has lost records: " + said.strip().splitlines()[-1])
        if bytes_in(folder) < 2 * 16 * calls:  # a record of 16 bytes going in, and one coming out
            raise Refused("it has not seen all calls")


class LdProfile(Tool):
    def check(self, folder, said, calls):
        if not bytes_in(folder):
            raise Refused("the linker has written no profile")


class Ltrace(Tool):
    def check(self, folder, said, calls):
        with open(os.path.join(folder, "counts"), encoding="utf-8") as file:
            seen = re.search(rf"(\d+) {CALLED}$", file.read(), re.MULTILINE)
        if not seen or int(seen[1]) != calls:
            raise Refused(f"it has seen {seen[1] if seen else 0} of {calls} calls")


def dwell_tool(dwell, tells, *options, function=CALLED, name=None):
    chosen = f"{LIBRARY}:{function}"
    command = (dwell, "calls", "-q", "-f", chosen, "-o", "FOLDER/data", *options, "--")
    return Dwell(name or " ".join(["dwell calls", *options]), tells, command)


def tools(dwell):
    """All that are compared; the first is the program by itself."""
    return [
        Tool("plain", NOTHING),
        dwell_tool(dwell, NOTHING, function=NOT_CALLED, name="dwell calls, of another function"),
        dwell_tool(dwell, COUNTS, "--count"),
        LdProfile(
            "LD_PROFILE",
            COUNTS,
            environment={"LD_PROFILE": LIBRARY, "LD_PROFILE_OUTPUT": "FOLDER"},
        ),
        dwell_tool(dwell, SAMPLED, "--sample-timing"),
        dwell_tool(dwell, TIMES),
        dwell_tool(dwell, TIMES, "--via", "got"),
        dwell_tool(dwell, TIMES, "--by-caller"),
        Uftrace(
            "uftrace record",
            TIMES,
            ("uftrace", "record", "--force", "--no-event", "-d", "FOLDER/data"),
            calls=400_000,
            few_and_many=(100_000, 400_000),
        ),
        Ltrace(
            "ltrace -c",
            TIMES,
            ("ltrace", "-c", "-o", "FOLDER/counts", "-e", CALLED),
            calls=2_000,
            few_and_many=(1_000, 3_000),
            most_threads=1,
        ),
    ]
