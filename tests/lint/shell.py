#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""shell.py SOURCE_ROOT - shellcheck finds nothing in any shell script of the tree. A script is a file
that begins with the name of a shell, whatever it is called, or tells shellcheck which one it is for."""
import os
import re
import shutil
import subprocess
import sys

import tree

SHELL = re.compile(rb"#! ?(/usr)?/bin/(env )?(ba|da)?sh\b|# shellcheck shell=")


def is_script(path):
    with open(path, "rb") as start:
        return bool(SHELL.match(start.read(64)))


def main(root):
    if not shutil.which("shellcheck"):
        tree.skip("shellcheck is not installed")
    scripts = [path for path in tree.files(root) if is_script(os.path.join(root, path))]
    if not scripts:
        tree.finish(["there is no shell script, not even dev"], "")
    answer = subprocess.run(
        ["shellcheck", "-x", "--format=gcc", *scripts], cwd=root, capture_output=True, text=True, check=False
    )
    problems = (answer.stdout + answer.stderr).splitlines() if answer.returncode else []
    tree.finish(problems, "shellcheck finds nothing in " + ", ".join(scripts))


if __name__ == "__main__":
    main(sys.argv[1])
