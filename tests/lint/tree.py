# SPDX-License-Identifier: MIT
"""tree.py - the files of the source tree, for the checks beside it."""
import os
import sys

SKIPPED = 77  # what Meson takes for "skipped"


def files(root, suffixes=("",)):
    """Paths of all files below root, relative to it, that end in one of the suffixes.

    Leaves out build directories, wherever they are, the copies that packages are built of and that mutate.py changes, the
    roots of other CPUs, and what begins with a dot but is not .ci.
    """
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            name
            for name in folders
            if (not name.startswith(".") or name == ".ci")
            and name not in ("__pycache__", "build-ports", "build-mutate")
            and not name.startswith("build-package")
            and not os.path.isdir(os.path.join(folder, name, "meson-info"))
        )
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if name.endswith(tuple(suffixes)):
                yield path


def lines(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as text:
        return text.read().splitlines()


def finish(problems, what_is_fine):
    """Says what is wrong, a line each, or that all is well; and ends."""
    for problem in problems:
        print(problem)
    if not problems:
        print(what_is_fine)
    sys.exit(1 if problems else 0)


def skip(reason):
    print(reason)
    sys.exit(SKIPPED)
