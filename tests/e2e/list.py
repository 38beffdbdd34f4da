#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""list.py DWELL STATIC PROGRAM VERSIONS NAMES - `dwell list` agrees with readelf and the dynamic linker.

PROGRAM imports from the libraries VERSIONS and NAMES and from libc, see tests/prog/list_*. The linker prints its
real bindings with LD_DEBUG=bindings.
"""
import csv
import functools
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import PATIENCE  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

DWELL, STATIC, PROGRAM, VERSIONS, NAMES = (os.path.abspath(path) for path in sys.argv[1:6])

FUNCTIONS = {"FUNC", "IFUNC"}
NOBODY = "(none: weak)"


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=60 * PATIENCE, check=False, **options)


def dwell(*arguments, **options):
    return run(DWELL, *arguments, **options)


def rows(*arguments):
    """Returns the rows of a listing, from its JSON."""
    answer = dwell("list", "--format", "json", *arguments)
    if answer.returncode:
        note(answer.stderr)
        return []
    (table,) = (value for key, value in json.loads(answer.stdout).items() if key != "meta")
    return table


def symbols(*arguments):
    return in_order((row["symbol"], row["version"]) for row in rows(*arguments))


@functools.lru_cache(maxsize=None)
def dynamic_symbols(path):
    """Returns [(name, version, type, is defined)] of each symbol that can be bound."""
    found = []
    for line in run("readelf", "-W", "--dyn-syms", path).stdout.splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[0][:-1].isdigit() or fields[4] == "LOCAL":
            continue
        name, _, version = fields[7].partition("@")
        found.append((name, version.lstrip("@") or None, fields[3], fields[6] != "UND"))
    return found


def in_order(found):
    return sorted(found, key=lambda symbol: (symbol[0], symbol[1] or ""))


def exported_functions(path):
    return in_order((name, version) for name, version, kind, defined in dynamic_symbols(path)
                    if defined and kind in FUNCTIONS)


def is_function(symbol, provider):
    return any(name == symbol and defined and kind in FUNCTIONS
               for name, _, kind, defined in dynamic_symbols(provider))


def bindings(*command):
    """Returns {(symbol, version): path of its provider} of functions the program imports, by the linker itself."""
    env = dict(os.environ, LD_DEBUG="bindings", LD_BIND_NOW="1")
    line = re.compile(r"binding file (\S+) \[0\] to (\S+) \[0\]: \w+ symbol `(\S+)'(?: \[(\S+)\])?")
    imports = {(name, version) for name, version, _, defined in dynamic_symbols(command[0]) if not defined}
    found = {}
    for importer, provider, symbol, version in line.findall(run(*command, env=env).stderr):
        # The address of an import may be that of the program's own PLT entry, which leads to the
        # provider; and the linker looks up malloc for itself in the program's name.
        if importer == command[0] != provider and (symbol, version or None) in imports:
            if is_function(symbol, provider):
                found[symbol, version or None] = provider
    return found


def same_as_linker(*command):
    bound = bindings(*command)
    listed = {(row["symbol"], row["version"]): row["path"] for row in rows(command[0]) if row["path"]}
    wrong = {key for key in bound.keys() | listed.keys() if bound.get(key) != listed.get(key)}
    title = os.path.basename(command[0])
    if not ok(bound and not wrong, f"{title}: {len(listed)} functions, each from where the linker binds it"):
        note("\n".join(f"{key}: {listed.get(key)}, linker {bound.get(key)}" for key in sorted(wrong, key=str)))


def the_program():
    same_as_linker(PROGRAM)
    listed = {(row["symbol"], row["version"]): row for row in rows(PROGRAM)}
    ok({("list_area", "LIST_1"), ("list_area", "LIST_2")} <= listed.keys(), "two versions of one name stay apart")
    ok(listed["_ZN6shapes3sumEii", None]["name"] == "shapes::sum(int, int)", "C++ names are demangled")
    ok(listed["list_absent", None]["library"] == NOBODY, f"a weak import without a provider is in {NOBODY}")
    ok(("list_data", "LIST_1") not in listed and not any(name == "stdout" for name, _ in listed), "data is left out")
    ok(any(name == "strlen" for name, _ in listed), "an IFUNC is a function")
    text = dwell("list", PROGRAM).stdout
    ok(re.search(rf"^liblist_names.so  {re.escape(NAMES)}  \(2\)\n  long shapes::largest<long>\(long, long\)\n"
                 r"  shapes::sum\(int, int\)\n\n", text, re.M), "text: a heading and what belongs to it")
    ok("_ZN6shapes3sumEii\n" in dwell("list", "--no-demangle", PROGRAM).stdout, "--no-demangle")


def formats():
    table = list(csv.DictReader(io.StringIO(dwell("list", "--format", "csv", PROGRAM).stdout)))
    plain = [{key: value or "" for key, value in row.items()} for row in rows(PROGRAM)]
    ok(table and table == plain, "CSV and JSON say the same")


def exports():
    for path in (VERSIONS, NAMES, libc()):
        listed = symbols("--exports", path)
        ok(listed and listed == exported_functions(path),
           f"--exports {os.path.basename(path)}: the {len(listed)} functions that readelf shows")
    current = {row["version"]: row["default"] for row in rows("--exports", VERSIONS) if row["symbol"] == "list_area"}
    ok(current == {"LIST_1": "no", "LIST_2": "yes"}, "and which version is the current one")


def libc():
    return next(row["path"] for row in rows(PROGRAM) if row["library"].startswith("libc."))


def chosen(*arguments):
    return [symbol for symbol, _ in symbols(*arguments, PROGRAM)]


def specs():
    ok(chosen("-f", "liblist_versions*:*") == ["list_area", "list_area"], "-f OBJECT:*")
    ok(chosen("-f", "shapes::sum") == ["_ZN6shapes3sumEii"], "-f a demangled name")
    ok(chosen("-f", "shapes::sum(int, int)") == ["_ZN6shapes3sumEii"], "with parameters")
    ok(chosen("-f", "_ZN6shapes3*,strl*") == ["_ZN6shapes3sumEii", "strlen"], "two, mangled and not, with a comma")
    ok(chosen("-f", f"{NAMES}:*", "-x", "shapes::sum*") == ["_ZN6shapes7largestIlEET_S1_S1_"], "-x takes away")
    with tempfile.NamedTemporaryFile("w", suffix=".specs") as file:
        file.write("# comment\nshapes::sum(int, int)\n\nstrlen\n")
        file.flush()
        ok(chosen("-f", "@" + file.name) == ["_ZN6shapes3sumEii", "strlen"], "-f @FILE")
    answer = dwell("list", "-f", "strlen,libq*:*", "-x", "never", PROGRAM)
    ok(answer.returncode == 0 and "-f 'libq*:*' matched nothing" in answer.stderr and
       "-x 'never' matched nothing" in answer.stderr and "strlen' m" not in answer.stderr,
       "a spec that matched nothing is named")
    importers = {row["from"] for row in rows("--from", "*list_*", "-f", "strlen", PROGRAM)}
    ok(importers == {"list_program", "liblist_versions.so"}, "--from shows who imports, libraries as well")


def libraries():
    listed = rows(VERSIONS)
    ok(any(row["symbol"] == "strlen" and row["path"] == libc() for row in listed), "imports of a library")
    bare = dwell("list", os.path.basename(VERSIONS), cwd=os.path.dirname(VERSIONS))
    ok("strlen" in bare.stdout, "a file without a slash is the one that is there")
    ok(symbols(libc()) and dwell("list", libc()).returncode == 0, "imports of libc itself")


def a_missing_library():
    with tempfile.TemporaryDirectory() as folder:
        # Its RUNPATH is $ORIGIN, where its libraries no longer are.
        moved = shutil.copy(PROGRAM, folder)
        os.mkdir(f"{folder}/elsewhere")
        found = shutil.copy(NAMES, f"{folder}/elsewhere")
        answer = dwell("list", moved, env=dict(os.environ, LD_LIBRARY_PATH=f"{folder}/elsewhere"))
    ok(answer.returncode == 0 and "library 'liblist_versions.so', needed by" in answer.stderr and answer.stderr.count("\n") == 1,
       "a library that is missing is named")
    ok("(not found)  (2)\n  LIST_1  list_area\n  LIST_2  list_area\n" in answer.stdout,
       "and so is what it should have had")
    ok(f"liblist_names.so  {found}  (2)\n" in answer.stdout, "another one is found by LD_LIBRARY_PATH")


def refuses(words, *arguments, **options):
    answer = dwell(*arguments, **options)
    shown = " ".join(os.path.basename(argument) for argument in arguments)
    one_sentence = words in answer.stderr and answer.stderr.count("\n") == 1 and not answer.stdout
    if not ok(answer.returncode == 2 and one_sentence, f"dwell {shown}: {words}"):
        note(f"{answer.returncode}: {answer.stderr}{answer.stdout}")


def bad_files():
    refuses("statically linked: it has no imports", "list", STATIC)
    refuses("is not an ELF file", "list", os.path.abspath(__file__))
    refuses("is a directory", "list", "/")
    refuses("No such file", "list", "/no/such/file")
    refuses("is a directory", "list", "--exports", "/")
    with tempfile.TemporaryDirectory() as folder:
        for name, change in (("half", half), ("other_class", other_class), ("other_machine", other_machine)):
            with open(PROGRAM, "rb") as whole, open(f"{folder}/{name}", "wb") as spoilt:
                spoilt.write(change(bytearray(whole.read())))
        refuses("damaged or truncated", "list", f"{folder}/half")
        refuses("is for another CPU than this dwell", "list", f"{folder}/other_machine")
        answer = dwell("list", f"{folder}/other_class")
        ok(answer.returncode == 2 and answer.stderr.count("\n") == 1, "a wrong class byte: one sentence")
        os.mkfifo(f"{folder}/fifo")
        refuses("is not a regular file", "list", f"{folder}/fifo")


def half(content):
    return content[: len(content) // 2]


def other_class(content):
    content[4] ^= 3
    return content


def other_machine(content):
    content[18] ^= 1
    return content


def bad_usage():
    refuses("unknown verb or command 'frobnicate'", "frobnicate")
    refuses("unknown option '--frobnicate'", "--frobnicate")
    refuses("unknown option '--frobnicate'", "list", "--frobnicate", PROGRAM)
    refuses("unknown option '-q'", "list", "-eq", PROGRAM)
    refuses("option '-f' needs a value", "list", "-f")
    refuses("option '--from' needs a value", "list", "--from")
    refuses("missing FILE", "list")
    refuses("only one FILE is allowed", "list", PROGRAM, PROGRAM)
    refuses("unknown format 'xml'", "list", "--format", "xml", PROGRAM)
    refuses("invalid spec 'libc:': must be [OBJECT:]FUNCTION", "list", "-f", "libc:", PROGRAM)
    refuses("cannot open the list of specs", "list", "-f", "@/no/such/file", PROGRAM)
    refuses("--exports lists no imports", "list", "--exports", "--from", "x", PROGRAM)
    ok(dwell().returncode == 2, "dwell alone: how to use it, and 2")
    with open("/dev/full", "w", encoding="utf-8") as full:
        answer = subprocess.run([DWELL, "list", PROGRAM], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    ok(answer.returncode == 2 and "cannot write" in answer.stderr, "a full disk is an error")


def good_usage():
    for arguments in (["--help"], ["list", "--help"]):
        answer = dwell(*arguments)
        ok(answer.returncode == 0 and "usage: dwell" in answer.stdout and "example" in answer.stdout,
           f"dwell {' '.join(arguments)}: how to use it, with examples")
    ok(re.fullmatch(r"dwell \d+\.\d+\.\d+\n", dwell("--version").stdout), "dwell --version")


def real_programs():
    for program, *arguments in (["/bin/bash", "-c", ":"], ["/usr/bin/python3", "-V"]):
        path = os.path.realpath(program)
        if os.path.exists(path) and "statically" not in dwell("list", path).stderr:
            same_as_linker(path, *arguments)
        else:
            skip(program, "it is not there, or static")


if not shutil.which("readelf"):
    print("1..0 # SKIP readelf is not installed")
    sys.exit(0)
the_program()
formats()
exports()
specs()
libraries()
a_missing_library()
bad_files()
bad_usage()
good_usage()
real_programs()
done()
