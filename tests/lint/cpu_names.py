#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cpu_names.py SOURCE_ROOT - no code asks which CPU it is compiled for, outside src/arch, tests and dwell.h:
an architecture is added without touching a line anywhere else. And its folder has the same files as the others."""
import os
import re
import sys

import tree

NAME = re.compile(
    r"\b(__x86_64(__)?|__amd64(__)?|__i[3-6]86(__)?|__ILP32__|__aarch64__|__arm__|__riscv\w*|"
    r"__powerpc\w*|__s390x?__|__loongarch\w*|__mips\w*)\b"
)
# A folder of src/arch that is not a CPU, but what some have in common.
SHARED = {"x86"}
# Files that a CPU can do without, and the build looks for; code.h is for these alone.
OPTIONAL = {"code.h", "entry.c", "gate.c", "patch.h", "tracee.h"}
# One header is compiled into programs of others, alone.
FREE = ("src" + os.sep + "arch" + os.sep, "tests" + os.sep, "include" + os.sep + "dwell.h")


def folders_differ(paths):
    """Yields the files that one folder of src/arch has and another has not."""
    folders = {}
    for path in paths:
        parts = path.split(os.sep)
        if parts[:2] == ["src", "arch"] and len(parts) == 4 and parts[2] not in SHARED:
            folders.setdefault(parts[2], set()).add(parts[3])
    every = set().union(*folders.values())
    return [f"src/arch/{name} has no {file}, which others have"
            for name, files in sorted(folders.items()) for file in sorted(every - files - OPTIONAL)]


def main(root):
    problems = folders_differ(tree.files(root, [".c", ".h", ".S"]))
    for path in tree.files(root, [".c", ".h", ".S"]):
        if path.startswith(FREE):
            continue
        for number, line in enumerate(tree.lines(root, path), 1):
            name = NAME.search(line)
            if name:
                problems.append(f"{path}:{number}: names the CPU {name[0]}: that belongs in src/arch")
    tree.finish(problems, "only src/arch names CPUs")


if __name__ == "__main__":
    main(sys.argv[1])
