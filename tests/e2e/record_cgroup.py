#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_cgroup.py DWELL - `dwell record --cgroup`: all processes of a cgroup that the test makes, and of one below it, those
that join later included; and nothing else.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from tap import done, note, ok, skip  # noqa: E402

DWELL = os.path.abspath(sys.argv[1])
TIMEOUT_S = 120
CONTAINER = "0123456789abcdef" * 4

# Works until its input ends, as a title of its own; a child if asked.
BUSY = """
import os, select, sys
if sys.argv[2:]:
    os.fork()
while not select.select([sys.stdin], [], [], 0)[0]:
    sum(range(20000))
"""


def dwell(*words, **more):
    return subprocess.run([DWELL, *words], capture_output=True, text=True, timeout=TIMEOUT_S, check=False, **more)


def make_cgroup():
    """Returns the directory of a new cgroup; None: none can be made here."""
    for mount in ("/sys/fs/cgroup/unified", "/sys/fs/cgroup", "/sys/fs/cgroup/systemd"):
        path = f"{mount}/dwell-test-{os.getpid()}"
        try:
            os.mkdir(path)
        except OSError:
            continue
        if os.path.exists(f"{path}/cgroup.procs"):
            return path
        os.rmdir(path)
    return None


def join(path, pid):
    with open(f"{path}/cgroup.procs", "w", encoding="ascii") as procs:
        procs.write(str(pid))


class Busy:
    """A process that works, named by its argument."""

    def __init__(self, name, *more):
        self.process = subprocess.Popen([sys.executable, "-c", BUSY, name, *more], stdin=subprocess.PIPE)
        self.pid = self.process.pid

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=TIMEOUT_S)


def samples_of(data, *words):
    return json.loads(dwell("report", "--format", "json", *words, data).stdout)


def commands(data):
    """Returns the time of each kind of process, by the name that it was given."""
    times = {}
    for row in samples_of(data, "--by", "process")["samples"]:
        name = row["command"].split(BUSY.strip())[-1].split()
        key = name[0] if name else "?"
        times[key] = times.get(key, 0) + row["self_ns"]
    return times


def recording(data, path, *words):
    """Starts a recording of the cgroup, which ends by a signal. Its counters work when it has written its header's start."""
    process = subprocess.Popen([DWELL, "record", "--cgroup", path, "-o", data, *words], stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not os.path.exists(data):
        time.sleep(0.01)
    return process


def stop(process):
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=TIMEOUT_S)[1]


def members(folder, path):
    inner = f"{path}/docker-{CONTAINER}.scope"
    os.mkdir(inner)
    first, below, other, late = Busy("first", "fork"), Busy("below"), Busy("other"), Busy("late")
    data = f"{folder}/members.data"
    try:
        join(path, first.pid)
        for pid in children_of(first.pid):
            join(path, pid)
        join(inner, below.pid)
        process = recording(data, path)
        time.sleep(1)
        join(inner, late.pid)
        time.sleep(1)
        said = stop(process)
    finally:
        for busy in (first, below, other, late):
            busy.end()
        remove(inner)
    note(said)
    times = commands(data)
    note({name: f"{ns / 1e6:.0f} ms" for name, ns in times.items()})
    ok(process.returncode == 0 and times.get("first") and times.get("below"), "processes of a cgroup, and of one below it")
    ok(times.get("late"), "one that joins later")
    ok("other" not in times, "and no other")
    groups = {row["cgroup"]: row for row in samples_of(data, "--by", "label:cgroup")["samples"]}
    name = os.path.basename(path)
    ok(set(groups) == {f"/{name}", f"/{name}/docker-{CONTAINER}.scope"}, "--by label:cgroup: they are labels of processes")
    ok(groups[f"/{name}"]["processes"] == 2 and groups[f"/{name}/docker-{CONTAINER}.scope"]["processes"] == 2, "with their processes")
    rows = samples_of(data, "--by", "label:container")["samples"]
    ok(CONTAINER[:12] in {row["container"] for row in rows}, "--by label:container: by the number that tools show")


def children_of(pid):
    """Returns the children, when there are some."""
    for _ in range(1000):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
            found = children.read().split()
        if found:
            return [int(child) for child in found]
        time.sleep(0.01)
    return []


def remove(path):
    """Removes a cgroup, which is busy until its processes are gone."""
    for _ in range(1000):
        try:
            os.rmdir(path)
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.01)


def ends(folder, path):
    data = f"{folder}/ends.data"
    inner = f"{path}/inner"
    os.mkdir(inner)
    process = recording(data, inner)
    busy = Busy("joined")
    join(inner, busy.pid)
    time.sleep(1)
    busy.end()
    remove(inner)
    process.communicate(timeout=TIMEOUT_S)
    ok(process.returncode == 0 and commands(data).get("joined"), "an empty cgroup is watched until it is removed")
    busy = Busy("timed")
    join(path, busy.pid)
    ran = dwell("record", "--cgroup", os.path.basename(path), "-d", "1", "-o", data)
    ok(ran.returncode == 0 and commands(data).get("timed"), "-d ends it, and its path may begin below the mount")
    ran = dwell("record", "--cgroup", path, "-e", "page-faults", "--kernel", "-d", "0.5", "-o", data)
    ok(ran.returncode == 0 and samples_of(data)["meta"]["sample_event"] == "page-faults", "with an event, and the kernel")
    busy.end()


def own_cgroup(folder, path):
    """dwell may be in the cgroup that it records."""
    data = f"{folder}/own.data"
    busy = Busy("beside")
    join(path, busy.pid)
    ran = subprocess.run(["sh", "-c", f"echo $$ > {path}/cgroup.procs; exec {DWELL} record --cgroup {path} -d 1 -o {data}"],
                         capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    busy.end()
    ok(ran.returncode == 0 and not any("record" in row["command"] for row in samples_of(data, "--by", "process")["samples"]),
       "dwell does not record itself")


def refusals(folder):
    def refused(*words):
        ran = dwell("record", *words, "-o", f"{folder}/refused.data")
        return ran.stderr if ran.returncode == 2 and ran.stderr.count("\n") == 1 else f"unexpected: {ran}"

    ok("no cgroup '/nothing'" in refused("--cgroup", "/nothing"), "no such cgroup: one sentence")
    ok("no cgroup '/tmp'" in refused("--cgroup", "/tmp"), "a directory that is none")
    ok("not both" in refused("--cgroup", "/", "-p", "1"), "a cgroup and processes")
    ok("not both" in refused("--cgroup", "/", "true"), "a cgroup and a command")
    ok("--calls needs" in refused("--cgroup", "/", "--calls", "libz*:*"), "a cgroup and calls")
    ok("--engine outside" in refused("--cgroup", "/", "--engine", "inside"), "from inside")


def main():
    with tempfile.TemporaryDirectory() as folder:
        refusals(folder)
        path = make_cgroup()
        if not path:
            skip("processes of a cgroup", "no cgroup can be made here: that needs root, or a delegated one")
        elif "perf_event_open()" in dwell("record", "--engine", "outside", "-o", f"{folder}/try.data", "true").stderr:
            skip("processes of a cgroup", "there is no perf_event_open() here, or it is refused")
            os.rmdir(path)
        else:
            try:
                members(folder, path)
                ends(folder, path)
                own_cgroup(folder, path)
            finally:
                remove(path)
    done()


if __name__ == "__main__":
    main()
