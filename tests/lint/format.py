#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""format.py SOURCE_ROOT - clang-format has nothing to change in any C file that git knows. Its versions differ: that of Debian 12
counts."""
import os
import re
import shutil
import subprocess
import sys

import tree

VERSION = "14"


def tracked(root):
    command = ["git", "-C", root, "ls-files", "-z", "*.c", "*.h"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        tree.skip("git does not know this tree: " + answer.stderr.strip().splitlines()[-1])
    # One that is removed but not committed yet is still in git's list.
    return [path for path in answer.stdout.split("\0") if path and os.path.exists(os.path.join(root, path))]


def main(root):
    for tool in ("clang-format", "git"):
        if not shutil.which(tool):
            tree.skip(f"{tool} is not installed")
    version = re.search(r"version (\d+)", subprocess.run(["clang-format", "--version"], capture_output=True, text=True, check=False).stdout)
    if not version or version[1] != VERSION:
        tree.skip(f"clang-format {version[1] if version else 'of an unknown version'} differs from version {VERSION}")
    paths = tracked(root)
    if not paths:
        tree.skip("git knows no C files here")
    answer = subprocess.run(
        ["clang-format", "--dry-run", "-Werror", *paths], cwd=root, capture_output=True, text=True, check=False
    )
    problems = [line for line in answer.stderr.splitlines() if "error:" in line]
    if answer.returncode and not problems:
        problems = answer.stderr.splitlines()
    if problems:
        problems.append("./dev format mends this")
    tree.finish(problems, f"{len(paths)} files are formatted")


if __name__ == "__main__":
    main(sys.argv[1])
