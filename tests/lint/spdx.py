#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""spdx.py SOURCE_ROOT - every source file says in its first line what its license is; in the second
where the first one has to name its interpreter."""
import sys

import tree

MARK = "SPDX-License-Identifier: MIT"


def licensed(head):
    if head and head[0].startswith("#!"):
        head = head[1:]
    return bool(head) and MARK in head[0]


def main(root):
    paths = list(tree.files(root, [".c", ".css", ".h", ".js", ".S", ".py"]))
    problems = [
        f'{path}: does not begin with a line "{MARK}"'
        for path in paths
        if not licensed(tree.lines(root, path)[:2])
    ]
    tree.finish(problems, f"{len(paths)} files name their license")


if __name__ == "__main__":
    main(sys.argv[1])
