# SPDX-License-Identifier: MIT
"""fleet_cost.py - recordings of many hosts in a database: loading them, their size, and the time of a question to all of them, beside
tools that read files."""
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from statistics import median

from running import Notes, PYTHON, Refused, clean_environment, run
from table import render, spread
from verdict import verdict, verdicts

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests"))
from clickhouse import Cluster, program as server_program  # noqa: E402

ROWS = 30_000_000
HZ = 999
LOAD_S = 10  # CPU time of the recorded program
LOADED = 16  # recordings that `dwell store load` takes
FILES = 64  # profiles that go tool pprof merges
HOSTS = 512  # in the database; a host has as many recordings as are needed for ROWS
HOST, BOOT_AT = b"host0000", 72  # the label of the recording; boot_id of struct record_header (src/recording/format.h)
LONGEST_S = 600
MERGES = 300  # attempts, a second apart

# Copies differ as hosts do. A count is the number of ones among twice as many random bits: a rare stack is missing on some
# hosts. A weight is a multiple of the period, but for the last sample of a thread: one row of twenty, as in recordings of this
# program. rand() would be the same for all copies of a row: it is called before ARRAY JOIN.
COPY = """INSERT INTO samples_local
SELECT service, toString(copy % 2), concat('h', toString(copy)), rank, job, labels, kind, win + {later}, stack,
    toUInt32(is_receipt ? 0 : certain + arraySum(arrayMap(
        bit -> toUInt8(bitAnd(bitShiftRight(noise, bit), 1)), range(toUInt64(2 * (count - certain)))))) AS copied,
    toUInt64(copied * {period_ns} + (copied > 0 AND noise % 20 = 0 ? noise % {period_ns} : 0)),
    is_receipt ? cityHash64(chunk, copy, {later}) : toUInt64(0), whole, lost, lost_ns, unwatched_ns
FROM
(
    SELECT *, copy, chunk != 0 AS is_receipt, toUInt32(count > 32 ? count - 8 : 0) AS certain,
        cityHash64(stack, win, copy, {later}) AS noise
    FROM samples_local ARRAY JOIN range({hosts}) AS copy WHERE host = '{host}'
)
WHERE is_receipt OR copied > 0"""
COLUMNS = "SELECT name, data_compressed_bytes FROM system.columns WHERE database = 'bench' AND table = 'samples_local'"
PARTS = "SELECT count(), uniqExact(partition) FROM system.parts WHERE active AND database = 'bench' AND table = '{}'"
SIZE = "SELECT sum(bytes_on_disk), sum(rows) FROM system.parts WHERE active AND database = 'bench' AND table = '{}'"


@dataclass
class Stored:
    rows: int  # of one recording
    loaded_a_second: float  # rows, by dwell store load
    copied_a_second: float  # rows, within the server
    all_rows: int
    bytes: int
    stacks: int
    stack_bytes: int
    columns: dict  # bytes of each column of samples


