#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sizes.py SOURCE_ROOT - files of src/ have less than 500 lines, their functions less than 55, and none has a goto."""
import os
import re
import sys

import tree

FILE_MAX, FUNCTION_MAX = 499, 54
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)
GOTO = re.compile(r"\bgoto\b")


def functions(lines):
    """Yields the first line of each function's body, and how many it has. clang-format puts its braces first in a line."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line.startswith("}") and start is not None:
            yield start + 1, number - start - 1
            start = None


def problems_of(path, lines):
    if len(lines) > FILE_MAX:
        yield f"{path}: {len(lines)} lines: must be {FILE_MAX} at most"
    for start, count in functions(lines):
        if count > FUNCTION_MAX:
            yield f"{path}:{start}: a function of {count} lines: must be {FUNCTION_MAX} at most"
    if not path.endswith(".S") and GOTO.search(COMMENT.sub("", "\n".join(lines))):
        yield f"{path}: goto"


def main(root):
    paths = [path for path in tree.files(root, [".c", ".h", ".S"]) if path.startswith("src" + os.sep)]
    problems = [problem for path in paths for problem in problems_of(path, tree.lines(root, path))]
    tree.finish(problems, f"{len(paths)} files, none too long")


if __name__ == "__main__":
    main(sys.argv[1])
