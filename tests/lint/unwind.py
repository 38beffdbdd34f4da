#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""unwind.py ARCHIVE - the stack walker, which runs in signal handlers, takes nothing from libc or any
else, and has no variables."""
import os
import subprocess
import sys

import tree


# By which system calls are asked about first: arch/filter.c.
OF_ARCH = {"sys_filter"}


def main(archive):
    folder = archive + ".p"
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".o")]
    problems = [] if len(paths) > 2 else [f"there are no objects in {folder}"]
    found = subprocess.run(["nm", "-A", *paths], capture_output=True, text=True, check=True).stdout.splitlines()
    # The path and an address, which may be missing, the kind of symbol, and its name.
    symbols = [(os.path.basename(line.partition(":")[0]), *line.split()[-2:]) for line in found]
    ours = {symbol for _, kind, symbol in symbols if kind not in "Uw"} | {"_GLOBAL_OFFSET_TABLE_"}
    problems += [f"{name} imports {symbol}" for name, kind, symbol in symbols if kind in "Uw" and symbol not in ours]
    problems += [f"{name} has a variable {symbol}" for name, kind, symbol in symbols
                 if kind in "bBdDC" and symbol not in OF_ARCH]
    tree.finish(problems, f"{len(paths)} objects import nothing and have no variables")


if __name__ == "__main__":
    main(sys.argv[1])
