# SPDX-License-Identifier: MIT
"""sampled.py - runs programs plainly and under `dwell record`, and reads back what was recorded.

For the tests record_*.py, which are started as NAME.py DWELL PROGRAMS. PROGRAMS is the folder of what is
built from tests/prog. Recording reads by `dwell report`; Raw reads the file itself, as src/recording/format.h
describes it, for what a report does not show."""
import functools
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from emulation import EMULATED, PATIENCE  # noqa: E402
from surroundings import cleared  # noqa: E402
from tap import note, ok  # noqa: E402

DWELL, PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:3])
# An emulator reads the memory that a system call gets, and ends where a file lacks the page. Our samples ask the kernel whether
# libraries can be read that are being loaded; a machine's kernel returns an error.
EMULATOR_CRASHED, TRIES = b"QEMU internal SIGBUS", 5 if EMULATED else 1
# It has no perf_event_open().
CLOCKS = ("timer",) if EMULATED else ("perf", "timer")
CPU = re.compile(r"^cpu (\d+) ([\d.]+)$", re.M)
TIMEOUT_S = 240  # a program that uses the CPU for six seconds takes a minute where hundreds of threads compete for it


def environment(**changes):
    """Ours, without what would change how a program is loaded."""
    return cleared("PROFIL_", "MALLOC_") | changes


def run(*command, **options):
    options.setdefault("env", environment())
    options.setdefault("stdin", subprocess.DEVNULL)
    options["timeout"] = options.get("timeout", TIMEOUT_S) * PATIENCE
    for _ in range(TRIES):
        answer = subprocess.run([str(word) for word in command], capture_output=True, check=False, **options)
        if not (EMULATED and EMULATOR_CRASHED in answer.stderr):
            break
    return answer


def program(name):
    return os.path.join(PROGRAMS, name)


def text(output):
    return output.decode(errors="replace")


def status_of(answer):
    """As a shell has it."""
    return answer.returncode if answer.returncode >= 0 else 128 - answer.returncode


def plain_name(symbol):
    """Without what compilers append to copies and parts of a function."""
    return re.sub(r"\.(cold|part|isra|constprop)(\.\d+)*$", "", symbol or "")


def cpu_of(answer):
    """{pid: seconds} as the program has said; the last word of each process holds."""
    return {int(pid): float(seconds) for pid, seconds in CPU.findall(text(answer.stdout))}


class Recording:
    """One run of a command under `dwell record`, and what it contains. report: options of the report that has the rows, which is
    made when they are asked for, because most of its time goes into names. wrapper: what runs dwell. keep: the path of
    the recording, which is read as it is now, since the test may change it."""

    def __init__(self, *command, options=(), report=(), wrapper=(), keep=None, **settings):
        self.folder = None if keep else tempfile.TemporaryDirectory()  # for as long as it is in use
        self.data = keep or os.path.join(self.folder.name, "dwell.data")
        self.options = report
        self.run = run(*wrapper, DWELL, "record", "-q", "-o", self.data, *options, "--", *command, **settings)
        self.size = os.path.getsize(self.data) if os.path.exists(self.data) else 0
        self.cpu = cpu_of(self.run)
        if keep:
            self.meta, self.rows = self.read(report, "samples")
            self.raw = Raw(self.data) if self.size else None

    @functools.cached_property
    def meta(self):
        return self.read((), None, "info")[0]

    @functools.cached_property
    def rows(self):
        return self.read(self.options, "samples")[1]

    @functools.cached_property
    def raw(self):
        return Raw(self.data) if self.size else None

    def read(self, options, table, verb="report"):
        answer = run(DWELL, verb, self.data, "--format", "json", *options)
        try:
            report = json.loads(answer.stdout)
            return report["meta"], report.get(table, report.get("tree"))
        except (ValueError, KeyError):
            note(f"no report of {' '.join(map(str, self.run.args))}: {text(self.run.stderr)}{text(answer.stderr)}")
            return {}, []

    @property
    def seconds(self):
        return self.meta.get("samples_ns", 0) / 1e9

    def total(self, function):
        """Seconds in a function and in what it calls."""
        return sum(row["total_ns"] for row in self.rows if plain_name(row["symbol"]) == function) / 1e9

    def self_of(self, **wanted):
        return sum(row["self_ns"] for row in self.rows
                   if all(row[key] == value for key, value in wanted.items())) / 1e9


def near(got, due, tolerance):
    return abs(got - due) <= tolerance * due


def unharmed(plain, recorded, what, normalise=lambda output: output):
    """Checks that the program did the same under dwell as without: output and exit status."""
    same = (status_of(recorded) == status_of(plain) and normalise(recorded.stdout) == normalise(plain.stdout)
            and normalise(recorded.stderr) == normalise(plain.stderr))
    if not ok(same, f"{what}: does what it does without dwell"):
        note(f"status {status_of(recorded)} instead of {status_of(plain)}")
        note(f"stdout {text(recorded.stdout[-500:])}\ninstead of {text(plain.stdout[-500:])}")
        note(f"stderr {text(recorded.stderr[-500:])}\ninstead of {text(plain.stderr[-500:])}")
    return same


