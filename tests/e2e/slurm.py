#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""slurm.py DWELL PROGRAMS - `srun dwell record`: a Slurm of our own, with one node, on loopback, with its own key and
ports; everything is in a folder that is removed at the end."""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, environment, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

TASKS = 8
START_S = 60
LOOP = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"

CONFIGURATION = """
ClusterName=dwell
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmdParameters=config_overrides
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES OverSubscribe=FORCE:8 State=UP
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Slurm:
    """The daemons, which end with it."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        host = socket.gethostname().split(".")[0]
        for name in ("state", "spool"):
            os.mkdir(f"{folder}/{name}")
        with open(f"{folder}/munge.key", "wb") as key:
            key.write(os.urandom(1024))
        os.chmod(f"{folder}/munge.key", 0o600)
        with open(f"{folder}/slurm.conf", "w", encoding="utf-8") as conf:
            conf.write(CONFIGURATION.format(folder=folder, host=host, controller=free_port(), node=free_port()))
        self.env = environment(PATH=PATH, SLURM_CONF=f"{folder}/slurm.conf")
        self.start("munged", "--foreground", "--force", f"--key-file={folder}/munge.key", f"--socket={folder}/munge.socket",
                   f"--pid-file={folder}/munge.pid", f"--seed-file={folder}/munge.seed", f"--log-file={folder}/munge.log")
        self.wait(lambda: os.path.exists(f"{folder}/munge.socket"))
        self.start("slurmctld", "-D", "-f", f"{folder}/slurm.conf")
        self.start("slurmd", "-D", "-f", f"{folder}/slurm.conf", "-N", host)

    def start(self, *command):
        with open(f"{self.folder}/{command[0]}.out", "wb") as out:
            self.daemons.append(subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=out))

    @staticmethod
    def wait(condition):
        end = time.monotonic() + START_S
        while not condition() and time.monotonic() < end:
            time.sleep(0.2)
        return condition()

    def is_ready(self):
        answer = run("sinfo", "-h", "-o", "%t", env=self.env)
        return text(answer.stdout).strip() in ("idle", "mix", "alloc")

    def srun(self, *words):
        return run("srun", *words, cwd=self.folder, env=self.env, timeout=300)

    def end(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def labels_of(path):
    answer = run(DWELL, "info", "--format", "json", path)
    return {row["key"]: row["value"] for row in json.loads(answer.stdout)["labels"]} if answer.returncode == 0 else {}


def tasks(slurm):
    """Checks that each task of a step has a recording, by default and by a pattern."""
    answer = slurm.srun("-n", TASKS, "--overcommit", DWELL, "record", "-q", "sh", "-c", LOOP)
    names = [f"{slurm.folder}/dwell-{rank}.data" for rank in range(TASKS)]
    if not ok(answer.returncode == 0 and all(map(os.path.exists, names)), "srun dwell record: a recording for each task"):
        note(text(answer.stderr)[-2000:])
    labels = [labels_of(path) for path in names]
    ok(all(one.get("rank") == str(rank) for rank, one in enumerate(labels)), "tasks have their rank")
    jobs = {one.get("job") for one in labels}
    ok(len(jobs) == 1 and jobs.pop(), "and the same job")
    answer = slurm.srun("-n", 2, "--overcommit", DWELL, "record", "-q", "-o", "run-%j-%r.data", "true")
    ok(answer.returncode == 0 and sum(name.startswith("run-") for name in os.listdir(slurm.folder)) == 2,
       "names have the job and the rank")


def batch(slurm):
    """Checks a program of a batch script that srun has not started: it has no rank."""
    script = f"{slurm.folder}/script"
    with open(script, "w", encoding="utf-8") as out:
        out.write(f"#!/bin/sh\n{DWELL} record -q -o batch.data true\n")
    answer = run("sbatch", "--wait", "-n", 2, "--overcommit", "-o", f"{slurm.folder}/script.out", script,
                 cwd=slurm.folder, env=slurm.env, timeout=300)
    labels = labels_of(f"{slurm.folder}/batch.data")
    ok(answer.returncode == 0 and labels.get("job") and "rank" not in labels, "a batch script has a job, and no rank")


def main():
    missing = [name for name in ("munged", "slurmctld", "slurmd", "srun") if not shutil.which(name, path=PATH)]
    if missing or os.geteuid() != 0:
        skip("tasks of Slurm", f"{missing[0]} is not installed" if missing else "its daemons need root here")
        done()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        slurm = Slurm(folder)
        try:
            if slurm.wait(slurm.is_ready):
                tasks(slurm)
                batch(slurm)
            else:
                skip("tasks of Slurm", "its daemons do not start here")
                for name in ("munged.out", "slurmctld.out", "slurmd.out", "slurmctld.log", "slurmd.log"):
                    if os.path.exists(f"{folder}/{name}"):
                        with open(f"{folder}/{name}", encoding="utf-8", errors="replace") as log:
                            note(f"{name}: {log.read()[-600:]}")
        finally:
            slurm.end()
    done()


main()
