#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mpi.py DWELL PROGRAMS SOURCE - ranks of Open MPI, each recorded to its own file; SOURCE is tests/prog/mpi_ranks.c."""
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, environment, one_sentence, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

SOURCE = os.path.abspath(sys.argv[3])
RANKS, FEW = 64, 4
SLOW = 3
TIMEOUT_S = 400
PRINTED = re.compile(r"^rank (\d+) ([\d.]+)$", re.M)


def mpirun(folder, ranks, *command):
    """Starts ranks in a folder: more than there are CPUs, and as root where the test is."""
    env = environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", TMPDIR=folder,
                      OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_plm_rsh_agent="false")
    return run("mpirun", "--oversubscribe", "-n", ranks, *command, cwd=folder, env=env, timeout=TIMEOUT_S)


def ask(verb, *words):
    answer = run(DWELL, verb, "--format", "json", *words, timeout=TIMEOUT_S)
    return json.loads(answer.stdout)


def cpu_of(answer):
    return {int(rank): float(seconds) for rank, seconds in PRINTED.findall(text(answer.stdout))}


def label(info, key):
    return next((row["value"] for row in info["labels"] if row["key"] == key), None)


def all_ranks(app):
    """Checks 64 ranks at once: a recording each, and nothing lost."""
    with tempfile.TemporaryDirectory() as folder:
        answer = mpirun(folder, RANKS, DWELL, "record", "-q", "-o", "run-%r.dwell", app, SLOW)
        cpu = cpu_of(answer)
        if not ok(answer.returncode == 0 and len(cpu) == RANKS, f"{RANKS} ranks run to their end under dwell"):
            note(text(answer.stderr)[-2000:])
            return
        paths = [f"{folder}/run-{rank}.dwell" for rank in range(RANKS)]
        ok(all(map(os.path.exists, paths)) and len(os.listdir(folder)) >= RANKS, "each rank has a recording of its own")
        infos = [ask("info", path) for path in paths]
        ok(all(label(info, "rank") == str(rank) for rank, info in enumerate(infos)), "which has its rank as a label")
        ok(all(label(info, "job") and label(info, "host") for info in infos), "and the job, and the host")
        metas = [info["meta"] for info in infos]
        ok(all(meta["lost"] == 0 and meta["damaged"] == 0 and meta["missing"] == 0 for meta in metas),
           "nothing is lost or damaged")
        sampled = [meta["samples_ns"] / 1e9 for meta in metas]
        far = [rank for rank in range(RANKS) if not 0.9 * cpu[rank] <= sampled[rank] <= 1.5 * cpu[rank]]
        ok(not far, "the samples of each rank are its CPU time")
        for rank in far[:5]:
            note(f"rank {rank}: {sampled[rank]} s of {cpu[rank]} s")


def compared(app):
    """Merges ranks, and finds the slow one."""
    with tempfile.TemporaryDirectory() as folder:
        answer = mpirun(folder, FEW, DWELL, "record", "-q", "--calls", "libmpi*:MPI_*", "-o", "run-%r.dwell", app, SLOW, 5)
        paths = [f"{folder}/run-{rank}.dwell" for rank in range(FEW)]
        if not ok(answer.returncode == 0 and all(map(os.path.exists, paths)), "ranks are recorded with their calls of MPI"):
            note(text(answer.stderr)[-2000:])
            return
        calls = {rank: {row["name"]: row for row in ask("report", path)["calls"]} for rank, path in enumerate(paths)}
        ok(all(calls[rank]["MPI_Barrier"]["calls"] == 5 for rank in calls), "the calls of each rank are counted")
        waited = {rank: calls[rank]["MPI_Barrier"]["total_ns"] for rank in calls}
        ok(min(waited, key=waited.get) == SLOW, "the slow rank waits the least")
        merged = run(DWELL, "merge", "-o", f"{folder}/all.dwell", *paths)
        if not ok(merged.returncode == 0, "ranks are merged"):
            note(text(merged.stderr))
            return
        report = ask("report", "--imbalance", f"{folder}/all.dwell")
        rows = {row["name"]: row for row in report["imbalance"]}
        first = report["imbalance"][0]
        ok(first["name"] == "uneven_work" and first["most"] == str(SLOW), "the slow function and its rank are first")
        ok(rows["uneven_work"]["saved_ns"] > 4 * rows["even_work"]["saved_ns"], "even work would save little")
        ok(report["calls_imbalance"][0]["present"] == FEW and report["meta"]["groups"] == FEW, "all ranks are compared")
        ranks = {row["rank"]: row for row in ask("report", "--by", "rank", f"{folder}/all.dwell")["samples"]}
        ok(set(ranks) == {str(rank) for rank in range(FEW)} and all(row["calls_ns"] > 0 for row in ranks.values()),
           "each rank has its time in calls beside its CPU time")


def by_default(app):
    """Checks names without -o, and a pattern that means nothing outside of mpirun."""
    with tempfile.TemporaryDirectory() as folder:
        answer = mpirun(folder, 2, DWELL, "record", "-q", app, 0)
        ok(answer.returncode == 0 and os.path.exists(f"{folder}/dwell-0.data") and os.path.exists(f"{folder}/dwell-1.data"),
           "without -o, ranks do not share a file")
        answer = run(DWELL, "record", "-o", "run-%r.dwell", "touch", "ran", cwd=folder)
        ok(one_sentence(answer, "no rank for %r") and not os.path.exists(f"{folder}/ran"),
           "without a rank, %r is an error, and nothing is run")


def main():
    if not shutil.which("mpirun") or not shutil.which("mpicc"):
        skip("ranks of Open MPI", "openmpi-bin or libopenmpi-dev is not installed")
        done()
    with tempfile.TemporaryDirectory() as folder:
        app = f"{folder}/app"
        built = run("mpicc", "-O1", "-g", "-o", app, SOURCE)
        if built.returncode:
            skip("ranks of Open MPI", "mpicc builds no program here")
            done()
        by_default(app)
        compared(app)
        all_ranks(app)
    done()


main()
