# SPDX-License-Identifier: MIT
"""contenders.py - the profilers that are compared, and how the probe is started under each."""
import os
import shutil
import subprocess
from dataclasses import dataclass, field

from running import Refused

AS_NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
OUR_VARIABLES = ("PROFIL_", "CPUPROFILE", "LD_PRELOAD")


@dataclass
class Contender:
    name: str
    profiler: str  # the probe's name for what it calls
    environment: dict = field(default_factory=dict)
    hz_variable: str = None  # None: its rate is fixed
    max_hz: int = 100
    command: tuple = ()  # before the probe's own
    expect: tuple = None  # clock and source of system time that libprofil must say it uses

    def probe(self, program, hz, *arguments):
        """Returns the output of the probe under this profiler; raises Refused."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(OUR_VARIABLES)}
        environment.update(self.environment)
        if self.hz_variable:
            environment[self.hz_variable] = str(hz)
        method, *numbers = arguments
        command = [*self.command, program, method, self.profiler, *map(str, numbers)]
        try:
            run = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=60, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Refused(str(error)) from error
        if run.returncode != 0:
            said = (run.stdout or run.stderr).strip().splitlines()
            raise Refused(said[-1] if said else f"the probe ended with {run.returncode}")
        return run.stdout

    def check(self, output):
        """Raises Refused when another clock than the expected one was at work."""
        if self.expect and (output.clock, output.system_time) != self.expect:
            raise Refused(
                f"not to be had here: the clock is {output.clock}, "
                f"with system time seen by {output.system_time}"
            )


def libprofil(library, clock, profiler="profil", **more):
    return Contender(
        profiler=profiler,
        environment={"LD_PRELOAD": library, "PROFIL_CLOCK": clock},
        hz_variable="PROFIL_HZ",
        max_hz=20000,
        **more,
    )


def contenders(library):
    """All that are compared, glibc's first: the others are given in ratio to it."""
    is_root = os.geteuid() == 0
    nobody = tuple(AS_NOBODY) if is_root and shutil.which("setpriv") else ()
    return [
        Contender("glibc profil()", "profil"),
        libprofil(library, "perf", name="libprofil perf", expect=("perf", "perf")),
        libprofil(
            library,
            "perf",
            name="libprofil perf, unprivileged",
            command=nobody,
            expect=("perf", "timer"),
        ),
        libprofil(library, "timer", name="libprofil timer"),
        libprofil(library, "timer", "profil-mapped", name="libprofil timer, mapped buffer"),
        libprofil(library, "itimer", name="libprofil itimer"),
        Contender(
            "gperftools",
            "gperftools",
            {"LD_PRELOAD": "libprofiler.so.0"},  # by its name: ld.so knows where it is
            hz_variable="CPUPROFILE_FREQUENCY",
            max_hz=4000,
        ),
    ]


def perf_interrupt():
    """A perf event without a signal: what the interrupt of the perf clock takes by itself."""
    return Contender("perf event, no signal", "ring", hz_variable="PROFIL_HZ")
