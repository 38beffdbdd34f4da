#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_programs.py DWELL PROGRAMS - common programs, as Debian builds them: they do what they do without dwell,
and at least 99 % of their stacks reach the start of the program or of the thread."""
import os
import re
import shutil
import sys
import tempfile
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import Recording, environment, run, status_of, text  # noqa: E402
from surroundings import read_debug_files  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

read_debug_files()
HZ = 5000

# The outermost functions of threads: in programs, after pthread_create(), and in the linker before main().
ENTRY = re.compile(r"Entry point address: +(0x[0-9a-f]+)")
STARTS = ("_start", "[exec and dynamic linking]", "clone3", "__clone3", "clone", "__clone", "_dl_start_user", "_dl_start")

PYTHON = """
import hashlib, json, re
class Node:
    def __init__(self, depth):
        self.children = [Node(depth - 1) for _ in range(3)] if depth else []
    def count(self):
        return 1 + sum(child.count() for child in self.children)
total = sum(Node(7).count() for _ in range(70))
words = re.findall(r"[a-z]+", json.dumps([{"key": i, "text": "some words"} for i in range(30000)]))
print(total, len(words), hashlib.sha256(b"x" * 10000000).hexdigest())
"""

SQL = """
create table t(a integer, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 90000)
insert into t select i * 7919 % 200003, 'text ' || i from n;
create index x on t(b);
select count(*), sum(a), max(b) from t where b like '%77%';
select b from t order by a desc limit 3;
"""


def big_c():
    functions = "\n".join(f"int f{i}(int *a, int n) {{ int s = {i}; for (int k = 0; k < n; k++) "
                          f"{{ s += a[k] * {i % 17 + 1}; if (s & {1 << i % 20}) a[k] ^= s; }} return s; }}"
                          for i in range(120))
    return functions + "\nint main(void) { int a[4] = {1, 2, 3}; return f1(a, 4) & 0; }\n"


def prepare(folder):
    """Writes the input files of the programs."""
    with open(f"{folder}/script.py", "w", encoding="utf-8") as script:
        script.write(PYTHON)
    with open(f"{folder}/big.c", "w", encoding="utf-8") as source:
        source.write(big_c())
    with open(f"{folder}/text", "w", encoding="utf-8") as words:
        words.writelines(f"line {i * 7919 % 100003} of some text that is {i % 91} like others\n" for i in range(30000))
    with open(f"{folder}/stream", "wb") as stream:
        stream.write(b"blob\nmark :1\ndata 0\n\n")
        for i in range(1400):
            body = (f"commit {i}\n" * 5).encode()
            content = "".join(f"{i} {k * i % 1000}\n" for k in range(60)).encode()
            stream.write(b"commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata %d\n%s" % (1700000000 + i, len(body), body)
                         + b"M 644 inline file%d\ndata %d\n%s\n" % (i % 50, len(content), content))
    if not shutil.which("git"):
        return
    run("git", "init", "-q", f"{folder}/git")
    with open(f"{folder}/stream", "rb") as stream:
        run("git", "-C", f"{folder}/git", "fast-import", "--quiet", stdin=stream)


def programs(folder):
    """Yields (the program that must be installed, command, a function or object that its samples must have)."""
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"
    yield python, [python, f"{folder}/script.py"], "python3"
    yield "sqlite3", ["sqlite3", ":memory:", SQL], "sqlite3"
    yield "xz", ["xz", "-T2", "-6", "-k", "-c", f"{folder}/text"], "liblzma"
    yield "gcc", ["gcc", "-O2", "-S", "-o", "-", f"{folder}/big.c"], "cc1"
    yield "git", ["git", "-C", f"{folder}/git", "log", "--stat", "-p", "--format=%H %s", "main"], "git"
    yield "git", ["git", "-C", f"{folder}/git", "repack", "-q", "-a", "-d", "-f", "--threads=2"], "git"


def is_entry(name):
    """Returns true if OBJECT+OFFSET, in a program without symbols, is its entry point."""
    program, _, offset = name.rpartition("+")
    entry = ENTRY.search(text(run("readelf", "-h", shutil.which(program)).stdout)) if shutil.which(program) else None
    return entry and int(entry[1], 16) == int(offset, 16)


def examine(folder, needed, command, wanted):
    title = " ".join(command[:5]).replace(folder, "").split("\n", maxsplit=1)[0]
    if not shutil.which(needed):
        skip(title, f"there is no {needed}")
        return
    env = environment(GIT_CONFIG_NOSYSTEM="1", HOME=folder)
    plain = run(*command, env=env)
    recording = Recording(*command, options=["-F", HZ], report=["--tree", "--min", "0", "--limit", "0"], env=env, cwd=folder)
    meta = recording.meta
    ok(status_of(plain) == status_of(recording.run) and plain.stdout == recording.run.stdout,
       f"{title}: does what it does without dwell")
    if status_of(plain) != status_of(recording.run):
        note(text(recording.run.stderr))
    samples = meta.get("samples", 0)
    ends = {key: meta.get(f"samples_{key}", 0) for key in ("truncated", "broken", "stackless")}
    note(f"{samples} samples, {meta.get('samples_ns', 0) / 1e9:.2f} s, {meta.get('sampled_processes')} processes, "
         f"{meta.get('sampled_threads')} threads, {meta.get('sample_clock')}; {ends}")
    ok(samples > 50 and sum(ends.values()) <= 0.01 * samples, f"{title}: at least 99 % of stacks are followed to their end")
    roots = Counter()
    for row in recording.rows:
        roots[row["name"]] += row["total"] if row["depth"] == 0 else 0
    reached = sum(count for name, count in roots.items() if name in STARTS or is_entry(name))
    # Samples in code of dwell itself are one row without callers. There are a few, of as few as 200 in an emulator.
    if not ok(reached >= 0.99 * (samples - roots["dwell overhead"]), f"{title}: which is where a thread starts"):
        note(roots.most_common(5))
    ok(any(wanted in str(row["object"]) for row in recording.rows if row["self"]), f"{title}: samples are in {wanted}")


with tempfile.TemporaryDirectory() as scratch:
    prepare(scratch)
    for each in programs(scratch):
        examine(scratch, *each)
done()
