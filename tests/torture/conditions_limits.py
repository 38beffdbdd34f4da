#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""conditions_limits.py DWELL PROGRAMS - little of what a process or a disk may have."""
import os
import resource
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from conditions import TARGET, WAYS, Condition, with_children  # noqa: E402
from sampled import DWELL, one_sentence, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402


def limited(**limits):
    def set_limits():
        for name, (soft, hard) in limits.items():
            resource.setrlimit(getattr(resource, "RLIMIT_" + name), (soft, hard))
    return set_limits


def limits():
    for count in (64, 16, 8):
        with Condition(f"{count} descriptors", preexec_fn=limited(NOFILE=(count, count))) as condition:
            condition.unharmed("sees")
    for what, settings in (("no signal may be queued", {"SIGPENDING": (0, 0)}), ("no memory may be locked", {"MEMLOCK": (0, 0)}),
                           ("64 KiB of stack", {"STACK": (65536, 65536)})):
        with Condition(what, preexec_fn=limited(**settings)) as condition:
            condition.unharmed("sees")
    for megabytes in (16, 60, 100):
        size = megabytes << 20
        with Condition(f"{megabytes} MiB of data", preexec_fn=limited(DATA=(size, size))) as condition:
            condition.unharmed("work", refused="the limit on data")
        with Condition(f"{megabytes} MiB of address space", preexec_fn=limited(AS=(size, size))) as condition:
            condition.unharmed("work", refused="the limit on address space")


def time_limits():
    with Condition("a second of CPU time, which a handler is notified of", preexec_fn=limited(CPU=(1, 2))) as condition:
        condition.unharmed("busy", ways=("both",))
    with Condition("timeout(1)", "timeout", "0.3") as condition:
        condition.unharmed("endless", ways=("both",))
    with Condition("SIGALRM 2000 times a second") as condition:
        condition.unharmed("alarmed")


def sizes():
    """Limits the size of files. No process gets a signal."""
    for kib, refused, lost in ((4, "File too large", None), (40, None, "nothing was recorded, because there was no room"),
                               (72, None, "not everything was recorded, because there was no room")):
        size = kib << 10
        with Condition(f"files of {kib} KiB", preexec_fn=limited(FSIZE=(size, size))) as condition:
            condition.unharmed("work", refused=refused, lost=lost)


def disks():
    """Checks a disk that is full from the start, or after a while; in a namespace of its own."""
    where = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size="$0" none /mnt && cp data /mnt/ 2>/dev/null; "$@"; '
             'status=$?; cp /mnt/data . 2>/dev/null; exit $status']
    if run("unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt").returncode:
        skip("a full disk", "it takes root to mount a small one")
        return
    for size, refused, lost in (("16k", "No space left", None), ("36k", None, "nothing was recorded, because there was no room"),
                                ("64k", None, "not everything was recorded, because there was no room")):
        with Condition(f"a disk of {size}", *where, size) as condition:
            plain = condition.run(TARGET, "work")
            for way in with_children(condition.what):
                answer = condition.run(DWELL, *WAYS[way], "-q", "-o", "/mnt/data", "--", TARGET, "work")
                what = f"a disk of {size}, {way}"
                if refused:
                    ok(one_sentence(answer, refused), f"{what}: {text(answer.stderr).strip()}")
                    continue
                problems = condition.problems(plain, answer, lost) + condition.missing(way, lost)
                if not ok(not problems, f"{what}: as without dwell, which says: {text(answer.stderr).strip()}"):
                    note("\n".join(problems))


limits()
time_limits()
sizes()
disks()
done()
