#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""man.py SOURCE_ROOT - mandoc finds nothing to warn of in any manual page."""
import os
import re
import shutil
import subprocess
import sys

import tree

PAGE = re.compile(r"^man/.*\.[1-9]\w*$")


def is_link(path):
    """A page that only says where the real one is: mandoc would look for that among the installed."""
    with open(path, encoding="utf-8") as text:
        return text.read(4) == ".so "


def main(root):
    if not shutil.which("mandoc"):
        tree.skip("mandoc is not installed")
    pages = [path for path in tree.files(root) if PAGE.match(path) and not is_link(os.path.join(root, path))]
    if not pages:
        tree.skip("there are no manual pages yet")
    answer = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", *pages], cwd=root, capture_output=True, text=True, check=False
    )
    problems = (answer.stdout + answer.stderr).splitlines() if answer.returncode else []
    tree.finish(problems, "mandoc finds nothing in " + ", ".join(pages))


if __name__ == "__main__":
    main(sys.argv[1])
