#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs.py SOURCE_ROOT - checks documents against the tree: files that they name exist, links lead somewhere, and each
.c file of src/ is named by a document of docs/ or src/. Documents that a newcomer reads first stay short.

A file is named by its name, or by the end of its path; by * for several. A path that begins with a slash is outside the
tree, and one with a word in capitals is an example.
"""
import fnmatch
import os
import re
import sys

import tree

NAME = re.compile(r"(?<![\w/.*-])(?:[\w*-][\w.*-]*/)*[\w*-]+\.(?:c|h|S|py|sh|awk|md|map|ld)\b")
EXAMPLE = re.compile(r"[A-Z]{2}.*\.(?!md)")
LINK = re.compile(r"\]\(([^)#:]+)\)")
# These make up files that a reader is to write.
MADE_UP = re.compile(r"^docs/(HOWTO_.*|TUTORIAL)\.md$")
# These tell which file does what.
TELLS = re.compile(r"^(docs/.*|src/.*)\.md$")


# Lines that a document may have, so that it is read.
LINES_MAX = {"README.md": 120, "docs/ARCHITECTURE.md": 150}
GLOSSARY, ENTRIES_MAX = "docs/GLOSSARY.md", 50


def too_long(root, document):
    """Returns what is too long about a document, as a list of one problem or none."""
    lines = tree.lines(root, document)
    if len(lines) > LINES_MAX.get(document, len(lines)):
        return [f"{document}: {len(lines)} lines: must be {LINES_MAX[document]} at most"]
    entries = sum(line.startswith("**") for line in lines)
    if document == GLOSSARY and entries > ENTRIES_MAX:
        return [f"{document}: {entries} entries: must be {ENTRIES_MAX} at most"]
    return []


def main(root):
    paths = list(tree.files(root))
    documents = [path for path in paths if path.endswith(".md")]
    named, problems = set(), []
    for document in documents:
        problems += too_long(root, document)
        for number, line in enumerate(tree.lines(root, document), 1):
            for link in LINK.findall(line):
                if not os.path.exists(os.path.join(root, os.path.dirname(document), link)):
                    problems.append(f"{document}:{number}: there is no {link}")
            for name in NAME.findall(line):
                found = {path for path in paths if fnmatch.fnmatch("/" + path, "*/" + name)}
                if not found and not EXAMPLE.search(name) and not MADE_UP.match(document):
                    problems.append(f"{document}:{number}: there is no file {name}")
                if TELLS.match(document):
                    named |= found
    problems += [
        f"{path}: no document tells what it is for"
        for path in paths
        if path.startswith("src/") and path.endswith(".c") and path not in named
    ]
    tree.finish(problems, f"{len(documents)} documents name {len(named)} files")


if __name__ == "__main__":
    main(sys.argv[1])
