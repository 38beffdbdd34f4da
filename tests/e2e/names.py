#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""names.py DWELL PROGRAMS - long names of C++ functions: in a short form for people, whole with --long and for programs."""
import base64
import gzip
import json
import os
import re
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

SHORT = "ledger::accounts::Book<...>::recalculate(...)"
WHOLE = re.compile(r"ledger::accounts::Book<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, double>::recalculate\(")
MANGLED = re.compile(r"_ZN6ledger8accounts4BookI\w+11recalculateE")
INLINED = "ledger::accounts::(anonymous namespace)::stir"


def has(words, forms, what, read=text):
    """Checks which of the forms the output of a verb has."""
    shown = read(run(DWELL, *words).stdout)
    found = {"short": SHORT in shown, "whole": bool(WHOLE.search(shown)), "mangled": bool(MANGLED.search(shown))}
    if not ok({name for name, is_there in found.items() if is_there} == set(forms), f"{what}: {', '.join(forms)}"):
        note(shown[:600])
    return shown


def tables(samples, calls, tree):
    shown = has(["report", samples], ["short"], "report")
    ok(f"  {INLINED} " in shown, "the namespaces of an inlined function are kept")
    has(["report", "--long", samples], ["whole"], "report --long")
    has(["report", "--no-demangle", samples], ["mangled"], "report --no-demangle")
    for words in (["--tree"], ["--callers"], ["--by", "line"]):
        has(["report", *words, samples], ["short"], f"report {words[0]}")
        has(["report", *words, "--long", samples], ["whole"], f"report {words[0]} --long")
    for name, data in (("calls", calls), ("a tree of calls", tree)):
        words = ["--tree"] if data == tree else []
        has(["report", *words, data], ["short"], name)
        has(["report", *words, "--long", data], ["whole"], f"{name}, --long")
    has(["annotate", "*recalculate*", samples], ["short"], "annotate")
    has(["annotate", "--long", "*recalculate*", samples], ["whole"], "annotate --long")
    has(["diff", samples, samples], ["short"], "diff")
    has(["diff", "--long", samples, samples], ["whole"], "diff --long")
    shown = has(["diff", "--by", "stack", samples, samples], ["short"], "diff --by stack")
    ok(f" {INLINED} < {SHORT} < main < " in shown, "a stack has the short form of each name")
    has(["diff", "--by", "stack", "--long", samples, samples], ["whole"], "diff --by stack --long")
    for form in ("json", "csv"):
        has(["report", "--format", form, samples], ["whole", "mangled"], f"report --format {form}")


def exports(samples, calls, tree):
    for form, read in (("folded", text), ("speedscope", text), ("firefox", text), ("perfetto", text)):
        has(["export", "-f", form, samples], ["short"], f"export -f {form}", read)
        has(["export", "-f", form, "--long", samples], ["whole"], f"export -f {form} --long", read)
    for data in (samples, calls):
        has(["export", "-f", "pprof", data], ["short", "mangled"], "pprof: with the symbol", lambda out: text(gzip.decompress(out)))
        has(["export", "-f", "pprof", "--long", data], ["whole", "mangled"], "pprof --long", lambda out: text(gzip.decompress(out)))
        has(["export", "-f", "otlp", data], ["short", "mangled"], "otlp: with the symbol")
    has(["export", "-f", "folded", tree], ["short"], "folded, of calls")
    for form in ("callgrind", "perf-script"):
        has(["export", "-f", form, samples], ["whole"], f"export -f {form}, whose readers know functions by name")


def head_of(path):
    """Returns the tables of a page; see web/README.md for its format."""
    with open(path, encoding="utf-8") as page:
        packed = re.search(r'<script type="application/x-dwell">([^<]+)', page.read())[1]
    data = zlib.decompress(base64.b64decode(packed))
    size, shift, at = 0, 0, 0
    while True:
        size |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return json.loads(data[at:at + size])


def pages(folder, samples, calls, tree):
    for name, data in (("samples", samples), ("calls", calls), ("tree", tree)):
        run(DWELL, "html", "-o", f"{folder}/page.html", data)
        head = head_of(f"{folder}/page.html")
        names = {row["name"]: row["short"] for row in head["short_names"]}
        ok(any(WHOLE.match(whole) and short == SHORT for whole, short in names.items()), f"page of {name}: short forms of names")
        rows = head[{"samples": "functions", "calls": "calls", "tree": "calls_tree"}[name]]
        ok(any(WHOLE.match(row["name"] or "") for row in rows), f"page of {name}: and whole names")
    run(DWELL, "html", "--long", "-o", f"{folder}/page.html", samples)
    ok(not head_of(f"{folder}/page.html")["short_names"], "html --long: no short forms")


def main():
    if not os.path.exists(program("long_names")):
        skip("long names", "there is no compiler for C++")
        done()
    with tempfile.TemporaryDirectory() as folder:
        samples, calls, tree = (f"{folder}/{name}" for name in ("samples", "calls", "tree"))
        run(DWELL, "record", "-q", "-o", samples, program("long_names"), "0.2")
        run(DWELL, "calls", "-f", "liblong*:*", "-o", calls, program("long_names"), "0.1")
        run(DWELL, "calls", "--tree", "-f", "liblong*:*", "-o", tree, program("long_names"), "0.1")
        tables(samples, calls, tree)
        exports(samples, calls, tree)
        pages(folder, samples, calls, tree)
    done()


if __name__ == "__main__":
    main()
