#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""layers.py SOURCE_ROOT - which folder of src/ may include which; the README.md of each room says it as well.

The stages of a profile are layers, and each includes only those below it:

    base < pmu < recording < symbol < attach < model < output < import < fleet < cli

`runtime` is loaded into the target: it includes what it stands on (`base`, `arch`, `unwind`, `entry`, `interpreter`), the format of a
recording and what writes it, and no other folder includes it. A new folder needs its place here first.
"""
import os
import re
import sys

import tree

LAYERS = ["base", "pmu", "recording", "symbol", "attach", "model", "output", "import", "fleet", "cli"]

# Folders beside the layers, and the folders that each may include. A name with a slash is a room: the rest of its
# layer stays out of reach, but for the headers at the layer's root where that is named as well.
ASIDE = {
    "arch": ["base"],
    "unwind": ["base", "arch"],
    "entry": ["base", "arch", "unwind"],
    "interpreter": ["base", "arch", "unwind", "recording/", "recording/write"],
    "runtime": ["base", "arch", "unwind", "entry", "interpreter", "recording/", "recording/write"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
INCLUDED_BY = re.compile(r"\bIncluded\s+by\s([^.;:]*)")


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


def may_include(folder, header):
    other = header.split(os.sep)[0]
    if other == folder:
        return True
    if folder in ASIDE:
        room = os.path.dirname(header)
        return other in ASIDE[folder] or room in ASIDE[folder] or room + "/" in ASIDE[folder]
    if other in LAYERS:
        return LAYERS.index(other) < LAYERS.index(folder)
    return other != "runtime"


def problems_of(root, path):
    folder = path.split(os.sep)[1]
    if folder not in LAYERS and folder not in ASIDE:
        return [f"{path}: src/{folder} has no place yet: add it to tests/lint/layers.py"]
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


def check_room(root, room):
    """Returns what the README.md of a room lacks: the folders that may include it. A port of arch is included by all."""
    readme = os.path.join("src", room, "README.md")
    if room.count(os.sep) != 1 or room.startswith("arch" + os.sep) or not os.path.isfile(os.path.join(root, readme)):
        return []
    folders = [folder for folder in [*LAYERS, *ASIDE] if may_include(folder, os.path.join(room, "any.h"))]
    found = INCLUDED_BY.search("\n".join(tree.lines(root, readme)))
    named = {word for word in re.findall(r"[\w/]+", found[1]) if word in LAYERS or word in ASIDE} if found else set()
    return [] if named == set(folders) else [f"{readme}: must contain: Included by {', '.join(folders)}."]


def main(root):
    problems = []
    rooms = set()
    count = 0
    for path in tree.files(root, [".c", ".h", ".S"]):
        if path.startswith("src" + os.sep) and path.count(os.sep) > 1:
            problems += problems_of(root, path)
            count += 1
            if path.endswith(".h"):
                rooms.add(os.path.relpath(os.path.dirname(path), "src"))
    problems += [problem for room in sorted(rooms) for problem in check_room(root, room)]
    if not count:
        problems.append("there is no source in src")
    tree.finish(problems, f"{count} files include only what their layer may")


if __name__ == "__main__":
    main(sys.argv[1])
