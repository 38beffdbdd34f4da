#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""imports.py LIBRARY EXPORTS [ARCHIVE...] - checks the imports and exports of a library that samples.

 - The objects that the signal handler runs in import nothing but what allowed_imports.txt allows.
 - The library needs no other library but libc.
 - It exports what the file EXPORTS beside this one lists, with those versions, and nothing else.
 - Where debian/ has a list of its symbols, that has the same: lintian refuses a package with others.

An ARCHIVE is linked into it: one of the recorder's objects, which are looked at as the library's own are, or one that is looked after
by a test of its own.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

import tree

HERE = os.path.dirname(os.path.abspath(__file__))
NEEDED = {"libc.so.6"}
RECORDER = "librecorder.a"

# The folders that Meson puts before the name of an object.
ROOM = re.compile(r"^(\.\._)*(?:(?:guard|process|profil|recording_write|sampler)_)?")

# In libgcc, of which each library has its own: how compilers for aarch64 take a lock or add to a number, and for riscv64 swap bytes.
HELPERS = re.compile(r"__aarch64_(cas|swp|ldadd|ldclr|ldeor|ldset)\d+_\w+$|__bswapdi2$")

# Compilers for other CPUs call _mcount() alone.
OF_X86 = {"mcount", "__fentry__"}

# Objects that no signal handler gets into; what they define counts as foreign to the others.
OUTSIDE_THE_HANDLER = {
    "address_guard", "altstack_guard", "begin", "closing", "config", "counter_guard", "environment", "exec_guard", "exit_guard", "importers", "memory_guard",
    "naming", "owner", "pg", "phdr_guard", "preloaded", "profil_plain", "rights_guard", "sandbox_guard", "signal_guard", "spawn_guard", "successor", "thread_hook",
}


def table(name):
    """{first word: the rest} of the lines of a file beside this one."""
    entries = {}
    for line in tree.lines(HERE, name):
        if line and not line.startswith("#"):
            word, _, rest = line.partition(" ")
            entries[word] = rest.strip()
    return entries


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def objects(library):
    """{name of the source: path} of the objects that Meson linked the library from."""
    folder = library + ".p"
    return {
        re.sub(ROOM, "", name)[: -len(".c.o")]: os.path.join(folder, name)
        for name in sorted(os.listdir(folder))
        if name.endswith((".c.o", ".S.o"))
    }


def symbols(paths, option):
    """Returns {path: names of its symbols}, by one nm for all."""
    found = {path: set() for path in paths}
    for line in run("nm", "-A", option, *paths).splitlines():
        path, _, symbol = line.partition(":")
        if symbol:
            found[path].add(symbol.split()[-1])
    return found


def import_problems(library, archives):
    allowed = table("allowed_imports.txt")
    looked_at = [library] + [path for path in archives if os.path.basename(path) == RECORDER]
    inside = {name: path for folder in looked_at for name, path in objects(folder).items() if name not in OUTSIDE_THE_HANDLER}
    if not inside:
        return [f"there are no objects in {library}.p"]
    ours = set().union(*symbols([*inside.values(), *archives], "--defined-only").values())
    wanted = symbols(inside.values(), "--undefined-only")
    problems = []
    for name, path in inside.items():
        for symbol in sorted(symbol for symbol in wanted[path] - ours - set(allowed) if not HELPERS.match(symbol)):
            problems.append(
                f"{name}.c imports {symbol}, which tests/lint/allowed_imports.txt does not allow in code "
                "that a signal handler may run"
            )
    return problems


def needed_problems(library):
    found = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", library)))
    return [f"{os.path.basename(library)} needs {name}, and should need libc alone" for name in sorted(found - NEEDED)]


def exported(library):
    """{symbol: version or "-"} of what the dynamic linker can find in the library."""
    found = {}
    for line in run("readelf", "-W", "--dyn-syms", library).splitlines():
        fields = line.split()
        if len(fields) < 8 or fields[6] == "UND" or not re.match(r"\d+:$", fields[0]):
            continue
        if (fields[6] == "ABS" and fields[3] == "OBJECT") or fields[3] == "SECTION":
            continue  # the name of a version, or of nothing
        name, _, version = fields[7].partition("@")
        found[name] = version.lstrip("@") or "-"
    return found


def export_problems(library, exports):
    is_x86 = re.search(r"Machine:.*(X86|80386)", run("readelf", "-h", library))
    wanted = {name: version for name, version in table(exports).items() if is_x86 or name not in OF_X86}
    found = exported(library)
    problems = []
    for name in sorted(wanted.keys() | found.keys()):
        if name not in found:
            problems.append(f"{name} is not exported, and tests/lint/{exports} says it is")
        elif name not in wanted:
            problems.append(f"{name} is exported, and tests/lint/{exports} does not list it")
        elif found[name] != wanted[name]:
            problems.append(f"{name} is exported with version {found[name]} instead of {wanted[name]}")
    return problems


def package_problems(library, exports):
    problems = []
    for path in glob.glob(os.path.join(HERE, "../../debian/*.symbols")):
        first, *lines = tree.lines(os.path.dirname(path), os.path.basename(path))
        if not os.path.basename(library).startswith(first.split()[0]):
            continue
        # A symbol may be of some CPUs alone: (arch=...)NAME@VERSION.
        pairs = [re.sub(r"^\(.*?\)", "", line.split()[0]).split("@") for line in lines if line.strip()]
        listed = {name for name, version in pairs if name != version}
        problems += [f"{name} is in one of debian/{os.path.basename(path)} and tests/lint/{exports}, not in both"
                     for name in sorted(listed ^ table(exports).keys())]
    return problems


def main(library, exports, *archives):
    for tool in ("nm", "readelf"):
        if not shutil.which(tool):
            tree.skip(f"{tool} is not installed")
    # sanitizer.h asks for one function of each, which need not be there.
    if re.search(r" U __(asan|ubsan)_", run("nm", "-D", library)):
        tree.skip("the library is built with a sanitizer, which imports what it likes")
    problems = import_problems(library, archives) + needed_problems(library) + export_problems(library, exports)
    problems += package_problems(library, exports)
    tree.finish(problems, f"{os.path.basename(library)} imports, needs and exports what it should")


if __name__ == "__main__":
    main(*sys.argv[1:])
