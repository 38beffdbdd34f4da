#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""musl.py DWELL MUSL GLIBC - programs with musl as their libc are recorded as others are: MUSL is the folder of
tests/prog as musl-gcc builds it, GLIBC the usual one. Programs of one libc start those of the other, and both are
in the recording."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import calls_recording as calls  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import sampled  # noqa: E402
from sampled import DWELL, environment, run, status_of, text  # noqa: E402
from tap import done, note, ok  # noqa: E402

MUSL, GLIBC = (os.path.abspath(path) for path in sys.argv[2:4])

# Calls that walking the tables cannot see, as with glibc, and functions that musl does not call: it does not support
# .preinit_array. {(program, symbol): calls that are seen}
CANNOT = {("sees_opens", "sees_twice"): 0, ("sees_dlsym", "sees_thrice"): 0, ("sees_phases", "sees_twice"): 0}
OURS = ["-f", calls.OURS]

CASES = [
    ("sees_direct_lazy",), ("sees_direct_now",), ("sees_direct_noplt",), ("sees_direct_fixed",),
    ("sees_pointers_lazy",), ("sees_pointers_now",), ("sees_pointers_noplt",), ("sees_pointers_fixed",),
    ("sees_copied",), ("sees_dlsym",), ("sees_phases",), ("sees_threads",),
    ("sees_opens", "now"), ("sees_opens", "lazy"), ("sees_opens", "global"),
]


def expected_of(name, output):
    return {key: next((CANNOT[name, symbol] for symbol in key[0] if (name, symbol) in CANNOT), count)
            for key, count in calls.expectations(output).items()}


def counts():
    """Checks the counts that each program expects."""
    for name, *arguments in CASES:
        title = " ".join([name, *arguments])
        plain = run(f"{MUSL}/{name}", *arguments)
        expected = expected_of(name, plain.stdout)
        # That one compares addresses, by a call that is not expected.
        chosen = [*OURS, "-x", "sees_compared"] if name == "sees_dlsym" else OURS
        for options in ([], ["--count"], ["--via", "got"]):
            recording = calls.Recording(f"{MUSL}/{name}", *arguments, options=[*chosen, *options])
            shown = " ".join([title, *options])
            calls.behaves(plain, recording.run, shown)
            wrong = calls.difference(expected, recording.rows)
            if not ok(expected and recording.rows and not wrong, f"{shown}: every call is counted, and once"):
                note("\n".join(wrong))
        calls.behaves(plain, calls.Recording(f"{MUSL}/{name}", *arguments, options=["-f", "*"]).run, f"{title}, all functions")



def refused():
    answer = run(DWELL, "calls", "--via", "audit", "-f", "*", "-o", os.devnull, f"{MUSL}/sees_threads")
    ok(status_of(answer) == 2 and not answer.stdout and text(answer.stderr).count("\n") == 1
       and "does not support auditing" in text(answer.stderr), "--via audit: is refused in a sentence")
    note(text(answer.stderr))
    recording = calls.Recording(f"{MUSL}/sees_threads", options=["-f", "*", "--via", "audit", "--run-anyway"])
    ok(recording.run.stdout == run(f"{MUSL}/sees_threads").stdout, "--run-anyway: runs it without us")


def listed():
    answer = run(DWELL, "list", f"{MUSL}/sees_threads")
    lines = text(answer.stdout).splitlines()
    ok(answer.returncode == 0 and "  sees_add" in lines and any("libsees_basic.so" in line for line in lines),
       "dwell list: tells what it imports from its libraries")
    ok(any(line.startswith("ld-musl-") for line in lines) and "  pthread_create" in lines,
       "dwell list: and from its libc, which is its linker")
    answer = run(DWELL, "doctor")
    ok("musl programs" in text(answer.stdout), "dwell doctor: reports them")
    note(text(answer.stdout))


# ---- one starts the other ----

def exec_of_the_other():
    for first, second, title in ((MUSL, GLIBC, "musl to glibc"), (GLIBC, MUSL, "glibc to musl"), (MUSL, MUSL, "musl to musl")):
        command = (f"{first}/record_ends", "exec", "0.3", f"{second}/record_load", "one_thread", "0.3")
        plain, recording = run(*command), sampled.Recording(*command)
        found = [recording.total(name) for name in ("before_the_end", "burn_a")]
        note(found)
        ok(recording.run.stderr == plain.stderr == b"" and status_of(recording.run) == status_of(plain) == 0,
           f"exec, {title}: no linker complains")
        ok(min(found) > 0.27, f"exec, {title}: both are sampled, and have names")


def children_of_the_other():
    script = f"{MUSL}/sees_threads; {GLIBC}/sees_threads; {MUSL}/sees_threads"
    plain = run("sh", "-c", script)
    once = calls.expectations(run(f"{MUSL}/sees_threads").stdout)
    for options in ([], ["--via", "got"]):
        recording = calls.Recording("sh", "-c", script, options=[*OURS, *options])
        shown = " ".join(["a shell that starts both", *options])
        calls.behaves(plain, recording.run, shown)
        wrong = calls.difference({key: 3 * count for key, count in once.items()}, recording.rows)
        if not ok(not wrong, f"{shown}: the calls of all three are counted"):
            note("\n".join(wrong))


def both_at_once():
    command = (f"{MUSL}/sees_threads",)
    recording = sampled.Recording(*command, options=["--calls", calls.OURS])
    ok(recording.run.stdout == run(*command).stdout and status_of(recording.run) == 0, "record --calls: runs as it does")


# ---- a dwell that was built without musl-gcc ----

def without_libraries():
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(os.path.dirname(DWELL), "runtime"), f"{folder}/libraries",
                        ignore=shutil.ignore_patterns("*.p", "*.a"))
        shutil.rmtree(f"{folder}/libraries/$PLATFORM")
        env = environment(DWELL_LIBDIR=f"{folder}/libraries")
        command = (f"{MUSL}/record_load", "one_thread", "0.3")
        recording = sampled.Recording(*command, env=env)
        ok(status_of(recording.run) == 0 and recording.total("burn_a") > 0.25, "without our libraries: it is sampled from outside")
        answer = run(DWELL, "calls", "-f", "*", "-o", f"{folder}/data", *command, env=env)
        ok(status_of(answer) == 2 and "musl" in text(answer.stderr), "and dwell calls says what is missing")
        note(text(answer.stderr))
        shell = ("sh", "-c", f"{' '.join(command)}; echo done")
        recording = sampled.Recording(*shell, env=env)
        ok(recording.run.stderr == b"" and recording.run.stdout.endswith(b"done\n"),
           "a program of glibc starts it: it runs, and its linker says nothing")


counts()
refused()
listed()
exec_of_the_other()
children_of_the_other()
both_at_once()
without_libraries()
done()
