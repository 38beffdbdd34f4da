#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_lost.py DWELL PROGRAMS - a program goes on as if nothing had happened when its recording is truncated,
deleted or replaced, or when the file system below it disappears, with the program's own handler for SIGBUS in
place; and dwell reports that the recording is lost."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import EMULATED, NO_PERF, NO_WIPE, wipes_on_fork  # noqa: E402
from sampled import DWELL, PROGRAMS, program, run, text, unharmed  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

IS_MUSL = os.path.basename(PROGRAMS) == "musl"
MODES = [["record", "--clock", "perf"], ["record", "--clock", "timer"], ["calls", "-f", "*"],
         ["record", "--calls", "*"], ["record", "--engine", "outside"]]
if not IS_MUSL:
    MODES.append(["calls", "--via", "got", "-f", "*"])
CUT, GONE = "truncated", "deleted, moved or replaced"
UNPLUGGED = "Transport endpoint is not connected"
MOUNT_S = 20


def work_of(mode):
    """Returns a rate and the seconds for 60 samples of each piece of the program's work. The timer clock samples in the
    kernel's ticks only, and calls are not sampled. Samples beside calls keep their usual rate, and so do those from outside,
    which would not be in the file yet when it is lost."""
    if mode[0] == "calls":
        return (), 0.001
    is_usual = "timer" in mode or "--calls" in mode or "outside" in mode
    return ((), 0.06) if is_usual else (("-F", 3000), 0.02)


def answer_of(mode, how, data, *options):
    rate, seconds = work_of(mode)
    # Only the auditor binds functions late, which musl has not. Counters by the GOT, and more of other CPUs' wrappers than of
    # x86-64's, may be on a page that is lost just then: see docs/CALLS.md.
    late = () if "got" in mode or IS_MUSL or os.uname().machine != "x86_64" else ("late",)
    return run(DWELL, *mode, *rate, *options, "-o", data, program("record_lost"), how, data, seconds, *late)


def lose(mode, how, word, plain):
    title = f"{' '.join(mode)}, {how}"
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        answer = answer_of(mode, how, data)
        said = text(answer.stderr)
        ok(answer.stdout == plain.stdout, f"{title}: the program does what it does without dwell")
        ok(answer.returncode == 2 and "recording is lost" in said and data in said and word in said,
           f"{title}: dwell says so, and exits with 2")
        note(text(answer.stdout) + said)
        if how == "replace":
            with open(data, "rb") as file:
                ok(file.read() == b"not a recording\n", f"{title}: the other file stays as it is")


class Drive:
    """A file system that is served by a process: bindfs, which shows one folder as another."""

    def __init__(self, folder):
        self.path = f"{folder}/drive"
        for path in (self.path, f"{folder}/files"):
            os.mkdir(path)
        self.daemon = subprocess.Popen(["bindfs", "-f", f"{folder}/files", self.path], stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + MOUNT_S
        while self.daemon.poll() is None and time.monotonic() < until and not os.path.ismount(self.path):
            time.sleep(0.02)
        self.refusal = "" if os.path.ismount(self.path) else "bindfs cannot mount here"

    def remove(self):
        self.daemon.kill()
        self.daemon.communicate()
        if not self.refusal:
            subprocess.run(["umount", "-l", self.path] if os.geteuid() == 0 else ["fusermount3", "-uz", self.path], check=True)


def unplug(mode, plain):
    """Kills the process that serves the file system: its pages fault, and writes fail."""
    title = f"{' '.join(mode)}, the file system is gone"
    with tempfile.TemporaryDirectory() as folder:
        drive = Drive(folder)
        if drive.refusal:
            skip(title, drive.refusal)
        else:
            data = f"{drive.path}/data"
            answer = answer_of(mode, drive.daemon.pid, data)
            said = text(answer.stderr)
            ok(answer.stdout == plain.stdout and drive.daemon.poll() is not None,
               f"{title}: the program does what it does without dwell")
            ok(answer.returncode == 2 and "recording is lost" in said and data in said and UNPLUGGED in said,
               f"{title}: dwell says so, and exits with 2")
            note(text(answer.stdout) + said)
        drive.remove()


def possible(mode):
    """Returns whether a mode, in which the program forks, can be tried; skips it otherwise."""
    why = None
    if EMULATED and ("perf" in mode or "outside" in mode):
        why = NO_PERF
    elif ("calls" in mode or "--calls" in mode) and not wipes_on_fork():
        why = NO_WIPE
    if why:
        skip(" ".join(mode), why)
    return not why


def main():
    modes = [mode for mode in MODES if possible(mode)]
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        plain = run(program("record_lost"), "nothing", data, 0.001)
        ok(plain.returncode == 0 and plain.stdout.endswith(b"fine\n"), "without dwell it is fine")
        for mode in modes:
            quiet = answer_of(mode, "nothing", data, "-q")
            unharmed(plain, quiet, f"{' '.join(mode)}: its own SIGBUS")
    for mode in modes:
        for how, word in (("truncate", CUT), ("halve", CUT), ("delete", GONE), ("replace", GONE)):
            lose(mode, how, word, plain)
        if shutil.which("bindfs"):
            unplug(mode, plain)
        else:
            skip(f"{' '.join(mode)}, the file system is gone", "there is no bindfs")


main()
done()
