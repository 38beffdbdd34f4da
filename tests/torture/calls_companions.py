#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_companions.py DWELL FOLDER - other tools that stand between a program and its libraries: replacements of
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
    "libmimalloc": "libmimalloc.so.*",
    "libtcmalloc-minimal4": "libtcmalloc_minimal.so.4",
}

# LLVM's unwinder is that of programs built with -lunwind; the other one can also throw exceptions.
UNWINDERS = {"LLVM's libunwind": "libunwind.so.1", "libunwind8": "libunwind.so.8"}


def find(name):
    """Returns the path of a library, or None if it is not installed."""
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
        # From all objects, also from the library itself.
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


def without_dwell(path):
    """Returns what the program saw of its surroundings, without dwell's own variables; and the list of auditors."""
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.split(" pipe:")[0] for line in file.read().splitlines()]
    os.unlink(path)
    own = tuple(f"environment {name}=" for name in ("LD_PRELOAD", "LD_AUDIT", "DWELL_DATA"))
    return ([line for line in lines if not line.startswith(own)],
            [line for line in lines if line.startswith("environment LD_AUDIT=")])


def restarts(runner):
    """Checks that a program whose libraries need more static TLS than an auditor leaves starts twice, and does not
    notice."""
    env = {"LD_PRELOAD": runner.path("calls_plugins/libcalls_plugin_tls8192.so")}
    path = runner.in_scratch("world")
    ways = {
        "itself": [runner.path("sees_world"), path, "an argument", ""],
        "by a shell": ["sh", "-c", '"$@"', "sh", runner.path("sees_world"), path],
        "by its linker": ["sh", "-c", 'exec "$@"', "sh", linker_of(runner.path("sees_world")), runner.path("sees_world"), path],
    }
    for name, command in ways.items():
        run(command, env=env, cwd=runner.scratch)
        plain, _ = without_dwell(path)
        outcome, report, _ = runner.profile(["-f", "*"], command, env=env)
        found, auditors = without_dwell(path) if os.path.exists(path) else ([], [])
        if not ok(found == plain and plain, f"started again, {name}: surroundings are as without dwell"):
            note("\n".join([str(outcome), *sorted(set(plain) ^ set(found))]))
        ok(len(auditors) == 1 and auditors[0].endswith("libdwell-audit.so"),
           f"started again, {name}: what it starts has the auditor")
        processes = report["meta"]["processes"] if report else 0
        if not ok(processes == (2 if name == "by a shell" else 1), f"started again, {name}: it is one process"):
            note(str(processes))


def linker_of(program):
    with open(program, "rb") as file:
        head = file.read(4096)
    start = head.index(b"/lib")
    return head[start:head.index(b"\0", start)].decode()


def works_or_is_refused(runner, what, before, target, env=None, counted_only=False):
    """Checks that the tool that runs the program is profiled with it, or that one sentence gives the reason."""
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
    problems = judge(report, read_expectations(expectations), counted_only) if report else [problem]
    # A message that the program could not be seen is fine, as long as the program runs.
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
    restarts(runner)
    if shutil.which("valgrind"):
        works_or_is_refused(runner, "a program under valgrind", ["valgrind", "-q"], "calls_scarcity")
    else:
        skip("a program under valgrind", "valgrind is not installed")
    if runner.has("calls_asan"):
        works_or_is_refused(runner, "a program with the address sanitizer", [], "calls_asan",
                            env={"ASAN_OPTIONS": "detect_leaks=0"}, counted_only=True)
    else:
        skip("a program with the address sanitizer", "the compiler has none")
    runner.close()
    done()


if __name__ == "__main__":
    main(*sys.argv[1:])
