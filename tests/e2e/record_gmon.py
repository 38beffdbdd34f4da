#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_gmon.py DWELL PROGRAMS - programs built with -pg under `dwell record`: the recording contains the exact
calls that their functions count, and `dwell export -f gmon` writes them for gprof."""
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from gmon_counts import GmonFile, by_gprof, said  # noqa: E402
from emulation import NO_WIPE, wipes_on_fork  # noqa: E402
from sampled import DWELL, Raw, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

TARGET = program("gmon_target")


class Recorded:
    """One run under `dwell record`, in a folder of its own."""

    def __init__(self, folder, *command, options=(), before=()):
        self.folder = folder
        self.data = f"{folder}/dwell.data"
        self.answer = run(*before, DWELL, "record", "-q", "-o", self.data, *options, "--", *command, cwd=folder, timeout=120)
        self.said = said(self.answer.stdout)
        if self.answer.stderr:
            note(text(self.answer.stderr))

    def export(self, *options, of=None, data=None):
        path = f"{self.folder}/exported"
        answer = run(DWELL, "export", "-f", "gmon", "-o", path, *options, data or self.data)
        if answer.returncode:
            note(text(answer.stderr))
            return None
        return GmonFile(path, of or TARGET)

    def is_exact(self, *options):
        file = self.export(*options)
        wrong = [f"{name}: {count}, and {file and file.called(name)}" for name, count in self.said.items()
                 if not file or file.called(name) != count]
        note("\n".join(wrong))
        return bool(self.said) and not wrong


def exact():
    for target in filter(os.path.exists, (TARGET, program("gmon_fentry"))):
        for what, count in (("threads", 1000000), ("arguments", 1000), ("many", 3), ("signals", 300), ("jumps", 5000),
                            ("generations", 300)):
            with tempfile.TemporaryDirectory() as folder:
                one = Recorded(folder, target, what, count)
                file = one.export(of=target)
                right = file and all(file.called(name) == count for name, count in one.said.items())
                ok(one.said and right and not any(name.startswith("gmon") for name in os.listdir(folder)),
                   f"{what}: calls as the program says, and no gmon.out, {os.path.basename(target)}")
                if what == "threads" and shutil.which("gprof"):
                    flat = by_gprof(target, f"{folder}/exported")[0]
                    ok(flat.get("raced") == 8000000, "gprof reads it")


def above_libraries():
    """Checks a program that is above its libraries: Linux maps it there if the stack has no limit."""
    unlimited = ["sh", "-c", 'ulimit -s unlimited && exec "$@"', "sh"]
    if run(*unlimited, "true").returncode:
        skip("a program above its libraries", "this user must not have an unlimited stack")
        return
    with tempfile.TemporaryDirectory() as folder:
        one = Recorded(folder, TARGET, "threads", 1000, before=unlimited)
        ok(one.is_exact(), "a program above its libraries: exact")


def endings():
    for how in ("9", "_exit", "abort", "15", "exec"):
        with tempfile.TemporaryDirectory() as folder:
            one = Recorded(folder, TARGET, "threads", 1000, how)
            ok(one.is_exact(), f"it ends by {how}: exact")


def libraries():
    with tempfile.TemporaryDirectory() as folder:
        one = Recorded(folder, TARGET, "library", 400)
        file = one.export("--object", "libgmon_library.so", of=program("libgmon_library.so"))
        ok(file and file.called("library_outer") == 400 and file.called("library_inner") == 1200,
           "--object writes a library that was built with -pg")
    with tempfile.TemporaryDirectory() as folder:
        one = Recorded(folder, TARGET, "plugins", os.path.dirname(TARGET))
        for side in ("left", "right"):
            name = f"libgmon_plugin_{side}.so"
            file = one.export("--object", name, of=program(name))
            count = file and file.called(f"{side}_plugged")
            ok(count and count == one.said[f"{side}_plugged"], f"a library that comes and goes, 20 times: {count} calls")


def children():
    with tempfile.TemporaryDirectory() as folder:
        one = Recorded(folder, TARGET, "forks", 1000)
        file = one.export()
        ok(file and file.called("raced") == 3000, "a child of a fork counts for itself, and all are added up")
    with tempfile.TemporaryDirectory() as folder:
        one = Recorded(folder, TARGET, "forks", 1000, options=["--no-follow"])
        file = one.export()
        ok(file and file.called("raced") == 1000, "--no-follow leaves it out")
    # With the other runtime, ours begins earlier, and notices forks before the sampler does.
    for options in ([], ["--calls", "fork"]):
        if options and not wipes_on_fork():
            skip("each process has one sampler, beside calls", NO_WIPE)
            continue
        with tempfile.TemporaryDirectory() as folder:
            one = Recorded(folder, TARGET, "forks", 1000, options=options)
            samplers = [process.samplers for process in Raw(one.data).processes.values()]
            ok(len(samplers) > 1 and set(samplers) == {1}, f"each process has one sampler {' '.join(options)}: {samplers}")


def report():
    with tempfile.TemporaryDirectory() as folder:
        one = Recorded(folder, TARGET, "time", 300)
        lines = text(run(DWELL, "report", one.data).stdout).splitlines()
        rows = json.loads(run(DWELL, "report", "--format", "json", one.data).stdout)["samples"]
        calls = {row["name"]: row["calls"] for row in rows}
        ok(lines[0].split() == ["self", "total", "samples", "share", "calls", "function", "object"] and
           any("calls were counted by functions built with -pg" in line for line in lines), "dwell report has their calls")
        ok(calls.get("spin_until") == 2 and calls.get("main") == 1 and calls.get("spin") == 1, "of each function")
        rows = json.loads(run(DWELL, "report", "--format", "json", "--focus", "spin", one.data).stdout)["samples"]
        names = {row["name"] for row in rows}
        ok("spin" in names and "main" not in names, "but for those that have none of the samples that were asked for")
    with tempfile.TemporaryDirectory() as folder:
        one = Recorded(folder, TARGET, "threads", 1000)
        rows = json.loads(run(DWELL, "report", "--format", "json", one.data).stdout)["samples"]
        calls = {row["name"]: row["calls"] for row in rows}
        ok(calls.get("raced") == 8000 and calls.get("race") == 8, "also of those that were never sampled")


def beside_calls():
    """Checks that `dwell record --calls` counts as without --calls, and that `dwell calls`, which samples nothing,
    leaves all of it to libc."""
    for via in ("audit", "got"):
        with tempfile.TemporaryDirectory() as folder:
            one = Recorded(folder, TARGET, "threads", 1000, options=["--calls", "strlen", "--via", via])
            ok(one.is_exact() and not os.path.exists(f"{folder}/gmon.out"), f"--calls --via {via}: exact")
    for target in filter(os.path.exists, (TARGET, program("gmon_fentry"))):
        for via in ("audit", "got"):
            with tempfile.TemporaryDirectory() as folder:
                run(target, "arguments", 1000, cwd=folder)
                os.rename(f"{folder}/gmon.out", f"{folder}/plain.out")
                answer = run(DWELL, "calls", "-q", "-f", "strlen", "--via", via, "-o", f"{folder}/dwell.data", "--", target,
                             "arguments", 1000, cwd=folder, timeout=120)
                plain, under = (GmonFile(f"{folder}/{name}.out", target) for name in ("plain", "gmon"))
                counts = {name: (plain.called(name), under.called(name)) for name in said(answer.stdout)}
                note(f"without dwell, and with it: {counts}")
                ok(counts and all(one == other and one for one, other in counts.values()),
                   f"dwell calls --via {via}: {os.path.basename(target)} writes the gmon.out that it writes without dwell")


def full_disk():
    with tempfile.TemporaryDirectory() as folder:
        # The shell counts in half kilobytes; 10,000 arcs take 240 of them, besides the start of the recording.
        one = Recorded(folder, "sh", "-c", 'ulimit -f 320; exec "$@"', "sh", TARGET, "many", 4)
        answer = run(DWELL, "report", "--format", "json", one.data)
        lost = json.loads(answer.stdout)["meta"]["lost_calls"]
        file = one.export("--object", "gmon_target")
        counted = file.called("from_anywhere") if file else 0
        note(f"{counted} calls were counted, {lost} were not")
        # A few of the lost ones may be calls of main() and the like, of which there are five at most.
        ok(lost > 0 and 0 <= counted + lost - one.said["from_anywhere"] <= 5 and one.answer.returncode == 0,
           "calls that do not fit are lost, but not silently")
        ok(b"LOST: calls that were not counted" in run(DWELL, "report", one.data).stdout, "the report says so")


def archive():
    with tempfile.TemporaryDirectory() as folder:
        one = Recorded(folder, TARGET, "threads", 1000)
        packed = f"{folder}/packed"
        answer = run(DWELL, "archive", "-o", packed, one.data)
        ok(answer.returncode == 0 and os.path.getsize(packed) > 0 and
           run(DWELL, "report", packed).stdout == run(DWELL, "report", one.data).stdout, "an archive of it says the same")


def main():
    exact()
    above_libraries()
    endings()
    libraries()
    children()
    report()
    beside_calls()
    full_disk()
    archive()
    if not shutil.which("gprof"):
        skip("gprof reads it", "gprof is not installed")
    done()


if __name__ == "__main__":
    main()
