#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_companions.py DWELL FOLDER - others that also stand between a program and its libraries: replacements of
malloc(), other unwinders, valgrind, the address sanitizer."""
import glob
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_runner import Runner, judge, read_expectations, run  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import done, note, ok, skip  # noqa: E402

FOLDERS = ("/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib")
LIBRARIES = ["-f", "libcalls*:*"]
OF_MALLOC = ["-f", "malloc,free,calloc,realloc", "--from", "calls_mallocs"]

# Debian's package: the library.
MALLOCS = {
    "libc6": None,
    "libjemalloc2": "libjemalloc.so.2",
    "libmimalloc2.0": "libmimalloc.so.2*",
    "libtcmalloc-minimal4": "libtcmalloc_minimal.so.4",
}

# LLVM's is that of programs built with -lunwind; the other one can also throw exceptions.
UNWINDERS = {"libunwind-14": "libunwind.so.1", "libunwind8": "libunwind.so.8"}


def find(name):
    """The path of a library that may be installed."""
    found = [path for folder in FOLDERS for path in sorted(glob.glob(os.path.join(folder, name)))]
    return found[0] if found else None


def mallocs(runner):
    for package, library in MALLOCS.items():
        path = find(library) if library else None
        if library and not path:
            skip(f"malloc() of {package}", f"{package} is not installed")
            continue
        runner.points("calls_mallocs", "in_threads", preload=path, variants={
            f"{package}, by name": OF_MALLOC,
            f"{package}, by GOT": [*OF_MALLOC, "--via", "got"],
            f"{package}, all functions": ["-f", "*", "--from", "calls_mallocs"],
        })
        # And from everywhere, also from the library itself.
        runner.points("calls_threads", "detached", preload=path, variants={f"{package}, from everywhere": ["-f", "*"]})


def unwinders(runner):
    for package, library in UNWINDERS.items():
        path = find(library)
        if not path:
            skip(f"exceptions by {package}", f"{package} is not installed")
            continue
        for scenario in ("by_the_function", "through_several", "rethrow", "deep", "in_destructors", "across_threads"):
            if runner.plain("calls_exceptions", scenario, env={"LD_PRELOAD": path}).status:
                skip(f"{scenario} by {package}", "it does not work without dwell either")
            else:
                runner.points("calls_exceptions", scenario, preload=path, variants={package: LIBRARIES})


def works_or_is_refused(runner, what, before, target, env=None):
    """What runs the program is profiled with it, or one sentence says why not."""
    command, expectations = runner.command(target, "just_work")
    plain = run([*before, *command], env=env, cwd=runner.scratch)
    if not os.path.exists(expectations):
        skip(what, f"it does not run without dwell either: {plain.stderr.strip()}")
        return
    os.unlink(expectations)
    outcome, report, problem = runner.profile(LIBRARIES, [*before, *command], env=env)
    if outcome.status == 2 and not outcome.stdout and outcome.stderr.count("\n") == 1:
        ok(True, f"{what} is refused: {outcome.stderr.strip()}")
        return
    problems = judge(report, read_expectations(expectations)) if report else [problem]
    # It may say that it could not see the program, as long as that runs.
    said = outcome.stderr.replace(plain.stderr, "", 1)
    if outcome.status == plain.status and outcome.stdout == plain.stdout and said.count("\n") == 1:
        ok(said.startswith("dwell calls: "), f"{what} runs as without dwell, which says: {said.strip()}")
    elif not ok(outcome == plain and not problems, f"{what} works"):
        note("\n".join([f"without dwell: {plain}with dwell: {outcome}", *problems]))


def main(dwell, folder):
    runner = Runner(dwell, folder)
    mallocs(runner)
    if runner.has("calls_exceptions"):
        unwinders(runner)
    if shutil.which("valgrind"):
        works_or_is_refused(runner, "a program under valgrind", ["valgrind", "-q"], "calls_scarcity")
    else:
        skip("a program under valgrind", "valgrind is not installed")
    if runner.has("calls_asan"):
        works_or_is_refused(runner, "a program with the address sanitizer", [], "calls_asan",
                            env={"ASAN_OPTIONS": "detect_leaks=0"})
    else:
        skip("a program with the address sanitizer", "the compiler has none")
    runner.close()
    done()


if __name__ == "__main__":
    main(*sys.argv[1:])
