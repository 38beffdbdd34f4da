#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_tree.py DWELL PROGRAMS - the tree of calls: sees_tree prints the path of each of its calls, and `dwell calls
--tree` must have found as many on each, in all ways of interception. Sums over the tree are those of the flat table, to
the nanosecond. The report in each format and the export show the same tree."""
import collections
import csv
import io
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_recording import (DWELL, OF_COMPILERS, OURS, VIAS, behaves, explain, is_built, one_sentence, program,  # noqa: E402
                             run, text)
from tap import done, note, ok, skip  # noqa: E402

SUMS = ("calls", "returned", "escaped", "abandoned", "untimed", "running", "total_ns", "self_ns")


def folded(path):
    """Returns a path in which each function is once: a call of one that is on it counts there."""
    short = []
    for function in path:
        short = short[:short.index(function) + 1] if function in short else short + [function]
    return tuple(short)


def printed(output):
    """Returns the number of calls on each path, by the program itself."""
    lines = [line.split()[1] for line in text(output).splitlines() if line.startswith("call ")]
    return collections.Counter(folded(line.split(";")) for line in lines)


def paths(nodes):
    """Returns (path, node) for each node of a tree, in its order."""
    way, found = [], []
    for node in nodes:
        way = way[:int(node["depth"])] + [node["symbol"]]
        found.append((tuple(way), node))
    return found


def report(data, *options):
    return json.loads(run(DWELL, "report", data, "--format", "json", *options).stdout)


def tree_of(data):
    return report(data, "--tree", "--min", "0")["calls_tree"]


def function_of(row):
    return row["symbol"], row["version"], row["object"]


def same_sums(data, via):
    """Checks that the nodes of each function add up to its row."""
    rows = {function_of(row): [row[key] or 0 for key in SUMS] for row in report(data)["calls"]}
    sums = collections.defaultdict(lambda: [0] * len(SUMS))
    for node in tree_of(data):
        values = sums[function_of(node)]
        for place, key in enumerate(SUMS):
            values[place] += node[key] or 0
    explain([str(row) for row in sorted(rows.items())], [str(row) for row in sorted(sums.items())])
    ok(rows and rows == sums, f"{via}: the nodes of each function add up to its row, times to the nanosecond")


def consistent(nodes, via):
    """Checks the order of nodes, and that each contains those below it."""
    found = paths(nodes)
    below = collections.Counter()
    for path, node in found:
        for end in range(1, len(path) + 1):
            below[path[:end]] += node["self_ns"] or 0
    ok(all(below[path] == node["subtree_ns"] for path, node in found), f"{via}: a subtree has the time of its nodes")
    ok(len({path for path, _ in found}) == len(found), f"{via}: each path is there once")
    by_parent = collections.defaultdict(list)
    for path, node in found:
        by_parent[path[:-1]].append(node["subtree_ns"])
    ok(all(times == sorted(times, reverse=True) for times in by_parent.values()), f"{via}: the largest come first")


def truth(data, via, plain):
    recorded = run(DWELL, "calls", "-q", "--tree", "--via", via, "-f", OURS, "-o", data, "--", program("sees_tree"))
    behaves(plain, recorded, f"--via {via}", lambda output: b"\n".join(sorted(output.splitlines())))
    expected, nodes = printed(recorded.stdout), tree_of(data)
    found = collections.Counter({path: node["calls"] for path, node in paths(nodes)
                                 if node["calls"] and path[-1] not in OF_COMPILERS})
    explain([str(path) for path in sorted(expected.items())], [str(path) for path in sorted(found.items())])
    ok(expected and found == expected, f"{via}: as many calls on each path as the program has made")
    by_path = dict(paths(nodes))
    left = [sum(node[what] for path, node in by_path.items() if path[-1] == symbol)
            for symbol, what in (("tree_throw", "escaped"), ("tree_pass", "escaped"), ("tree_jump", "abandoned"))]
    note(left)
    ok(left == [5, 5, 5], f"{via}: calls that do not return are those of their nodes")
    same_sums(data, via)
    consistent(nodes, via)


# ---- how it is shown ----


def shown(data):
    nodes = tree_of(data)
    table = run(DWELL, "report", data, "--tree", "--min", "0", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text(table.stdout))))
    ok([(row["symbol"], row["calls"], row["subtree_ns"]) for row in rows] ==
       [(node["symbol"], str(node["calls"]), str(node["subtree_ns"])) for node in nodes], "csv has the same nodes")
    lines = text(run(DWELL, "report", data, "--tree", "--min", "0", "--limit", "0").stdout).splitlines()
    ok(lines[0].split() == ["calls", "total", "share", "self", "function", "library"], "text has its columns")
    names = [line.split("tree_", 1) for line in lines[1:len(nodes) + 1]]
    indents = [len(before) for before, _ in names]
    ok([(indent - min(indents)) // 2 for indent in indents] == [node["depth"] for node in nodes],
       "and a function is to the right of its caller")
    large = report(data, "--tree", "--min", "20")["calls_tree"]
    ok(0 < len(large) < len(nodes) and
       all(node["subtree_ns"] >= 0.2 * sum(node["self_ns"] or 0 for node in nodes) - 1 for node in large),
       "--min leaves smaller branches out")


def exported(data):
    lines = text(run(DWELL, "export", "-f", "folded", data).stdout).splitlines()
    due = {";".join(path): node["self_ns"] for path, node in paths(tree_of(data)) if node["self_ns"]}
    ok({line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in lines} == due and len(lines) == len(due),
       "folded stacks are the self times of the tree")
    ok(one_sentence(run(DWELL, "export", "-f", "folded", "--threads", data), "leave out --threads"),
       "an option that is for samples is refused")
    callers = {(row["symbol"], row["caller"]): row["calls"] for row in report(data, "--by", "caller")["calls"]}
    ok(callers["tree_leaf", "tree_down"] == 21 + 4 * 4 + 2 and callers["tree_leaf", None] == 6,
       "--by caller has the calling functions of the tree")


def refused(folder):
    data = os.path.join(folder, "flat.data")
    run(DWELL, "calls", "-q", "-f", OURS, "-o", data, "--", program("sees_tree"))
    ok(one_sentence(run(DWELL, "report", "--tree", data), "record it with dwell calls --tree"),
       "a recording without a tree: how to record one")
    ok(one_sentence(run(DWELL, "export", "-f", "folded", data), "record it with dwell calls --tree"),
       "the same for what needs one")
    for option in ("--by-caller", "--by-thread", "--count", "--sample-timing"):
        ok(one_sentence(run(DWELL, "calls", "--tree", option, "-f", OURS, "-o", data, "true"), option),
           f"--tree is not for {option}")


def main():
    if not is_built("sees_tree"):
        skip("the tree of calls", "sees_tree is not built: it needs a C++ compiler")
        return
    plain = run(program("sees_tree"))
    with tempfile.TemporaryDirectory() as folder:
        for via in VIAS:
            truth(os.path.join(folder, via + ".data"), via, plain)
        shown(os.path.join(folder, "audit.data"))
        exported(os.path.join(folder, "audit.data"))
        refused(folder)


main()
done()
