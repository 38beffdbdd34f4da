#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""jit.py DWELL PROGRAMS - functions that a process compiles itself: names and lines of jitdump files at the time of the sample,
a row for a function however often it is compiled, and what is said where names are missing."""
import collections
import glob
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import EMULATED, NO_PERF  # noqa: E402
from sampled import DWELL, Recording, near, program, run, status_of, text  # noqa: E402
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

MADE = re.compile(r"^made (\w+) ([\d.]+)$", re.M)
# JavaScript that runs as long in one function as in the other, each interpreted first and compiled later.
SCRIPT = """
function spin(n) { let sum = 0; for (let i = 0; i < n; i++) sum += i % 7; return sum; }
function left(seconds) {
    const start = process.cpuUsage().user;
    let sum = 0;
    while (process.cpuUsage().user - start < seconds * 1e6) sum += spin(20000);
    return sum;
}
console.log(left(0.4) > 0, `pid ${process.pid}`);
"""


def truth(printed):
    """{function: seconds} by the program itself."""
    seconds = collections.Counter()
    for name, amount in MADE.findall(printed):
        seconds[name] += float(amount)
    return seconds


def seconds_by(data, *options):
    """{(function, object): seconds} of a report; functions of a name and file are told apart by nothing else here."""
    _, rows = Recording.read(Kept(data), options, "samples")
    seconds = collections.Counter()
    for row in rows:
        seconds[row["name"], row["object"]] += row["self_ns"] / 1e9
    return seconds


class Kept:
    """A recording that was made before."""

    def __init__(self, data):
        self.data = data
        self.run = run("true")


# ---- a dump of our own ----

def made_once(folder, options):
    """Records, removes the dump, and compares: 5 ms, about five samples, may be missing at each end of a part."""
    data = f"{folder}/data"
    recording = Recording(program("jit_dump"), folder, options=["-F", "4000", *options], keep=data)
    dumps = glob.glob(f"{folder}/jit-*.dump")
    for path in dumps:
        os.unlink(path)
    due = truth(text(recording.run.stdout))
    got = seconds_by(data)
    merged = got["gamma", "app.js"]
    note(f"{dict(got)} of {dict(due)}")
    return (len(dumps) == 1 and near(got["alpha", "[jit]"], due["alpha"], 0.1) and near(got["beta", "[jit]"], due["beta"], 0.1)
            and near(merged, due["gamma"] + due["other"], 0.1))


def made(options, how):
    with tempfile.TemporaryDirectory() as folder:
        ok_in_three(lambda: made_once(folder, options),
                    f"{how}: functions in one place, moved ones and compiled ones have their time, without the dump as well")
        data = f"{folder}/data"
        _, rows = Recording.read(Kept(data), (), "samples")
        ok(sum(row["name"] == "gamma" for row in rows) == 2, f"{how}: a function is a row, whatever its tier; another column is another")
        tiers = seconds_by(data, "--tiers")
        ok(tiers["~gamma", "app.js"] > 0.02 and tiers["*gamma", "app.js"] > 0.1 and not tiers["gamma", "app.js"],
           f"{how}: --tiers shows them apart")
        lines = collections.Counter()
        for row in Recording.read(Kept(data), ("--by", "line"), "samples")[1]:
            lines[row["name"], row["file"], row["line"]] += row["self_ns"] / 1e9
        ok(lines["alpha", "made.src", 20] > 0.05 and not any(source == "other.src" for _, source, _ in lines),
           f"{how}: lines are those of the dump: {[key for key in lines if key[0] == 'alpha']}")
        ok(not any(name == "beta" and line for name, _, line in lines), f"{how}: a function without lines has none of another")
        archive = f"{folder}/archive"
        run(DWELL, "archive", "-o", archive, data)
        ok(seconds_by(archive) == seconds_by(data), f"{how}: an archive has them too")


def distrusted():
    """Another user could put a link to any file where a dump was."""
    with tempfile.TemporaryDirectory() as folder:
        recording = Recording("sh", "-c", f"{program('jit_dump')} {folder} && cd {folder} && for dump in jit-*; do "
                              "mv $dump kept && ln -s kept $dump; done", keep=f"{folder}/data")
        # qemu-user 10 takes memory near the heap for the heap.
        nameless = recording.self_of(name="[anon]") + (recording.self_of(name="[heap]") if EMULATED else 0)
        ok(status_of(recording.run) == 0 and nameless > 0.3 and os.path.exists(f"{folder}/kept"),
           "a link in the place of a dump gives no names")


# ---- Node ----

def node(folder, *flags):
    with open(f"{folder}/app.js", "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    data = f"{folder}/data"
    recording = Recording("node", *flags, f"{folder}/app.js", keep=data, cwd=folder)
    return recording, data


def by_map(folder):
    recording, _ = node(folder, "--perf-basic-prof", "--interpreted-frames-native-stack")
    os.unlink(f"/tmp/perf-{re.search(r'pid ([0-9]+)', text(recording.run.stdout))[1]}.map")
    own = collections.Counter(row["name"] for row in recording.rows if row["object"] == "app.js")
    ok(own["spin"] == 1 and own["left"] == 1, f"node --perf-basic-prof: each function is one row: {dict(own)}")


def node_rows():
    if not shutil.which("node"):
        skip("functions of Node", "node is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        recording, data = node(folder, "--perf-prof", "--interpreted-frames-native-stack")
        own = collections.Counter(row["name"] for row in recording.rows if row["object"] == "app.js")
        ok(own["spin"] == 1 and own["left"] == 1, f"node --perf-prof: each function is one row: {dict(own)}")
        tiers = [name for name, file in seconds_by(data, "--tiers") if file == "app.js" and name.endswith("spin")]
        ok(tiers and "spin" not in tiers, f"node: --tiers shows what compiled it: {tiers}")
        lines = {(row["file"], row["line"])
                 for row in Recording.read(Kept(data), ("--by", "line"), "samples")[1] if row["name"] == "spin"}
        ok((f"{folder}/app.js", 2) in lines and {line for _, line in lines} <= {2, 0, None}, f"node: its line is known: {lines}")
        ok(recording.total("left") > 0.3, f"node: and its caller: {recording.total('left')} s")
        by_map(folder)


def hint():
    """Without its options, Node's code has no names, and the report says which option helps."""
    if not shutil.which("node"):
        skip("a hint for Node", "node is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        _, data = node(folder)
        report = text(run(DWELL, "report", "--no-pager", data).stdout)
        ok("which has no names: run node --perf-prof --interpreted-frames-native-stack" in report, "the report says what helps with Node")


made([], "inside")
if EMULATED:
    skip("outside", NO_PERF)
else:
    made(["--engine", "outside"], "outside")
distrusted()
node_rows()
hint()
done()
