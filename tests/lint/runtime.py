#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""runtime.py [--imports | --registers] CORE... [LIBRARY...] - what libdwell-calls.so and libdwell-audit.so are made of, and what functions built with -pg
call.

 - Each CORE.a, a part of a runtime that works around a call, uses nothing of libc, and no register that can hold
   an argument or a result of the call but general ones, which it saves. Nor does it need a relocation, so
   that it can be called before it is relocated, but for the one that says where its thread variable is.
 - Both libraries need libc alone.
 - They export what runtime.h and the dynamic linker ask for, and nothing else.
 - No segment can be written and executed.

With --imports, only that CORE.a uses nothing of libc is looked at: that is the same on every CPU, and what compilers
make of a structure that is cleared is not. With --registers, only its registers are: it runs around a call once it is relocated.
"""
import os
import re
import shutil
import subprocess
import sys

import imports
import tree

# All that libdwell-calls.so takes over from libc is the recorder's, but for what stack_guard.c stands in front of.
CALLS = r"dwell_calls_(attach|bind|counting|forget|injected|island|lose|no_island|object|refuses|repairs|resolving)|backtrace"
EXPORTS = {
    "libdwell-calls.so": "|".join([CALLS, *imports.table("exports_libdwell_record.txt")]),
    "libdwell-audit.so": r"la_(version|activity|objopen|objclose|symbind64)",
}
VECTORS = re.compile(r"%([xyz]mm\d+|st\b|mm\d|k[0-7]\b)")
# Between the core's own objects; and by which it finds its thread variable.
RELOCATIONS = re.compile(r"R_\w+_(PC32|PLT32|GOTTPOFF|TPOFF\w*|PC64)$")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def objects(archive):
    folder = archive + ".p"
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".o")]


def relocation_problems(paths):
    """Only sections that are loaded and are no description of others count."""
    path = section = ""
    problems = set()
    for line in run("readelf", "-rW", *paths).splitlines():
        head = re.match(r"Relocation section '\.rela?(\.\S+)'", line)
        if head:
            section = head[1]
        if line.startswith("File: "):
            path = line[len("File: "):]
        fields = line.split()
        if len(fields) < 3 or not fields[2].startswith("R_") or re.match(r"\.(debug|eh_frame|tdata)", section):
            continue
        if not RELOCATIONS.match(fields[2]):
            problems.add(f"{os.path.basename(path)} needs a relocation {fields[2]} in {section}")
    return sorted(problems)


def import_problems(archives):
    """Whatever the cores need is in them."""
    paths = [path for archive in archives for path in objects(archive)]
    ours = set().union(*imports.symbols(paths, "--defined-only").values()) | {"_GLOBAL_OFFSET_TABLE_"}
    # By the linker; in escape.c, beside the core; and in the CPU's own sources.
    ours |= {"__ehdr_start", "calls_personality", "calls_landed", "arch_syscall", "sys_filter"}
    problems = [] if len(paths) > 2 else [f"there are no objects in {archives[0]}.p"]
    for path, wanted in imports.symbols(paths, "--undefined-only").items():
        foreign = {symbol for symbol in wanted - ours if not imports.HELPERS.match(symbol)}
        problems += [f"{os.path.basename(path)} imports {symbol}" for symbol in sorted(foreign)]
    return problems


def vector_problems(paths):
    # The text before the first object, and then the path of each and its code.
    _, *parts = re.split(r"(?m)^(\S.*):\s+file format .*$", run("objdump", "-d", "--no-show-raw-insn", *paths))
    found = {path: VECTORS.search(code) for path, code in zip(parts[::2], parts[1::2])}
    return [f"{os.path.basename(path)} uses {vector[0]}, which may hold an argument" for path, vector in found.items() if vector]


def core_problems(archives):
    paths = [path for archive in archives for path in objects(archive)]
    return import_problems(archives) + relocation_problems(paths) + vector_problems(paths)


def library_problems(library):
    name = os.path.basename(library)
    problems = []
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", library)))
    problems += [f"{name} needs {other}" for other in sorted(needed - {"libc.so.6"})]
    for line in run("nm", "-D", "--defined-only", library).splitlines():
        symbol = line.split()[-1]
        if not re.fullmatch(EXPORTS[name], symbol):
            problems.append(f"{name} exports {symbol}")
    for line in run("readelf", "-lW", library).splitlines():
        if re.match(r"\s+(LOAD|GNU_STACK)\s", line) and "RWE" in line:
            problems.append(f"{name} has a segment that can be written and executed")
    return problems


def main(*arguments):
    for tool in ("nm", "objdump", "readelf"):
        if not shutil.which(tool):
            tree.skip(f"{tool} is not installed")
    cores = [path for path in arguments if path.endswith(".a")]
    if arguments[0] == "--imports":
        tree.finish(import_problems(cores), "it uses nothing of libc")
    if arguments[0] == "--registers":
        tree.finish(vector_problems([path for archive in cores for path in objects(archive)]), "it uses general registers alone")
    problems = core_problems(cores)
    for library in (path for path in arguments if path.endswith(".so")):
        problems += library_problems(library)
    tree.finish(problems, "all of it is made of what it should be")


if __name__ == "__main__":
    main(*sys.argv[1:])
