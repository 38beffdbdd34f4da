#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_report.py DWELL PROGRAMS - `dwell report` of recordings by `dwell calls`: its formats agree, and a damaged
file gets a sentence, never a crash.
"""
import csv
import io
import json
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_recording import DWELL, OURS, PROGRAMS, note, ok, one_sentence, program, run, text  # noqa: E402
from tap import done  # noqa: E402

HEADER = "calls total self mean p50 p99 max share function library".split()
FLIPS = 200


def report(data, *options):
    return run(DWELL, "report", data, *options)


def rows(data, *options):
    answer = report(data, "--format", "json", *options)
    if answer.returncode:
        note(text(answer.stderr))
        return []
    return json.loads(answer.stdout)["calls"]


def formats(data):
    table = list(csv.DictReader(io.StringIO(text(report(data, "--format", "csv").stdout))))
    plain = [{key: "" if value is None else str(value) for key, value in row.items()} for row in rows(data)]
    if not ok(table and table == plain, "CSV and JSON say the same"):
        note(f"{table[:1]}\n{plain[:1]}")
    answer = json.loads(report(data, "--format", "json").stdout)
    wanted = {"command", "processes", "threads", "objects", "functions_chosen", "functions_called", "overhead_ns",
              "lost", "unmatched"}
    ok(wanted <= answer["meta"].keys(), f"meta has all it should: lacks {wanted - answer['meta'].keys() or 'nothing'}")
    note(answer["meta"])
    ok("sees_times" in answer["meta"]["command"], "and the command")
    ok(int(answer["meta"]["lost"]) == 0, "nothing is lost")
    wanted = {"name", "symbol", "version", "object", "calls", "returned", "escaped", "abandoned", "untimed", "total_ns",
              "self_ns", "min_ns", "max_ns", "mean_ns", "p50_ns", "p90_ns", "p99_ns"}
    ok(all(wanted <= row.keys() for row in answer["calls"]), "and each row")
    ok(all(isinstance(row["calls"], int) and isinstance(row["total_ns"], (int, float)) for row in answer["calls"]),
       "numbers are numbers")


def by_others(folder):
    """Checks rows that are recorded separately, and reported so or added up."""
    for by in ("caller", "thread", "process"):
        data = f"{folder}/by_{by}"
        options = [] if by == "process" else [f"--by-{by}"]
        run(DWELL, "calls", "-q", "-o", data, "-f", OURS, *options, "--", program("sees_threads"))
        table = list(csv.DictReader(io.StringIO(text(report(data, "--by", by, "--format", "csv").stdout))))
        apart, together = rows(data, "--by", by), rows(data)
        ok(apart and len(table) == len(apart), f"--by {by}: CSV and JSON have the same rows")
        ok(sum(row["calls"] for row in apart) == sum(row["calls"] for row in together) == 1051,
           f"--by {by}: they add up to those by function")
    ok(one_sentence(report(f"{folder}/by_process", "--by", "caller"), "--by-caller"),
       "--by caller of what was not recorded so: one sentence, which says how to")
    answer = run(DWELL, "calls", "--by-caller", "--by-thread", "-f", OURS, "--", program("sees_threads"), cwd=folder)
    ok(one_sentence(answer), "--by-caller and --by-thread at once: one sentence")
    answer = run(DWELL, "calls", "--by-caller=line", "-f", OURS, "--", program("sees_threads"), cwd=folder)
    ok(one_sentence(answer, "function or object"), "an unknown kind of callers: one sentence, with those there are")


def in_ns(shown):
    """Parses 1.5ms and the like, as a person reads it; returns None for anything else."""
    match = re.fullmatch(r"([\d.]+) ?(ns|us|µs|ms|s|m|h)", shown)
    units = {"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "m": 6e10, "h": 3.6e12}
    return float(match[1]) * units[match[2]] if match else None


def as_text(data):
    lines = text(report(data).stdout).splitlines()
    note("\n".join(lines))
    # There is a column more if a call was long, which depends on the machine: calls_times.py checks it.
    at = next((i for i, line in enumerate(lines) if [word for word in line.split() if word != "waiting"] == HEADER), None)
    if not ok(at is not None, f"text: a line of headings: {' '.join(HEADER)}"):
        return
    table = {}
    for line in lines[at + 1:]:
        fields = re.split(r"\s{2,}|(?<=\d)\s+(?=[\d.]+(?:ns|us|µs|ms|s|%))", line.strip())
        if len(fields) == len(HEADER) + 1:
            del fields[2]
        if len(fields) == len(HEADER):
            table[fields[8].split("(")[0]] = dict(zip(HEADER, fields))
    expected = {row["symbol"]: row for row in rows(data)}
    ok(table.keys() == expected.keys(), "text: a line for each function")
    wrong = []
    for symbol, shown in table.items():
        row = expected[symbol]
        if int(re.sub(r"\D", "", shown["calls"])) != row["calls"] or shown["library"] != row["object"]:
            wrong.append(f"{shown} is not {row}")
        for heading in ("total", "self", "mean", "p50", "p99", "max"):
            value = in_ns(shown[heading])
            # The text shows three digits.
            if value is None or abs(value - row[heading + "_ns"]) > 0.0051 * row[heading + "_ns"] + 1:
                wrong.append(f"{symbol}: {heading} {shown[heading]} is not {row[heading + '_ns']} ns")
    if not ok(table and not wrong, "text: the same figures as in JSON, in units a person reads"):
        note("\n".join(wrong))
    shares(table, expected)
    most = 100 + (len("  waiting") if "waiting" in lines[at] else 0)
    ok(all(len(line) <= most for line in lines), "text: no line is longer than 100 columns, or that column more")
    total = sum(row["calls"] for row in expected.values())
    rest = "\n".join(lines[:at] + lines[at + 1 + len(table):])
    ok(f"{total}calls" in re.sub(r"[,' ]", "", rest), f"text: a summary says how many calls there were: {total}")


def shares(table, expected):
    """Checks that shares are of the self time of all rows shown, so that they add up to the whole."""
    total = sum(row["self_ns"] for row in expected.values())
    wrong = [f"{symbol} {shown['share']}" for symbol, shown in table.items()
             if abs(float(shown["share"].rstrip("% ")) - 100 * expected[symbol]["self_ns"] / total) > 0.11]
    if not ok(table and not wrong, "text: the share is that of the self time"):
        note("\n".join(wrong))


def sorting(data):
    for column in ("calls", "total", "self", "mean", "p50", "p99", "max"):
        key = column if column == "calls" else column + "_ns"
        values = [row[key] for row in rows(data, "--sort", column)]
        ok(len(set(values)) > 1 and values == sorted(values, reverse=True), f"--sort {column}: the largest first")
    for column, key in (("name", "name"), ("library", "object")):
        names = [row[key] for row in rows(data, "--sort", column)]
        ok(len(names) > 1 and names == sorted(names), f"--sort {column}: from a to z")
    everything = rows(data)
    ok(everything and everything == rows(data, "--sort", "total"), "by default, what took the longest is first")
    ok(rows(data, "--limit", "1") == everything[:1], "--limit 1")
    ok(rows(data, "--limit", "1000") == rows(data, "--limit", "0") == everything, "--limit of more, or of 0: all")


def not_there(folder):
    ok(one_sentence(report(f"{folder}/missing"), "No such file or directory; dwell record creates one"), "a file that is missing")
    ok(one_sentence(run(DWELL, "report", cwd=folder), "dwell.data"), "and so the one that is taken by default")
    ok(one_sentence(report(folder), "directory"), "a directory")
    ok(one_sentence(report(program("sees_times"))), "a file of another kind")
    os.mkfifo(f"{folder}/fifo")
    ok(one_sentence(report(f"{folder}/fifo")), "a pipe, which is not waited for")


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def truncated(folder, whole):
    path = f"{folder}/truncated"
    write(path, b"")
    ok(one_sentence(report(path)), "an empty file")
    # Up to the last bytes, which may be reserved and not yet in use.
    lengths = [1, 7, 8, 64, 100, 1000, len(whole) // 4, len(whole) // 2, len(whole) * 9 // 10]
    for length in lengths:
        write(path, whole[:length])
        answer = report(path)
        is_shown = answer.returncode == 0 and "DAMAGED: bytes missing at the end" in text(answer.stdout)
        ok(one_sentence(answer) or is_shown, f"the first {length} of {len(whole)} bytes: what is whole, or a sentence")


def sane(answer):
    """Returns true for a table or one sentence."""
    if answer.returncode == 0:
        try:
            return isinstance(json.loads(answer.stdout)["calls"], list)
        except (ValueError, KeyError):
            return False
    return one_sentence(answer)


def damaged(folder, whole):
    """Changes one byte at a time: half of them near the beginning, which describes the layout, half at bytes that
    are not zero. Checks that no report crashes."""
    chance, path, bad = random.Random(4711), f"{folder}/damaged", []
    used = [at for at in range(len(whole)) if whole[at]]
    refused = 0
    for i in range(FLIPS):
        at = chance.randrange(min(4096, len(whole))) if i % 2 else chance.choice(used)
        content = bytearray(whole)
        content[at] = chance.choice([content[at] ^ 1 << chance.randrange(8), 0xff, 0x80, 0x7f])
        write(path, content)
        answer = report(path, "--format", "json")
        refused += answer.returncode == 2
        if not sane(answer):
            bad.append(f"byte {at} is {content[at]} instead of {whole[at]}: status {answer.returncode}")
    note(f"{refused} of {FLIPS} were refused")
    if not ok(not bad, f"{FLIPS} times one byte changed: a table or a sentence, never a crash"):
        note("\n".join(bad[:20]))
    bad = []
    for _ in range(FLIPS // 4):
        content = bytearray(whole)
        start = chance.randrange(len(whole))
        for at in range(start, min(start + 512, len(whole))):
            content[at] = chance.randrange(256)
        write(path, content)
        answer = report(path, "--format", "json")
        if not sane(answer):
            bad.append(f"512 bytes from {start}: status {answer.returncode}")
    if not ok(not bad, f"{FLIPS // 4} times 512 bytes of noise: the same"):
        note("\n".join(bad[:20]))


with tempfile.TemporaryDirectory() as scratch:
    recording = f"{scratch}/recording"
    # A name of the same length wherever the tree is, because the report repeats it.
    made = run(DWELL, "calls", "-q", "-o", recording, "-f", OURS, "--", "./sees_times", "nested", cwd=PROGRAMS)
    ok(made.returncode == 0, "there is a recording to report")
    note(text(made.stderr))
    formats(recording)
    by_others(scratch)
    as_text(recording)
    sorting(recording)
    not_there(scratch)
    with open(recording, "rb") as original:
        bytes_of_it = original.read()
    note(f"{len(bytes_of_it)} bytes")
    truncated(scratch, bytes_of_it)
    damaged(scratch, bytes_of_it)
done()
