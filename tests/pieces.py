# SPDX-License-Identifier: MIT
"""pieces.py - runs programs under `dwell record --every`, and adds up what the pieces contain. For tests that are started as
NAME.py DWELL PROGRAMS."""
import collections
import glob
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sampled import DWELL, Raw, cpu_of, run, text  # noqa: E402
from tap import note  # noqa: E402

SUMMED = ("samples", "samples_ns", "lost_samples", "unwatched_ns", "damaged", "missing", "samples_broken")


def pieces_in(folder):
    return sorted(glob.glob(os.path.join(folder, "*.dwell")))


def report_of(data, *options, verb="report"):
    answer = run(DWELL, verb, "--format", "json", *options, data)
    try:
        return json.loads(answer.stdout)
    except ValueError:
        note(f"no report of {data}: {text(answer.stderr)}")
        return {"meta": {}}


class Sum:
    """All pieces of a folder together."""

    def __init__(self, folder):
        self.paths = pieces_in(folder)
        self.metas = [report_of(path, verb="info")["meta"] for path in self.paths]
        self.meta = {key: sum(meta.get(key, 0) for meta in self.metas) for key in SUMMED}
        self.raws = [Raw(path) for path in self.paths]
        self.others = sorted(set(os.listdir(folder)) - {os.path.basename(path) for path in self.paths})

    @property
    def seconds(self):
        return self.meta["samples_ns"] / 1e9

    def count_calls(self):
        calls = collections.Counter()
        for path in self.paths:
            for row in report_of(path).get("calls", []):
                calls[row["symbol"]] += row["calls"]
        return calls

    def is_whole(self):
        """Every piece is a recording of its own, undamaged."""
        return bool(self.paths) and not self.meta["damaged"] and not self.meta["missing"] and all(self.metas)


class Pieces(Sum):
    """One run of a command."""

    def __init__(self, *command, every="0.2s", options=(), **settings):
        self.folder = tempfile.TemporaryDirectory()  # for as long as it is in use
        where = os.path.join(self.folder.name, "pieces")
        self.run = run(DWELL, "record", "--every", every, "-o", where, *options, "--", *command, **settings)
        super().__init__(where)
        self.cpu = cpu_of(self.run)
