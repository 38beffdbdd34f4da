#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""narrow.py DWELL PROGRAMS - tables of all verbs fit into 60 columns: columns go by importance, and names keep 20
characters."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import patches_entries  # noqa: E402
from on_terminal import Terminal, show  # noqa: E402
from sampled import DWELL, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

COLUMNS = 60
LEAST_NAME = 20
NAMES = ("function", "caller", "thread", "command", "stack", "name", "path", "value", "program", "host", "event")
PROSE = re.compile(r"^(dwell \w+:|\d+ calls|suggestions)")


def tables(shown):
    """Yields the lines of each table: from the names of columns, which are at least two, to an empty line."""
    for block in re.split(r"\n\n+", shown):
        lines = [line.rstrip() for line in block.split("\n") if line.strip() and not PROSE.match(line)]
        start = next((i for i, line in enumerate(lines) if is_heading(line)), None)
        if start is not None:
            yield lines[start:]


def is_heading(line):
    words = re.split(r"  +", line.strip())
    return len(words) > 1 and (any(name in words for name in NAMES) or words[-1] == "object") and not re.search(r"\d", line)


def cells(lines, name):
    """Returns the cells of a left-aligned column."""
    begin = re.search(rf"(?<!\S){name}(?!\S)", lines[0]).start()
    after = re.search(r"  \S", lines[0][begin:])
    end = begin + after.start() if after else None
    return [re.sub(r"^[│| ]+", "", line[begin:end]).rstrip() for line in lines[1:]]


def fits(words, most_important):
    """Checks that the tables of a verb fit, and that one has these columns."""
    no_pager = () if words[0] in ("stat", "top") else ("--no-pager",)
    shown = Terminal(DWELL, words[0], *no_pager, *words[1:], columns=COLUMNS, NO_COLOR="1").end().seen
    title, found = " ".join(word.rsplit("/", 1)[-1] for word in words), list(tables(shown))
    widest = max((len(line) for lines in found for line in lines), default=0)
    if not ok(found and widest <= COLUMNS, f"{title}: {len(found)} tables, {widest} columns"):
        note(shown)
        return
    heads = [re.split(r"  +", lines[0].strip()) for lines in found]
    ok(any(set(most_important) <= set(head) for head in heads), f"{title}: has {', '.join(most_important)}, and {heads}")
    cut = [(name, cell) for lines, head in zip(found, heads) for name in head if name in NAMES
           for cell in cells(lines, name) if "..." in cell]
    short = [cell for _, cell in cut if len(cell) < LEAST_NAME - 3]  # a cut at the last part of a name may be shorter
    if not ok(not short, f"{title}: {len(cut)} names are cut, none below {LEAST_NAME} characters"):
        note(f"{short}\n{shown}")


def samples(folder):
    data, other, joined = (f"{folder}/{name}" for name in ("samples", "other", "joined"))
    run(DWELL, "record", "-q", "-o", data, program("long_names"), "0.2")
    run(DWELL, "record", "-q", "-o", other, program("long_names"), "0.3")
    run(DWELL, "record", "-q", "--calls", "liblong*:*", "-o", joined, program("long_names"), "0.2")
    for words, columns in (((), ("self", "share", "function")), (("--by", "line"), ("self", "share", "function", "line")),
                           (("--by", "object"), ("self", "share", "object")), (("--by", "thread"), ("self", "share", "thread")),
                           (("--by", "process"), ("self", "share", "command")), (("--by", "program"), ("self", "share", "program")),
                           (("--by", "host"), ("self", "share", "host")), (("--tree",), ("total", "share", "function")),
                           (("--callers",), ("total", "share", "function"))):
        fits(("report", *words, data), columns)
    fits(("report", joined), ("self", "share", "function"))
    fits(("report", "--by", "host", joined), ("self", "calls", "in calls", "host"))
    fits(("info", joined), ("pid", "command"))
    for kind, column in (("function", "function"), ("object", "object"), ("stack", "stack")):
        fits(("diff", "--by", kind, data, other), ("change", "verdict", column))
    shown = show("annotate", "*recalculate*", data, columns=COLUMNS)
    ok("Book<...>::recalculate" in shown.split("\n")[0], "annotate: the title has the short form")


def calls(folder):
    flat, tree, other = (f"{folder}/{name}" for name in ("flat", "tree", "others"))
    for data, words in ((flat, ["--by-caller"]), (tree, ["--tree"]), (other, [])):
        run(DWELL, "calls", *words, "-f", "liblong*:*", "-f", "libc.so*:clock", "-o", data, program("long_names"), "0.1")
    for words, columns in (((), ("calls", "total", "function")), (("--by", "caller"), ("total", "function", "caller")),
                           (("--by", "thread"), ("total", "tid", "function")),
                           (("--by", "process"), ("total", "function", "command")), (("--by", "host"), ("total", "host", "function"))):
        fits(("report", *words, flat), columns)
    fits(("report", "--tree", tree), ("calls", "total", "function"))
    fits(("diff", flat, other), ("change", "function"))


def others(folder):
    fits(("stat", "--", "true"), ("value", "event", "remark"))
    if patches_entries(DWELL, program("long_names")):
        fits(("list", "--functions", program("long_names")), ("patchable", "name"))
    else:
        skip("list --functions", "functions of this CPU cannot be patched")
    fits(("list", "--exports", program("liblong_names_library.so")), ("default", "name"))
    shown = show("list", program("long_names"), "--color", "never", columns=COLUMNS)
    widest = max(len(line) for line in shown.split("\n") if line.startswith("  "))
    ok(0 < widest <= COLUMNS, f"list: {widest} columns")
    shown = show("doctor", "--color", "never", columns=COLUMNS).split("\nsuggestions")[0]
    ok(max(map(len, shown.split("\n"))) <= COLUMNS, "doctor")
    answer = run(DWELL, "report", f"{folder}/samples", env={**os.environ, "COLUMNS": str(COLUMNS)})
    ok(re.match(r" +self +total +samples +share +function +object\n", text(answer.stdout)), "a pipe has all columns")


def main():
    if not os.path.exists(program("long_names")):
        skip("narrow tables", "there is no compiler for C++")
        done()
    with tempfile.TemporaryDirectory() as folder:
        samples(folder)
        calls(folder)
        others(folder)
    done()


if __name__ == "__main__":
    main()
