#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""layers.py SOURCE_ROOT - who may include whom in src/.

The stages of a profile are layers, each of which knows those below it:

    base < record < symbol < attach < model < output < cli

`capture` is a world of its own: it is loaded into the target, so it takes little along, and nobody
else may lean on it. `arch` and `unwind` are what it stands on. A folder that is no layer yet has to
be given its place here first.
"""
import os
import re
import sys

import tree

LAYERS = ["base", "record", "symbol", "attach", "model", "output", "cli"]

# Folders that are no layers, and what they may include beside themselves: a folder or a header.
ASIDE = {
    "arch": ["base"],
    "unwind": ["base", "arch"],
    "capture": [
        "base",
        "arch/arch.h",
        "arch/calls_layout.h",
        "arch/context.h",
        "arch/mcount.h",
        "arch/relocations.h",
        "arch/sys.h",
        "arch/syscall.h",
        "arch/thread.h",
        "arch/ticks.h",
        "arch/wrap.h",
        "arch/wrapper.h",
        "unwind",
        "record/format.h",
        "record/room.h",
        "record/samples.h",
        "record/stack_end.h",
        "record/stacks.h",
    ],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def find(root, includer, name):
    """The header below src/ that `includer` means by `name`; None: there is none."""
    src = os.path.join(root, "src")
    arch = os.path.join(src, "arch")
    ports = [os.path.join(arch, port) for port in sorted(os.listdir(arch))] if os.path.isdir(arch) else []
    for folder in [os.path.join(root, os.path.dirname(includer)), src, arch, *ports]:
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(path):
            return os.path.relpath(path, src)
    return None


def place(header):
    """The folder of a header, and its name there; all ports of arch look alike."""
    folder = header.split(os.sep)[0]
    return folder, folder + "/" + os.path.basename(header)


def may_include(folder, header):
    other, name = place(header)
    if other == folder:
        return True
    if folder in ASIDE:
        return other in ASIDE[folder] or name in ASIDE[folder]
    if other in LAYERS:
        return LAYERS.index(other) < LAYERS.index(folder)
    return other != "capture"


def problems_of(root, path):
    folder = path.split(os.sep)[1]
    if folder not in LAYERS and folder not in ASIDE:
        return [f"{path}: src/{folder} is no layer: give it its place in tests/lint/layers.py"]
    problems = []
    for number, line in enumerate(tree.lines(root, path), 1):
        include = INCLUDE.match(line)
        if not include:
            continue
        header = find(root, path, include[1])
        if header is None:
            problems.append(f"{path}:{number}: there is no header {include[1]} in src")
        elif not may_include(folder, header):
            problems.append(f"{path}:{number}: src/{folder} must not include {header}")
    return problems


def main(root):
    problems = []
    count = 0
    for path in tree.files(root, [".c", ".h", ".S"]):
        if path.startswith("src" + os.sep) and path.count(os.sep) > 1:
            problems += problems_of(root, path)
            count += 1
    if not count:
        problems.append("there is no source in src")
    tree.finish(problems, f"{count} files include only what their layer may")


if __name__ == "__main__":
    main(sys.argv[1])
