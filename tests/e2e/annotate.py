#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""annotate.py DWELL PROGRAMS SOURCES CC... - lines and inlined functions of a program that prints how much time it
spent at which line, by `dwell report --by line` and `dwell annotate`. Instructions are compared with those that
objdump finds."""
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, near, one_sentence, run, text  # noqa: E402
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

SOURCE = os.path.join(os.path.abspath(sys.argv[3]), "annotate_load.c")
CC = sys.argv[4:]

# Instructions of a CPU: how it multiplies, jumps and calls.
MULTIPLIES, JUMPS, CALLS = {
    "x86_64": (r"imulq?", r"j\w+", r"call\w*"),
    "aarch64": (r"mul", r"b(?:\.\w+)?|cbn?z|tbn?z", r"bl"),
}.get(os.uname().machine, (r"mul", r"j|b\w+", r"jalr?"))

# The tolerance of the time at a line. There are 500 samples or more, of which a part p has a standard deviation of at
# most sqrt(p (1 - p) / 500), 2 %; and the program does not read its clock exactly at the line boundaries.
TOLERANCE = 0.1


def objdump_of(path, *options):
    """Returns {address: mnemonic}, and the text that objdump printed."""
    dump = text(run("objdump", "-d", "--no-show-raw-insn", *options, path).stdout)
    return {int(address, 16): mnemonic for address, mnemonic
            in re.findall(r"^\s+([0-9a-f]+):\s+(?:data16 |cs |bnd )*(\w+)", dump, re.M)}, dump


class Load:
    """The program, compiled with some options, and its recording."""

    def __init__(self, folder, *options, name="load"):
        self.path = os.path.join(folder, name)
        self.data = self.path + ".data"
        compiled = run(*CC, "-O2", *options, "-Wl,--build-id=sha1", "-o", self.path, SOURCE)
        if compiled.returncode:
            note(text(compiled.stderr))
        self.record()

    def record(self):
        answer = run(DWELL, "record", "-q", "-F", "2000", "-o", self.data, self.path, "350")
        said = re.findall(r"^(\w+) (\d+) ([\d.]+)$", text(answer.stdout), re.M)
        self.lines = {name: int(line) for name, line, _ in said}
        self.seconds = {name: float(seconds) for name, _, seconds in said}

    def dwell(self, verb, *words):
        return run(DWELL, verb, *words, self.data)

    def json(self, verb, *words):
        return json.loads(self.dwell(verb, "--format", "json", *words).stdout)


def line_with(comment):
    with open(SOURCE, encoding="utf-8") as source:
        return next(number for number, line in enumerate(source, 1) if comment in line)


def total_at(rows, function, line):
    return sum(row["total_ns"] for row in rows if row["name"] == function and row["line"] == line) / 1e9


def reported(load):
    def measure():
        load.record()
        rows = load.json("report", "--by", "line")["samples"]
        found = {name: total_at(rows, "work", line) for name, line in load.lines.items()}
        note(f"lines of work: {found}, spent: {load.seconds}")
        return all(near(found[name], seconds, TOLERANCE) for name, seconds in load.seconds.items())

    ok_in_three(measure, "the time at each line is what the program has spent there")
    rows = load.json("report", "--by", "line")["samples"]
    spin = [row for row in rows if row["name"] == "spin"]
    ok(spin and all(row["file"] == os.path.realpath(SOURCE) or row["file"] == SOURCE for row in spin)
       and {row["line"] for row in spin} <= {line_with("/* spin */"), line_with("/* spin */") - 1},
       "the innermost inlined function has the line of its code")
    functions = {row["name"]: row for row in load.json("report")["samples"]}
    ok(functions["spin"]["self_ns"] > 0.95 * functions["work"]["total_ns"]
       and functions["twist"]["self_ns"] < 0.05 * functions["twist"]["total_ns"],
       "inlined functions have rows of their own")
    flat = {row["name"]: row for row in load.json("report", "--no-inline")["samples"]}
    ok("spin" not in flat and flat["work"]["self_ns"] > 0.95 * functions["work"]["total_ns"],
       "--no-inline counts them where they are")
    tree = text(load.dwell("report", "--tree").stdout)
    ok(re.search(r" work .*\n.* twist \(inlined\) .*\n.* spin \(inlined\) ", tree), "a tree says that they are inlined")
    csv = text(load.dwell("report", "--by", "line", "--format", "csv", "--sort", "line").stdout).splitlines()
    ok(csv[0] == "name,symbol,object,file,line,self,total,self_ns,total_ns", "--by line as CSV")


def annotated(load):
    lines = load.json("annotate", "work")["lines"]
    by_line = load.json("report", "--by", "line")["samples"]
    ok(all(sum(row["total_ns"] for row in lines if row["line"] == line and not row["inlined"]) / 1e9
           == total_at(by_line, "work", line) for line in load.lines.values()),
       "dwell annotate has the same numbers")
    ok(any(row["inlined"] == "spin" and "MULTIPLY" in row["text"] for row in lines), "and the lines of what is inlined")
    shown = text(load.dwell("annotate", "work").stdout)
    ok(re.search(rf"^> +[\d.]+%.* {load.lines['hot']}  +x = twist\(3 \* turns, x\);$", shown, re.M),
       "the hottest line is marked")
    ok(re.search(rf"^  +[\d.]+%.* {load.lines['warm']}  +x \^= twist\(turns, x\);$", shown, re.M), "another is not")
    caller = load.json("annotate", "main")
    call = max(caller["lines"], key=lambda row: row["total"])
    ok(call["text"].strip() == "sum += work(250000);" and call["self"] < call["total"]
       and call["total"] > 0.95 * caller["functions"][0]["total"], "a caller has the time at the line of its call")
    both = text(load.dwell("annotate", "load:spin,load:main").stdout)
    ok(both.startswith("spin in load: ") and "\n1 more function matches: main; --limit 0 shows all\n" in both,
       "of several that match, the hottest is shown, and others are named")
    both = text(load.dwell("annotate", "--limit", "0", "load:spin,load:main").stdout)
    ok("\nmain in load: " in both and "more match" not in both, "or all are shown")
    most = 0.8 * load.json("report")["meta"]["wall_ns"] / 1e9
    part = load.json("annotate", "--time", f"0-{most:.3f}", "work")["functions"][0]["total"]
    ok(0 < part < load.json("annotate", "work")["functions"][0]["total"], "samples are filtered")


def instructions(load):
    if not shutil.which("objdump"):
        skip("instructions", "there is no objdump")
        return
    theirs, dump = objdump_of(load.path, "--disassemble=work")
    rows = load.json("annotate", "--asm", "work")["instructions"]
    ours = {row["address"]: row["text"].split()[0] for row in rows}
    if not ok(ours and ours.keys() == theirs.keys(), "instructions are where objdump has them"):
        note(f"ours alone: {sorted(ours.keys() - theirs.keys())}, theirs: {sorted(theirs.keys() - ours.keys())}")
    products = {address for address, mnemonic in theirs.items() if re.fullmatch(MULTIPLIES, mnemonic)}
    ok(products and {address for address, mnemonic in ours.items() if re.fullmatch(MULTIPLIES, mnemonic)} == products,
       "and are the same")
    targets = {int(target, 16) for target in re.findall(rf"\s(?:{JUMPS})\s+(?:\S+,\s*)*([0-9a-f]+) <work", dump)}
    ok({row["address"] for row in rows if row["target"]} == targets & theirs.keys(), "jumps lead where they do")
    function = load.json("annotate", "work")["functions"][0]
    ok(sum(row["self"] for row in rows) == function["self"], "all samples of the function are at one of them")
    after = {row["address"] for before, row in zip(rows, rows[1:]) if before["address"] in products}
    hot = sum(row["self"] for row in rows if row["address"] in products | after)
    ok(hot > 0.9 * function["self"], "nearly all at those that it spins in, or the next")
    shown = text(load.dwell("annotate", "--asm", "work").stdout)
    ok(re.search(rf"^> +[\d.]+% .*\b{MULTIPLIES} ", shown, re.M) and f"annotate_load.c:{line_with('/* spin */')}  " in shown,
       "with the line that they are of")
    if os.uname().machine == "x86_64":
        ok("imul    r" in text(load.dwell("annotate", "--syntax", "intel", "work").stdout), "in the other syntax as well")
    else:
        skip("the other syntax", "only x86 has two")
    main = text(load.dwell("annotate", "--asm", "main").stdout)
    ok(re.search(rf"\b{CALLS} +(?:\S+, *)*[0-9a-f]+ <work>$", main, re.M), "calls have the name of what they call")


def elsewhere(folder):
    """Checks the report if the source is not at the path in the debug information."""
    load = Load(folder, "-g", f"-ffile-prefix-map={os.path.dirname(SOURCE)}=/gone/tests", name="elsewhere")
    shown = text(load.dwell("annotate", "work").stdout)
    ok("'/gone/tests/annotate_load.c' is not on this machine" in shown
       and re.search(rf"^> +[\d.]+%.* {load.lines['hot']}$", shown, re.M),
       "without the source, there are numbers of lines and a sentence")
    found = text(load.dwell("annotate", "--source-path", os.path.dirname(SOURCE), "work").stdout)
    ok("x = twist(3 * turns, x);" in found and "not on this machine" not in found, "--source-path tells where it is")


def without_debug(folder):
    load = Load(folder, "-g0", name="bare")
    answer = load.dwell("annotate", "work")
    ok(re.search(rf"^> +[\d.]+% .*\b{MULTIPLIES} ", text(answer.stdout), re.M) and not answer.stderr,
       "without debug information, instructions are shown")
    rows = load.json("report", "--by", "line")["samples"]
    ok(rows and all(row["file"] is None and row["line"] is None for row in rows if row["object"] == "bare"),
       "and there are no lines")
    run(*CC, "-O1", "-Wl,--build-id=sha1", "-o", load.path, SOURCE)
    answer = load.dwell("annotate", "bare:*")
    ok(answer.returncode == 0 and "has changed since it was recorded" in text(answer.stderr),
       "another file in its place is said to be one")
    os.unlink(load.path)
    answer = load.dwell("annotate", "bare:*")
    ok(answer.returncode == 0 and "cannot find '" in text(answer.stderr) and text(answer.stdout).count("%") == 1,
       "and so is none")


def without_symbols(folder):
    """Checks that a function without a size ends where the next one begins."""
    if not shutil.which("objdump"):
        skip("without symbols", "there is no objdump")
        return
    load = Load(folder, "-g0", "-s", name="nameless")
    annotation = load.json("annotate", "nameless:*")
    ours = {row["address"] for row in annotation["instructions"]}
    theirs, _ = objdump_of(load.path)
    between = {address for address in theirs if min(ours) <= address <= max(ours)} if ours else set()
    ok(annotation["functions"][0]["name"] == f"nameless+{min(ours, default=0):#x}" and len(ours) > 10 and ours == between
       and sum(row["self"] for row in annotation["instructions"]) == annotation["functions"][0]["self"],
       "a function without a symbol, by its unwind table")


def refused(load):
    ok(one_sentence(load.dwell("annotate", "nosuch"), "no sample is in or below a function that matches 'nosuch'"),
       "a function that has no samples")
    ok(one_sentence(run(DWELL, "annotate"), "missing FUNCTION"), "no function")
    ok(one_sentence(run(DWELL, "annotate", "x", "y", "z"), "unexpected argument 'z': only one DATA file is allowed"), "too much")
    for words, said in ((["--syntax", "x"], "unknown syntax 'x'"), (["--context", "-1"], "invalid context '-1': must be a number of lines"),
                        (["--limit", "x"], "invalid limit 'x': must be a number of functions"), (["--format", "csv"], "unknown format 'csv'"),
                        (["--nothing"], "unknown option '--nothing'")):
        ok(one_sentence(load.dwell("annotate", *words, "work"), said), " ".join(words))


def main():
    with tempfile.TemporaryDirectory() as folder:
        load = Load(folder, "-g")
        reported(load)
        annotated(load)
        instructions(load)
        refused(load)
        elsewhere(folder)
        without_debug(folder)
        without_symbols(folder)
    done()


if __name__ == "__main__":
    main()