def one_sentence(answer, words=""):
    """Checks for a refusal: status 2, nothing on stdout, one line with the reason."""
    said = text(answer.stderr)
    fine = (answer.returncode == 2 and not answer.stdout and said.startswith("dwell")
            and said.count("\n") == 1 and words in said)
    if not fine:
        note(f"status {answer.returncode}, wanted 2 and '{words}': {said}{text(answer.stdout[:200])}")
    return fine


# ---- the file itself ----

GRAIN, PACKED_GRAIN = 16384, 64
COMMAND_SIZE_AT, PACKED_AT, COMMAND_AT = 88, 160, 4280  # in the header
MARK = 0x47455344
PROCESS, NAMES, THREAD, COUNTS = 2, 3, 4, 5
MAP, UNMAP, SAMPLER, FRAMES, SAMPLES = 6, 7, 8, 9, 10
HEAD_BYTES = {PROCESS: 384, NAMES: 0, THREAD: 64, COUNTS: 0}
COMPLETE, NONE, TOO_DEEP, BROKEN = (0xfffffff0 + end for end in range(4))
GUESSED = 1 << 63


def whole(size, grain):
    return -(-size // grain) * grain


class Process:
    """One program image."""

    def __init__(self, pid, parent):
        self.pid = pid
        self.parent = parent  # offset of the process it was forked from; 0: none
        self.maps = []  # (time, start, end, offset, path); path None: unmapped
        self.frames = {}  # number: (caller, pc with GUESSED)
        self.samples = []  # (tid, frame, nanoseconds, time)
        self.samplers = 0  # items that tell how it is sampled

    def stack(self, frame):
        """([pc, the innermost first], why it ends, whether a frame is guessed)"""
        pcs, guessed = [], False
        while frame < BROKEN - 3:
            frame, pc = self.frames[frame]
            pcs.append(pc & ~GUESSED)
            guessed |= bool(pc & GUESSED)
        return pcs, frame, guessed


class Raw:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.processes = {}
        self.thread_segments = 0
        owners = {}  # of THREADs
        for offset, kind, size, owner in self.segments():
            if kind == PROCESS:
                pid, forked, parent = self.at("<I", offset + 64) + self.at("<I4xQ", offset + 64 + 64)
                self.processes[offset] = Process(pid, parent if forked else 0)
            if kind == THREAD:
                owners[offset] = owner
                self.thread_segments += 1
        for offset, kind, size, owner in self.segments():
            process = self.processes.get(owners.get(owner if kind == COUNTS else offset, owner))
            if process:
                self.read_items(process, offset + 64 + HEAD_BYTES[kind], offset + size)

    def at(self, form, offset):
        return struct.unpack_from(form, self.bytes, offset)

    def segments(self):
        (packed,), (command_size,) = self.at("<Q", PACKED_AT), self.at("<I", COMMAND_SIZE_AT)
        offset = whole(COMMAND_AT + command_size, PACKED_GRAIN) if packed else GRAIN
        while offset + 64 <= len(self.bytes):
            mark, kind, size, owner = self.at("<IIQQ", offset)
            if mark == MARK:
                yield offset, kind, size, owner
            offset += size if mark == MARK else PACKED_GRAIN if offset < packed else GRAIN
            if offset >= packed:
                offset = whole(offset, GRAIN)

    def read_items(self, process, at, end):
        while at + 8 <= end:
            kind, size = self.at("<II", at)
            if kind == 0:
                return
            if kind == MAP:
                path = self.bytes[at + 64:at + size].split(b"\0")[0].decode(errors="replace")
                process.maps.append((*self.at("<QQQQ", at + 8), path))
            elif kind == UNMAP:
                process.maps.append((*self.at("<QQQ", at + 8), 0, None))
            elif kind == SAMPLER:
                process.samplers += 1
            elif kind == FRAMES:
                first, count = self.at("<II", at + 8)
                words = self.at(f"<{count * 3}I", at + 24)
                for i in range(count):
                    process.frames[first + i] = (words[3 * i], words[3 * i + 1] | words[3 * i + 2] << 32)
            elif kind == SAMPLES:
                self.read_samples(process, at)
            at += size

    def read_samples(self, process, at):
        time, shift, unit_ns, tid, count = self.at("<QIIII", at + 8)
        for i in range(count):
            frame, weight, units = self.at("<IHH", at + 56 + 8 * i)
            time += units << shift
            process.samples.append((tid, frame, weight * unit_ns, time))
