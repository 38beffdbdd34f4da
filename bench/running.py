# SPDX-License-Identifier: MIT
"""running.py - runs a program, under a tool or by itself, and says what that took."""
import os
import shutil
import signal
import tempfile
import threading
import time
from dataclasses import dataclass, field

# Debian's where it is there: what is first in PATH may be a script that starts it.
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"

OUR_VARIABLES = ("LD_", "DWELL_", "PROFIL_", "CPUPROFILE")
LONGEST_S = 60


class Refused(Exception):
    """Why something cannot be measured here, in one sentence."""


@dataclass
class Run:
    wall_ms: float
    cpu_ms: float  # of the program, its children and the tool
    memory_mb: float  # at most, of the largest of these processes
    output: str
    said: str  # on standard error
    written: int = 0  # bytes, by the tool
    taken: object = None  # what a profiler has, if it was asked


def clean_environment():
    return {k: v for k, v in os.environ.items() if not k.startswith(OUR_VARIABLES)}


def bytes_in(folder):
    return sum(
        os.path.getsize(os.path.join(where, name))
        for where, _, names in os.walk(folder)
        for name in names
    )


def last_line(said, otherwise):
    lines = [line for line in said.strip().splitlines() if line.strip()]
    return lines[-1].strip()[:160] if lines else otherwise


def _end(pid, late):
    late.set()
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _wait(pid, longest_s):
    """Status and usage; raises Refused where it takes too long."""
    late = threading.Event()
    timer = threading.Timer(longest_s, _end, (pid, late))
    timer.start()
    try:
        _, status, usage = os.wait4(pid, 0)
    finally:
        timer.cancel()
    if late.is_set():
        raise Refused(f"it was not done after {longest_s} s")
    return status, usage


def run(words, environment=None, longest_s=LONGEST_S, watch=None):
    """Run; raises Refused. A word NOW becomes the time at which it is started. `watch` is called with the process id."""
    path = shutil.which(words[0])
    if not path:
        raise Refused(f"there is no {words[0]} here")
    with tempfile.TemporaryFile("w+", errors="replace") as output, tempfile.TemporaryFile("w+", errors="replace") as errors:
        files = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, output.fileno(), 1),
            (os.POSIX_SPAWN_DUP2, errors.fileno(), 2),
        ]
        start_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        words = [str(start_ns) if word == "NOW" else word for word in words]
        pid = os.posix_spawn(path, words, environment or clean_environment(), file_actions=files, setpgroup=0)
        if watch:
            watch(pid)
        status, usage = _wait(pid, longest_s)
        end_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        output.seek(0)
        errors.seek(0)
        said = errors.read()
        if "cannot be preloaded" in said:  # the linker only warns: the program would be measured without it
            raise Refused(next(line for line in said.splitlines() if "cannot be preloaded" in line)[:160])
        if status:
            raise Refused(last_line(said, f"it ended with {os.waitstatus_to_exitcode(status)}"))
        cpu_ms = (usage.ru_utime + usage.ru_stime) * 1e3
        return Run((end_ns - start_ns) / 1e6, cpu_ms, usage.ru_maxrss / 1024, output.read(), said)


@dataclass
class Tool:
    """A tool that a program runs under. In its words FOLDER is where it may write, HZ the rate."""

    name: str
    command: tuple = ()  # before the program's own
    environment: dict = field(default_factory=dict)

    def run(self, program, hz=0, longest_s=LONGEST_S, wants_samples=True, watch=None):
        """Run; raises Refused."""
        with tempfile.TemporaryDirectory() as folder:

            def filled(text):
                return text.replace("FOLDER", folder).replace("HZ", str(hz))

            words = [*map(filled, self.command), *program]
            environment = clean_environment()
            environment.update((name, filled(value)) for name, value in self.environment.items())
            done = run(words, environment, longest_s, watch)
            done.written = bytes_in(folder)
            if wants_samples:
                done.taken = self.taken(folder, done.said)
        return done

    def taken(self, folder, said):
        """Returns its result. Raises Refused if that is not as expected."""


class Notes:
    """The measurements by key, or the reasons for missing ones. Each is taken once in a round."""

    def __init__(self):
        self.rounds = {}  # key: how often it was tried
        self.found = {}  # key: {round: value}
        self.reasons = {}  # key: sentence

    def take(self, key, measure, *arguments, **more):
        """Calls `measure`, keeps and returns its result, or None. After a refusal in the first round it is not called again."""
        if key in self.reasons and key not in self.found:
            return None
        turn = self.rounds[key] = self.rounds.get(key, 0) + 1
        try:
            value = measure(*arguments, **more)
        except (Refused, OSError, RuntimeError, KeyError, ValueError, IndexError) as error:
            self.reasons[key] = str(error) if isinstance(error, (Refused, OSError, RuntimeError)) else f"{type(error).__name__}: {error}"
            return None
        self.found.setdefault(key, {})[turn] = value
        return value

    def of(self, key):
        return list(self.found.get(key, {}).values())

    def pairs(self, one, other):
        """Both of each round that has both."""
        ones, others = self.found.get(one, {}), self.found.get(other, {})
        return [(ones[turn], others[turn]) for turn in ones if turn in others]

    def reason(self, key):
        return self.reasons.get(key, "nothing was measured")
