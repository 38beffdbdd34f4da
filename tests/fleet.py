#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fleet.py DWELL PROGRAMS [NODE_MODULES] - a fleet on one machine: two ClickHouse servers, 4 "hosts" with 2 ranks each, and a
rank that takes longer than the others, which dwell query must name. With NODE_MODULES, where npm has installed chdb, a
current ClickHouse takes the place of the servers. For ./dev fleet."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import clickhouse  # noqa: E402

RANKS, HOSTS = 8, 4
SLOW = 5
WORK_S, MORE_S = 0.1, 0.5


class Current:
    """A current ClickHouse in a process of its own. Used by `with`."""

    def __init__(self, modules):
        self.folder = tempfile.mkdtemp(prefix="dwell-current.")
        self.modules, self.process, self.port = modules, None, 0

    def __enter__(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fleet_current.js")
        self.process = subprocess.Popen(["node", script, self.modules, self.folder], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline() or 0)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def is_up(self):
        return self.port > 0

    def url(self, database):
        return f"clickhouse://127.0.0.1:{self.port}/{database}"


def show(*words):
    print("$ dwell " + " ".join(words[1:]), flush=True)
    status = subprocess.run(words, check=False).returncode
    print(flush=True)
    return status == 0


def read(*words):
    answer = subprocess.run([*words, "--format", "json", "--limit", "0"], capture_output=True, check=False)
    return json.loads(answer.stdout) if answer.returncode == 0 else {}


def record(dwell, programs, folder):
    """Records all ranks, one after the other: the CPUs of one machine would be shared by all."""
    paths = [os.path.join(folder, f"rank{rank}.dwell") for rank in range(RANKS)]
    for rank, path in enumerate(paths):
        subprocess.run([dwell, "record", "-q", "-F", "1000", "--calls", "libc.so*:clock_gettime", "-o", path,
                        "--label", f"host=node{rank // (RANKS // HOSTS)}", "--label", f"rank={rank}",
                        "--label", "job=demo", "--", os.path.join(programs, "diff_load"), str(WORK_S),
                        str(MORE_S if rank == SLOW else WORK_S), "0"], check=True, stdout=subprocess.DEVNULL)
    return paths


def compare(dwell, url, paths):
    """Checks that the tables contain what the recordings do, to the sample and the call."""
    reports = [read(dwell, "report", path) for path in paths]
    samples = sum(report["meta"]["samples"] for report in reports)
    calls = [(row["calls"], row["total_ns"]) for report in reports for row in report["calls"]]
    stored = read(dwell, "query", "calls", "--from", url).get("calls", [])
    return (read(dwell, "query", "top", "--from", url).get("meta", {}).get("samples") == samples
            and sum(row["calls"] for row in stored) == sum(one for one, _ in calls)
            and sum(row["total_ns"] for row in stored) == sum(ns for _, ns in calls))


def run(dwell, programs, servers):
    if not servers.is_up:
        return "the servers do not start"
    url = servers.url("demo")
    with tempfile.TemporaryDirectory() as folder:
        print(f"recording {RANKS} ranks on {HOSTS} hosts; rank {SLOW} is slow\n", flush=True)
        paths = record(dwell, programs, folder)
        load = (dwell, "store", "load", "--to", url, "--state", os.path.join(folder, "state"))
        if not show(dwell, "store", "init", "--to", url) or not show(*load, folder) or not show(*load, folder):
            return "the recordings are not stored"
        views = (("top", "--limit", "5"), ("top", "--by", "host"), ("tree", "--min", "5"), ("diff", "--by", "rank", "4", "5"),
                 ("calls",), ("imbalance", "--calls", "--limit", "3"), ("imbalance", "--limit", "3"),
                 ("html", "--by", "host", "-o", os.path.join(folder, "page.html")))
        if not all([show(dwell, "query", view, "--from", url, *more) for view, *more in views]):
            return "a query failed"
        if not compare(dwell, url, paths):
            return "the tables differ from the recordings"
        first = read(dwell, "query", "imbalance", "--from", url).get("imbalance", [{}])[0]
    if (first.get("name"), first.get("at")) != ("changed_work", str(SLOW)):
        return f"dwell query imbalance names {first} instead of changed_work in rank {SLOW}"
    print(f"dwell query imbalance names {first['name']} in rank {first['at']}: {first['saved_ns'] / 1e6:.0f} ms above the mean")
    return None


def main(dwell, programs, modules=None):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if not modules and not clickhouse.program():
        sys.exit("fleet: clickhouse-server is not installed")
    with Current(modules) if modules else clickhouse.Cluster(2) as servers:
        why = run(os.path.abspath(dwell), os.path.abspath(programs), servers)
    if why:
        sys.exit(f"fleet: {why}")


main(*sys.argv[1:])
