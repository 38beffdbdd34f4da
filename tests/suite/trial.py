# SPDX-License-Identifier: MIT
"""trial.py - one program of a suite: compiled, run plainly and in every mode of dwell, and compared."""
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

PLAIN_LIMIT_S = 20  # a program that takes longer is left out
MODE_FACTOR = 20  # of the plain run's time, but at least PLAIN_LIMIT_S
ATTEMPTS = 3
COMPILE_LIMIT_S = 120

MODES = {
    "audit": ("calls", "-f", "*"),
    "got": ("calls", "-f", "*", "--via", "got"),
    "record": ("record", "-F", "2000"),
    "timer": ("record", "-F", "2000", "--clock", "timer"),
    "wall": ("record", "--clock", "wall"),
    "both": ("record", "--calls", "*"),
    "outside": ("record", "--engine", "outside"),
}


@dataclass
class Outcome:
    status: int  # as a shell has it: 128 + N for a signal
    stdout: bytes
    stderr: bytes
    seconds: float
    timed_out: bool = False
    said: list = field(default_factory=list)  # dwell's own lines

    def differs(self, other, with_output):
        """Returns a sentence about the first difference from a plain run; "" if there is none."""
        if self.timed_out:
            return f"does not end within {self.seconds:.0f} s instead of {other.seconds:.2f}"
        if self.status != other.status:
            return f"exit status {self.status} instead of {other.status}"
        for name in ("stdout", "stderr") if with_output else ():
            if getattr(self, name) != getattr(other, name):
                return f"{name} is {getattr(self, name)[-300:]!r} instead of {getattr(other, name)[-300:]!r}"
        return ""


@dataclass
class Result:
    name: str
    left_out: str = ""  # why
    faults: dict = field(default_factory=dict)  # mode: sentence
    refused: dict = field(default_factory=dict)  # mode: dwell's sentence


def begin():
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def execute(argv, folder, limit_s):
    """Runs it in an empty folder of its own; ends the processes that it leaves running."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with subprocess.Popen(argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=begin) as process:
            try:
                status = process.wait(limit_s)
            except subprocess.TimeoutExpired:
                status = None
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        seconds = time.monotonic() - started
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read(1 << 20))
    if status is not None and status < 0:
        status = 128 - status
    return Outcome(status, *texts, seconds, status is None)


class Trial:
    def __init__(self, dwell, source, work, modes):
        self.dwell, self.source, self.work, self.modes = dwell, source, work, modes
        self.binary = os.path.join(work, "program")

    def once(self, mode, limit_s):
        here = os.path.join(self.work, "here")
        shutil.rmtree(here, ignore_errors=True)
        os.mkdir(here)
        argv = [self.binary]
        if mode:
            verb, *options = MODES[mode]
            argv = [self.dwell, verb, "-q", "-o", os.path.join(self.work, "dwell.data"), *options, "--", *argv]
        outcome = execute(argv, here, limit_s)
        if mode:
            lines = outcome.stderr.splitlines(keepends=True)
            ours = [line for line in lines if line.startswith(b"dwell ")]
            outcome.said = [line.decode(errors="replace").strip() for line in ours]
            outcome.stderr = b"".join(line for line in lines if line not in ours)
        return outcome

    def attempt(self, mode, plains, result):
        """A mode has a fault if it never does what one of the plain runs has done."""
        limit_s = max(PLAIN_LIMIT_S, MODE_FACTOR * plains[0].seconds)
        for _ in range(ATTEMPTS):
            with_output = all(not plain.differs(plains[0], True) for plain in plains)
            outcome = self.once(mode, limit_s)
            sentences = [outcome.differs(plain, with_output) for plain in plains]
            if not all(sentences):
                return
            if outcome.said and not outcome.stdout and outcome.status in (1, 126):
                result.refused[mode] = outcome.said[-1]
                return
            plains.append(self.once(None, PLAIN_LIMIT_S))
        result.faults[mode] = sentences[0]

    def run(self):
        result = Result(self.source.name)
        try:
            made = subprocess.run(
                self.source.command(self.binary), capture_output=True, timeout=COMPILE_LIMIT_S, check=False
            )
            if made.returncode:
                result.left_out = "it does not compile by itself"
                return result
        except subprocess.TimeoutExpired:
            result.left_out = "compiling it takes too long"
            return result
        plains = [self.once(None, PLAIN_LIMIT_S)]
        if plains[0].timed_out:
            result.left_out = f"it takes more than {PLAIN_LIMIT_S} s"
            return result
        plains.append(self.once(None, PLAIN_LIMIT_S))
        for mode in self.modes:
            self.attempt(mode, plains, result)
        return result
