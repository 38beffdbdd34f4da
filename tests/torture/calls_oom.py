#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_oom.py DWELL FOLDER - a program that the kernel kills because its control group is out of memory: the
recording contains all that it has counted by then."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_runner import Runner, run  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import done, note, ok, skip  # noqa: E402

LIMIT = str(128 << 20)

# The folder of control groups and the file with the limit, by the version of the interface.
PLACES = (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max"))


def make_group():
    """Returns the folder of a new group, or None if none can be made here."""
    for place, limit in PLACES:
        group = os.path.join(place, f"dwell-test-{os.getpid()}")
        if not os.path.exists(os.path.join(place, "cgroup.procs")):
            continue
        try:
            os.mkdir(group)
        except OSError:
            continue
        try:
            # Opened without O_CREAT: a missing file sets no limit.
            with open(os.path.join(group, limit), "r+", encoding="ascii") as file:
                file.write(LIMIT)
            return group
        except OSError:
            os.rmdir(group)
    return None


def main(dwell, folder):
    group = make_group()
    if not group:
        skip("out of memory", "it takes root and memory cgroups to limit the memory of a process")
        done()
    runner = Runner(dwell, folder)
    command, _ = runner.command("calls_endings", "out_of_memory")
    join = ["sh", "-c", f'echo $$ >{group}/cgroup.procs && exec "$@"', "sh"]
    outcome = run([*join, runner.dwell, "calls", "-q", "-f", "lib_add", "-o", "data", "--", *command], cwd=runner.scratch)
    os.rmdir(group)
    said = run([runner.dwell, "report", "--format", "csv", "data"], cwd=runner.scratch).stdout
    ok(outcome.status == 128 + 9 and not outcome.stdout, "the kernel ends the program")
    if not ok(",12345,12345,0,0,0,0," in said, "all that it had counted is there"):
        note(f"{outcome}{said}")
    runner.close()
    done()


if __name__ == "__main__":
    main(*sys.argv[1:])
