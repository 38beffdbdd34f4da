#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gmon.py DWELL PROGRAMS LIBRARY - programs built with -pg under libprofil-gmon.so: GNU gprof reads from their
files what they have done, however they end."""
import os
import shutil
import signal
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from gmon_counts import GmonFile, by_gprof, said  # noqa: E402
from sampled import environment, program, run, status_of, text  # noqa: E402
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

LIBRARY = os.path.abspath(sys.argv[3])
TARGET = program("gmon_target")


class Run:
    """A program that has run in a folder of its own; files: the ones that it has left, by name."""

    def __init__(self, *command, preload=LIBRARY, **changes):
        env = environment(LD_PRELOAD=preload, **changes)
        with tempfile.TemporaryDirectory() as folder:
            self.answer = run(*command, cwd=folder, env=env)
            self.said = said(self.answer.stdout)
            self.names = sorted(os.listdir(folder))
            self.read(folder, command[0])
        if self.answer.stderr:
            note(text(self.answer.stderr))

    def read(self, folder, path):
        """Reads the program's file and that of the library that was built with -pg; by gprof as well."""
        self.program = self.library = None
        self.flat = self.seconds = self.flat_library = {}
        for name in self.names:
            if name.endswith(".libgmon_library.so"):
                self.library = GmonFile(f"{folder}/{name}", program("libgmon_library.so"))
                if shutil.which("gprof"):
                    self.flat_library = by_gprof(program("libgmon_library.so"), f"{folder}/{name}")[0]
            elif name == "gmon.out" or name.startswith("other.") and name.count(".") == 1:
                self.program = GmonFile(f"{folder}/{name}", path)
                if shutil.which("gprof"):
                    self.flat, self.seconds = by_gprof(path, f"{folder}/{name}")

    def is_exact(self):
        """Checks the calls of each function that the program has printed, in the file and by gprof."""
        wrong = [f"{name}: {count} and {self.program.called(name)}" for name, count in self.said.items()
                 if self.program.called(name) != count or shutil.which("gprof") and self.flat.get(name) != count]
        note("\n".join(wrong))
        return bool(self.said) and not wrong


def counts():
    for target in filter(os.path.exists, (TARGET, program("gmon_fentry"))):
        how = "by mcount" if target == TARGET else "by __fentry__"
        for what, count in (("arguments", 1000), ("many", 3), ("jumps", 5000), ("generations", 300), ("threads", 100000)):
            one = Run(target, what, count)
            ok(one.answer.returncode == 0 and one.is_exact(), f"{what}: calls as the program says, {how}")
    one = Run(TARGET, "controlled", 1000)
    ok(one.is_exact(), "moncontrol() turns it off and on")
    for what, count in (("arguments", 1000), ("many", 3), ("threads", 100000), ("forks", 10)):
        one = Run(program("gmon_static"), what, count, preload="")
        ok(one.answer.returncode == 0 and one.is_exact(), f"{what}: calls as the program says, linked with libprofil.a")
    for how in ("_exit", "quick_exit", "abort", "15"):
        one = Run(program("gmon_static"), "threads", 1000, how, preload="")
        ok(one.program and one.is_exact(), f"it ends by {how}, linked with libprofil.a")


def libraries():
    one = Run(TARGET, "library", 400)
    file = one.library
    ok(file and file.calls.get(("library_outer", "library_inner")) == 1200 and file.called("library_outer") == 400 and
       file.calls.get(("library_outer", "library_outer")) == 399,
       "a library that was built with -pg has a file, with its own addresses")
    if shutil.which("gprof"):
        # gprof leaves recursive calls out of this column.
        ok(one.flat_library == {"library_inner": 1200, "library_outer": 1}, "and gprof reads it")
    else:
        skip("and gprof reads it", "gprof is not installed")
    one = Run(program("gmon_host"))
    ok(one.library and one.library.called("library_outer") == 500 and "gmon.out" in one.names,
       "also where the program was not built with -pg")
    one = Run("/bin/true")
    ok(one.answer.returncode == 0 and not one.names, "where nothing was, nothing is written")


def plugins():
    with tempfile.TemporaryDirectory() as folder:
        answer = run(TARGET, "plugins", os.path.dirname(TARGET), cwd=folder, env=environment(LD_PRELOAD=LIBRARY))
        due = said(answer.stdout)
        for side in ("left", "right"):
            name = f"{side}_plugged"
            path = f"{folder}/gmon.out.libgmon_plugin_{side}.so"
            found = GmonFile(path, program(f"libgmon_plugin_{side}.so")).called(name) if os.path.exists(path) else None
            ok(found == due.get(name) and found, f"a library that comes and goes, 20 times: {found} calls")


def names():
    one = Run(TARGET, "threads", 10)
    ok("gmon.out" in one.names, "gmon.out where the program is when it ends")
    one = Run(TARGET, "library", 10, GMON_OUT_PREFIX="other")
    ok(all(name.startswith("other.") for name in one.names) and one.names[0].split(".")[1].isdigit() and one.library,
       f"GMON_OUT_PREFIX: {' '.join(one.names)}")
    with tempfile.TemporaryDirectory() as folder:
        answer = run(TARGET, "forks", 1000, cwd=folder, env=environment(LD_PRELOAD=LIBRARY))
        children = [name for name in os.listdir(folder) if name.removeprefix("gmon.out.").isdigit()]
        ok(GmonFile(f"{folder}/gmon.out", TARGET).called("raced") == said(answer.stdout)["raced"] == 1000 and
           len(children) == 1 and GmonFile(f"{folder}/{children[0]}", TARGET).called("raced") == 2000,
           "the child of a fork has a file of its own, with what it did itself")
    answer = run(TARGET, "threads", 10, cwd="/proc/self", env=environment(LD_PRELOAD=LIBRARY))
    ok(answer.returncode == 0 and text(answer.stderr).startswith("libprofil: cannot write gmon.out"),
       "where nothing can be written, a line says so, and the program does not notice")


def endings():
    for how in ("exit", "_exit", "quick_exit", "abort", "fault", "exec", *(
            str(int(sig)) for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM))):
        with tempfile.TemporaryDirectory() as folder:
            plain = run(TARGET, "threads", 1000, how, cwd=folder)
        one = Run(TARGET, "threads", 1000, how)
        ok(one.program and one.is_exact() and status_of(one.answer) == status_of(plain),
           f"it ends by {how}: exact, and status {status_of(one.answer)}")


def time(target, preload, what):
    def measure():
        one = Run(target, "time", 600, preload=preload, PROFIL_HZ="1000")
        used = float(text(one.answer.stdout).split("cpu ")[1])
        # Time that the kernel spent on behalf of the program is in libc's file or in none.
        found = one.program.ticks.get("spin_until", 0) / 1000
        note(f"{found} s of {used} s are in spin_until()")
        return one.program.rate == 1000 and 0.85 * used < found < 1.05 * used

    # Both threads do nothing else, apart from getrusage().
    ok_in_three(measure, f"{what}: the time of all threads, within 15 % of their CPU time")


def main():
    counts()
    libraries()
    plugins()
    names()
    endings()
    time(TARGET, LIBRARY, "built with -pg")
    time(program("gmon_early"), LIBRARY, "started before all constructors")
    time(program("gmon_static"), "", "linked with libprofil.a")
    time(program("gmon_relinked"), "", "linked with gcrt-dwell.o")
    done()


if __name__ == "__main__":
    main()
