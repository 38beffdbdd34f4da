#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_maps.py DWELL PROGRAMS - addresses get the name of the mapping at the time: libraries that replace each
other, code made at run time, the vdso."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import COARSE, EMULATED, NO_PERF, NO_VDSO, VDSO_CLOCK, has_vdso  # noqa: E402
from sampled import DWELL, Recording, near, program, run, status_of, text, unharmed  # noqa: E402
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

LIBRARIES = [program(f"librecord_plugin_{side}.so") for side in ("left", "right")]
HZ = 2000
BUILD_ID = re.compile(r"Build ID: ([0-9a-f]+)")
HEXADECIMAL = re.compile(r"[0-9a-f]{16}")


def command(how):
    return (program("record_plugins"), how, *LIBRARIES)


def without_figures(output):
    """Drops what differs from run to run: a segment of the recording that is mapped between two libraries moves one of them."""
    return b"".join(line for line in output.splitlines(True) if not line.startswith((b"cpu ", b"same place ")))


def times_in_place(answer):
    return int(re.search(rb"same place (\d+)", answer.stdout)[1])


def one_after_the_other(clock):
    recording = Recording(*command("loop"), options=["--clock", clock, "-F", HZ])
    left, right = recording.total("left_work"), recording.total("right_work")
    note(f"left {left:.3f} s of 0.1, right {right:.3f} s of 0.3; {recording.cpu}, {text(recording.run.stdout)}")
    return near(left, 0.1, 0.1) and near(right, 0.3, 0.1)


def libraries():
    plain = run(*command("loop"))
    if times_in_place(plain) != 20:
        skip("two libraries in one place", f"the linker puts them elsewhere: {text(plain.stdout)}")
    else:
        under = Recording(*command("loop")).run
        unharmed(plain, under, "two libraries in one place, one after the other", without_figures)
        ok(times_in_place(under) >= 15, f"they are in one place {times_in_place(under)} times of 20")
    # A tick of the timer clock is up to 10 ms, twice the shortest time that a library is mapped: shares are
    # right on average only, so they are checked with the perf clock alone.
    what = "each has the samples of its own work, within 10 %"
    if EMULATED:
        skip(what, NO_PERF)
    else:
        ok_in_three(lambda: one_after_the_other("perf"), what)
    recording = Recording(*command("loop"), options=["-F", 10000])
    ok(recording.meta.get("samples_broken", 1) <= 0.01 * recording.meta.get("samples", 0),
       "their stacks are followed to the end, in at least 99 %")
    recording = Recording(*command("once"), options=["-F", HZ])
    ok(near(recording.total("left_work"), 0.15, 0.1),
       f"one that is open for a short time has its name: {recording.total('left_work'):.3f} s of 0.15")
    recording = Recording(*command("fork"), options=["-F", HZ])
    ok(near(recording.total("left_work"), 0.2, 0.1),
       f"a child knows what its parent has closed since: {recording.total('left_work'):.3f} s of 0.2")


def forget_names(recording):
    for line in text(recording.run.stdout).splitlines():
        if line.startswith("/tmp/perf-"):
            os.unlink(line)


def has_shares():
    """400 samples of two functions, one of which has a quarter of them: its share varies by 9 %."""
    recording = Recording(*command("jit"), options=["-F", HZ])
    first, second = recording.total("jit_first"), recording.total("jit_second")
    note(f"first {first:.3f} s, second {second:.3f} s")
    forget_names(recording)
    return near(first + second, 0.2, 0.1) and near(second / (first or 1), 3, 0.3)


def without_a_file():
    what = "code made at run time has the names of /tmp/perf-PID.map, and its shares"
    if EMULATED:
        skip(what, COARSE)
    else:
        ok_in_three(has_shares, what)
    recording = Recording(*command("jit"), options=["-F", HZ])
    ok(recording.meta.get("samples_broken", 1) <= 0.02 * recording.meta.get("samples", 0), "and callers")
    forget_names(recording)
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        recording = Recording(*command("jit"), keep=data)
        named = run(DWELL, "report", "--no-pager", data)
        forget_names(recording)
        nameless = run(DWELL, "report", "--no-pager", data)
    if not ok(b"generated at run time" not in named.stdout and b"generated at run time, which has no names: its JIT has to write" in nameless.stdout,
              "without that file, the report says what is missing"):
        note(f"{named.stdout.decode()}\n{nameless.stdout.decode()}")
    recording = Recording(*command("through"), options=["-F", HZ])
    # qemu-user 10 takes memory near the heap for the heap.
    nameless = ("[anon]", "[heap]") if EMULATED else ("[anon]",)
    found = sum(row["total_ns"] for row in recording.rows if row["name"] in nameless) / 1e9
    ok(near(found, 0.15, 0.1), f"such code is known also where it only calls others: {found:.3f} s of 0.15")
    if not has_vdso():
        skip("the vdso's function", NO_VDSO)
        return
    recording = Recording(*command("vdso"), options=["-F", HZ])
    found = recording.self_of(object="[vdso]", symbol=VDSO_CLOCK)
    ok(found > 0.05, f"the vdso's function has its name: {found:.3f} s of 0.15")
    ok(recording.meta.get("samples_broken", 1) <= 0.01 * recording.meta.get("samples", 0), "and callers")


def build_ids():
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        Recording(*command("loop"), keep=data)
        info = run(DWELL, "info", data)
    for path in (program("record_plugins"), *LIBRARIES):
        match = BUILD_ID.search(text(run("readelf", "-n", path).stdout))
        if not match:
            skip(f"build-id of {os.path.basename(path)}", "it has none")
            continue
        lines = [line for line in text(info.stdout).splitlines()
                 if line.endswith(os.path.realpath(path)) and HEXADECIMAL.match(line)]
        ok(status_of(info) == 0 and len(lines) == 1 and lines[0].startswith(match[1]),
           f"dwell info has the build-id of {os.path.basename(path)}")


libraries()
without_a_file()
build_ids()
done()
