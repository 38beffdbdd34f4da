#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""version.py SOURCE_ROOT - all that names a version names that of meson.build: the manual pages, CHANGELOG.md and the
package, each in its last entry."""
import os
import re
import sys

import tree

PROJECT = re.compile(r"^  version: '(.+)',$")
# The form of the line with the version in each file; the first such line counts.
PLACES = [
    (re.compile(r"^man/.*\.[1-9]$"), re.compile(r'^\.TH .*"dwell (.+?)"')),
    (re.compile(r"^CHANGELOG\.md$"), re.compile(r"^## (\S+)")),
    (re.compile(r"^debian/changelog$"), re.compile(r"^dwell \((.+)-\d+\)")),
]


def version(root, path, pattern):
    for line in tree.lines(root, path):
        found = pattern.match(line)
        if found:
            return found[1]
    return None


def main(root):
    wanted = version(root, "meson.build", PROJECT)
    problems, places = [], 0
    for path in tree.files(root):
        for name, pattern in PLACES:
            if name.match(path):
                places += 1
                named = version(root, path, pattern)
                if named != wanted:
                    problems.append(f"{path}: names version {named}, and meson.build {wanted}")
    for path in ("CHANGELOG.md", "debian/changelog"):
        if not os.path.exists(os.path.join(root, path)):
            problems.append(f"{path}: is missing")
    tree.finish(problems, f"{places} files name version {wanted}")


if __name__ == "__main__":
    main(sys.argv[1])
