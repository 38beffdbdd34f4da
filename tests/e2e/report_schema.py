#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report_schema.py DWELL PROGRAMS SCHEMA - the JSON of dwell report is as docs/report.schema.json describes it, in every form
of the report. A property that the schema does not have fails here: a program may rely on it only when it is there."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from emulation import EMULATED, NO_PERF, PATIENCE  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

DWELL, PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:3])
with open(sys.argv[3], encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None)}
RECORD, CALLS, TREE, RANKS, EVENTS, FOREIGN = "record", "calls", "tree", "ranks", "events", "foreign"
CALLGRIND = "events: Ir\nob=/bin/x\nfn=main\n1 20\ncfn=work\ncalls=2 5\n2 30\nfn=work\n5 30\n"


def problems(value, schema, where="report"):
    """Returns what is wrong by the keywords that the schema uses: type, enum, properties, required, anyOf of these,
    additionalProperties, items."""
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(isinstance(value, TYPES[name]) for name in types):
        return [f"{where} is {value!r}, not {' or '.join(types)}"]
    if value not in schema.get("enum", [value]):
        return [f"{where} is {value!r}"]
    found = []
    if isinstance(value, dict):
        found += [f"{where} has no {name}" for name in schema.get("required", []) if name not in value]
        if not any(set(form["required"]) <= set(value) for form in schema.get("anyOf", [{"required": []}])):
            found.append(f"{where} has not all of {' or of '.join(str(form['required']) for form in schema['anyOf'])}")
        for name, inner in value.items():
            part = schema.get("properties", {}).get(name, schema.get("additionalProperties", True))
            if part is False:
                found.append(f"{where} has {name}, which the schema does not have")
            elif part is not True:
                found += problems(inner, part, f"{where}.{name}")
    if isinstance(value, list):
        for i, inner in enumerate(value):
            found += problems(inner, schema.get("items", {}), f"{where}[{i}]")
    return found


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, timeout=120 * PATIENCE, **options).stdout


def make(folder):
    """Makes the recordings: samples and calls of one run, calls by caller, a tree, two ranks, two of page faults, and an
    imported profile of instructions."""
    load = (os.path.join(PROGRAMS, "record_load"), "one_thread", "0.05")
    run(DWELL, "record", "-q", "-o", f"{folder}/{RECORD}", "--calls", "libc*:*", *load)
    run(DWELL, "calls", "-q", "-o", f"{folder}/{CALLS}", "-f", "libc*:*", "--by-caller", "ls", "/")
    run(DWELL, "calls", "-q", "-o", f"{folder}/{TREE}", "-f", "libc*:*", "--tree", "ls", "/")
    for rank in "01":
        run(DWELL, "record", "-q", "-o", f"{folder}/rank{rank}", "--label", f"rank={rank}", "--calls", "libc*:*", *load)
        if not EMULATED:
            run(DWELL, "record", "-q", "-o", f"{folder}/events{rank}", "--label", f"rank={rank}", "-e", "page-faults", *load)
    run(DWELL, "merge", "-o", f"{folder}/{RANKS}", f"{folder}/rank0", f"{folder}/rank1")
    if not EMULATED:
        run(DWELL, "merge", "-o", f"{folder}/{EVENTS}", f"{folder}/events0", f"{folder}/events1")
    with open(f"{folder}/callgrind.out", "w", encoding="utf-8") as file:
        file.write(CALLGRIND)
    run(DWELL, "import", "-o", f"{folder}/{FOREIGN}", f"{folder}/callgrind.out")


FORMS = [(RECORD, [], "samples"), (RECORD, ["--tree"], "tree"), (RECORD, ["--callers"], "tree")]
FORMS += [(RECORD, ["--by", by], "samples") for by in ("line", "object", "thread", "process", "program", "host")]
FORMS += [(CALLS, ["--by", by], "calls") for by in ("function", "caller", "caller-object", "thread", "process")]
FORMS += [(TREE, ["--tree"], "calls_tree"), (RANKS, ["--by", "rank"], "samples"), (RANKS, ["--imbalance"], "imbalance"),
          (RANKS, ["--imbalance"], "calls_imbalance"), (EVENTS, [], "samples"), (EVENTS, ["--tree"], "tree"),
          (EVENTS, ["--imbalance"], "imbalance"), (FOREIGN, [], "calls")]


def check(folder):
    seen = {}
    for recording, options, table in FORMS:
        if recording == EVENTS and EMULATED:
            skip(f"{recording} {' '.join(options)}: {table}", NO_PERF)
            continue
        report = json.loads(run(DWELL, "report", "--format", "json", *options, f"{folder}/{recording}"))
        wrong = problems(report, SCHEMA)
        if not ok(not wrong and report.get(table), f"{recording} {' '.join(options)}: {table}"):
            note("\n".join(wrong[:5]) or f"{table} is empty")
        for name, rows in report.items():
            for row in [rows] if isinstance(rows, dict) else rows:
                seen.setdefault(name, set()).update(row)
    # The reverse: the schema has nothing that no report has, but for what these recordings cannot contain.
    rare = {"arcs", "timed", "stderr_ns"}
    for name, part in SCHEMA["properties"].items():
        properties = (part.get("items") or part)["properties"]
        left = set() if name in rare else set(properties) - seen.get(name, set()) - rare
        ok(not left, f"every property of {name} is in some report{': not ' + ', '.join(sorted(left)) if left else ''}")


def selftest():
    bad = {"meta": {"command": 1}, "calls": [{"name": "x", "surprise": 1}], "nonsense": []}
    found = " ".join(problems(bad, SCHEMA))
    ok("meta.command is 1" in found and "surprise is 1, not string" in found and "has nonsense" in found and "has no calls" in found,
       "a report that does not follow the schema is noticed")


with tempfile.TemporaryDirectory() as temporary:
    make(temporary)
    selftest()
    check(temporary)
done()
