#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""unwind.py ARCHIVE - the stack walker, which runs in signal handlers, takes nothing from libc or any
else, and has no variables."""
import os
import subprocess
import sys

import tree


def symbols(path, option):
    answer = subprocess.run(["nm", option, path], capture_output=True, text=True, check=True).stdout
    return [line.split() for line in answer.splitlines() if line.strip()]


# By which system calls are asked about first: arch/filter.c.
OF_ARCH = {"sys_filter"}


def main(archive):
    folder = archive + ".p"
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".o")]
    problems = [] if len(paths) > 2 else [f"there are no objects in {folder}"]
    ours = {line[-1] for path in paths for line in symbols(path, "--defined-only")} | {"_GLOBAL_OFFSET_TABLE_"}
    for path in paths:
        name = os.path.basename(path)
        problems += [f"{name} imports {line[-1]}" for line in symbols(path, "--undefined-only") if line[-1] not in ours]
        problems += [f"{name} has a variable {line[-1]}" for line in symbols(path, "--defined-only")
                     if line[1] in "bBdDC" and line[-1] not in OF_ARCH]
    tree.finish(problems, f"{len(paths)} objects import nothing and have no variables")


if __name__ == "__main__":
    main(sys.argv[1])