class FleetCost:
    def __init__(self, build):
        self.dwell = os.path.join(build, "dwell")
        self.folder = tempfile.TemporaryDirectory(prefix="dwell-bench.")
        self.cluster = None
        self.stored = None
        self.notes = Notes()  # by name: seconds
        self.preparing = Notes()
        os.environ["XDG_STATE_HOME"] = self.folder.name

    def _path(self, name):
        return os.path.join(self.folder.name, name)

    def _run(self, *words):
        return run([*words], clean_environment(), LONGEST_S)

    def _query(self, statement):
        answer = self.cluster.shards[0].query(statement, "bench")
        if "Exception" in answer:
            raise Refused(answer[:160])
        return answer.split()

    def _count(self):
        return int(self._query("SELECT count() FROM samples_local")[0])

    def _copies(self):
        """Recordings of other machines: copies with another boot and another host."""
        with open(self._path("data"), "rb") as file:
            data = file.read()
        for i in range(LOADED):
            boot = b"machine of bench"[:12] + b"%04d" % i
            with open(self._path(f"copy{i}.dwell"), "wb") as file:
                file.write((data[:BOOT_AT] + boot + data[BOOT_AT + 16:]).replace(HOST, b"host%04d" % i))
        return [self._path(f"copy{i}.dwell") for i in range(LOADED)]

    def _files(self):
        """The same for tools that read files."""
        self._run(self.dwell, "record", "-q", "-F", str(HZ), "--label", f"host={HOST.decode()}", "-o", self._path("data"), "--",
                  PYTHON, os.path.join(HERE, "report_load.py"), str(LOAD_S))
        self._run(self.dwell, "export", "-f", "pprof", "-o", self._path("0.pb.gz"), self._path("data"))
        for i in range(1, FILES):
            shutil.copy(self._path("0.pb.gz"), self._path(f"{i}.pb.gz"))

    def _load(self):
        """Returns (rows of a recording, rows loaded per second)."""
        if not server_program():
            raise Refused("clickhouse-server is not installed")
        copies = self._copies()
        self.cluster = Cluster(1).__enter__()
        if not self.cluster.is_up:
            raise Refused("clickhouse-server does not start")
        self.cluster.shards[0].query("CREATE DATABASE bench")
        self._run(self.dwell, "store", "init", "--to", self.cluster.url("bench"))
        start = time.monotonic()
        self._run(self.dwell, "store", "load", "--to", self.cluster.url("bench"), *copies)
        took = time.monotonic() - start
        rows = self._count()
        if rows < LOADED:
            raise Refused("dwell store load has stored nothing")
        return rows // LOADED, rows / took

    def _merge(self, table):
        """Makes one part of each partition. A server that merges already does nothing when asked, and does not say so."""
        for _ in range(MERGES):
            self._query(f"OPTIMIZE TABLE {table} FINAL")
            parts, partitions = map(int, self._query(PARTS.format(table)))
            if parts == partitions:
                return
            time.sleep(1)
        raise Refused(f"the parts of {table} are not merged after {MERGES} s")

    def _multiply(self):
        """Copies one recording to all hosts until there are ROWS, in a window of its own each time. Returns rows per second."""
        start = time.monotonic()
        before = count = self._count()
        later = 0
        while count < ROWS:
            self._query(COPY.format(hosts=HOSTS, later=later, host=HOST.decode(), period_ns=10**9 // HZ))
            count, last = self._count(), count
            if count == last:
                raise Refused("the recording cannot be copied")
            later += LOAD_S
        took = time.monotonic() - start
        for table in ("samples_local", "stacks_local"):
            self._merge(table)
        return (count - before) / took

    def _prepare(self):
        self._files()
        rows, loaded = self._load()
        copied = self._multiply()
        size, count = map(int, self._query(SIZE.format("samples_local")))
        stack_bytes, stacks = map(int, self._query(SIZE.format("stacks_local")))
        words = self._query(COLUMNS)
        columns = dict(zip(words[::2], map(int, words[1::2])))
        return Stored(rows, loaded, copied, count, size, stacks, stack_bytes, columns)

    def _timed(self, *words):
        return self._run(*words).wall_ms / 1e3

    def _collapse(self):
        """One recording in the words of perf script, as a flame graph takes it."""
        start = time.monotonic()
        with open(os.devnull, "wb") as null, subprocess.Popen(
                [self.dwell, "export", "-f", "perf-script", "-o", "-", self._path("data")], stdout=subprocess.PIPE, env=clean_environment()) as script:
            subprocess.run(["awk", "-f", os.path.join(HERE, "collapse.awk")], stdin=script.stdout, stdout=null, check=True, timeout=LONGEST_S)
        if script.returncode:
            raise Refused("dwell export failed")
        return time.monotonic() - start

    def one_round(self):
        if not self.preparing.rounds:
            self.stored = self.preparing.take("all", self._prepare)
        if self.stored:
            asked = [self.dwell, "query", "--from", self.cluster.url("bench")]
            for name, words in (("top", []), ("tree", []), ("diff", ["0", "1"])):
                self.notes.take(name, self._timed, *asked[:2], name, *asked[2:], *words)
        self.notes.take("pprof", self._timed, "go", "tool", "pprof", "-top", "-sample_index=cpu", *(self._path(f"{i}.pb.gz") for i in range(FILES)))
        self.notes.take("collapse", self._collapse)

    def finish(self):
        if self.cluster:
            self.cluster.__exit__()
        self.folder.cleanup()

    def _each_ms(self, name, recordings):
        return [1e3 * seconds / recordings for seconds in self.notes.of(name)]

    def _row(self, title, name, recordings, whole):
        found = self.notes.of(name)
        if not found:
            return [title, self.notes.reason(name)]
        each = self._each_ms(name, recordings)
        total = f"{median(each) * whole / 1e3:,.1f}" + (" (computed)" if recordings < whole else "")
        return [title, f"{recordings:,}", spread(found, 2), spread(each, 2), total]

    def print_tables(self):
        stored = self.stored
        if not stored:
            print(self.preparing.reason("all"))
            return
        whole = round(stored.all_rows / stored.rows)
        largest = sorted(stored.columns, key=stored.columns.get, reverse=True)[:4]
        print(f"python3 for {LOAD_S} s of CPU time at {HZ} samples/s is a recording, of {stored.rows:,} rows: a stack in a window of 10 s. "
              f"One server has {stored.all_rows:,} rows: {whole:,} recordings, of {HOSTS} hosts.\n")
        print(render(["stored", "value"], [
            ["rows/s, dwell store load", f"{stored.loaded_a_second:,.0f}"],
            ["rows/s, within the server", f"{stored.copied_a_second:,.0f}"],
            ["bytes/row of samples", f"{stored.bytes / stored.all_rows:.2f}"],
            *([f"bytes/row of samples, {name}", f"{stored.columns[name] / stored.all_rows:.2f}"] for name in largest),
            ["bytes/row of stacks", f"{stored.stack_bytes / stored.stacks:.0f}"],
            ["rows of stacks", f"{stored.stacks:,}"]]), end="\n\n")
        names = {"dwell query top": ("top", whole), "dwell query tree": ("tree", whole), "dwell query diff, two versions": ("diff", whole),
                 "go tool pprof -top": ("pprof", FILES), "text of perf script, collapsed": ("collapse", 1)}
        print(render(["question", "recordings", "time (s)", "time (ms/recording)", f"{whole:,} recordings (s)"],
                     [self._row(title, name, count, whole) for title, (name, count) in names.items()]))
        print(verdicts(verdict("a profile of many hosts", {
            title: self._each_ms(*names[title]) for title in names if "tree" not in title and "diff" not in title}, "ms/recording")))
