# SPDX-License-Identifier: MIT
"""stored.py - `dwell store` and `dwell query` for the tests of both. Servers are whatever has url(DATABASE)."""
import atexit
import glob
import json
import os
import shutil
import tempfile

from sampled import DWELL, program, run, status_of, text
from tap import note

HZ = 4000
STEADY_S, SLOW_S = 0.05, 0.2
FOLDER = tempfile.mkdtemp()
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
STATE = os.path.join(FOLDER, "state")


def record(name, changed=STEADY_S, options=(), **labels):
    """Records a program that spends so many seconds in steady_work(), and in changed_work()."""
    data = os.path.join(FOLDER, name)
    words = [word for key, value in labels.items() for word in ("--label", f"{key}={value}")]
    answer = run(DWELL, "record", "-q", "-F", HZ, "-o", data, *words, *options, "--", program("diff_load"), STEADY_S,
                 f"{changed:g}", 0)
    if status_of(answer):
        note(text(answer.stderr))
    return data


def store(cluster, *arguments, database="profiles"):
    answer = run(DWELL, "store", "load", "--to", cluster.url(database), "--state", STATE, *arguments)
    note(text(answer.stderr))
    return answer


def waiting():
    """The chunks that are kept for the next load."""
    return glob.glob(os.path.join(STATE, "store", "*", "waiting", "*"))


def query(cluster, *arguments, database="profiles"):
    return run(DWELL, "query", *arguments, "--from", cluster.url(database))


def table(cluster, view, *arguments):
    answer = query(cluster, view, "--format", "json", "--limit", 0, *arguments)
    if answer.returncode:
        note(text(answer.stderr))
        return {"meta": {}}
    return json.loads(answer.stdout)


def recorded(paths):
    """{function: (samples, ns)} and the sum of samples, by dwell report."""
    rows, samples = [], 0
    for path in paths:
        report = json.loads(run(DWELL, "report", "--format", "json", "--limit", 0, path).stdout)
        samples += report["meta"]["samples"]
        rows += report["samples"]
    return by_name(rows), samples


def by_name(rows):
    """Several objects may have functions of one name."""
    functions = {}
    for row in rows:
        old = functions.get(row["name"], (0, 0))
        functions[row["name"]] = (old[0] + row["self"], old[1] + row["self_ns"])
    return {name: both for name, both in functions.items() if both[0]}


def stored(cluster, *arguments):
    rows = table(cluster, "top", *arguments)
    return by_name(rows.get("samples", [])), rows["meta"]
