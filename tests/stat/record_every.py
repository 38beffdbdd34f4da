#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_every.py DWELL PROGRAMS ENGINE - the pieces of `dwell record --every` together are the CPU time of the program within
2 per cent, while threads and processes begin and end at any time.

Why this is not flaky: see record_sums.py. A piece is cut every 100 ms, so that a sample of each thread that was lost or
doubled at each cut would be 1 ms in 25 ms of its CPU time, 4 per cent, however many pieces there are."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pieces import Pieces  # noqa: E402
from sampled import Recording, near, program, text  # noqa: E402
from tap import done, note, ok_in_three, skip  # noqa: E402

ENGINE = sys.argv[3]
SECONDS = 0.8
SECONDS_OF = {"short_threads": 3}  # 600: the kernel's work for the end of each takes time as well
LOADS = {
    "one_thread": "one thread",
    "four_threads": "four threads",
    "system_calls": "system calls",
    "short_threads": "short threads, one after another",
    "children": "children and their children",
}


def times_of(raw):
    """Returns the times of each thread's samples in a piece. Every sample has its whole stack there."""
    times = {}
    for process in raw.processes.values():
        for tid, frame, _, time in process.samples:
            process.stack(frame)
            times.setdefault((process.pid, tid), []).append(time)
    return times


def in_order(pieces):
    """Checks that the samples of a thread are those of one piece after another: none comes twice."""
    reached = {}
    for raw in pieces.raws:
        for thread, times in times_of(raw).items():
            if reached.get(thread, 0) > min(times):
                note(f"{thread}: a sample of {min(times)} after one of {reached[thread]}")
                return False
            reached[thread] = max(times)
    return True


def measure(load):
    seconds = SECONDS_OF.get(load, SECONDS)
    pieces = Pieces(program("record_load"), load, seconds, every="0.1s", options=["--engine", ENGINE])
    due = sum(pieces.cpu.values())
    if not due or not pieces.is_whole():
        note(f"status {pieces.run.returncode}: {text(pieces.run.stderr)}")
        return False
    note(f"{load}: {len(pieces.paths)} pieces, {pieces.meta['samples']} samples, {pieces.seconds:.4f} s of {due:.4f} s, "
         f"{(pieces.seconds / due - 1) * 100:+.2f} %, unwatched {pieces.meta['unwatched_ns'] / 1e9:.4f} s")
    return (len(pieces.paths) >= seconds * 5 and near(pieces.seconds, due, 0.02) and pieces.meta["lost_samples"] == 0
            and not pieces.others and in_order(pieces))


if not Recording("true", options=["--engine", ENGINE]).meta:
    skip("all loads", f"there is no engine {ENGINE} here")
    done()
for load, title in LOADS.items():
    ok_in_three(lambda: measure(load), f"{title}: the pieces within 2 %")
done()
