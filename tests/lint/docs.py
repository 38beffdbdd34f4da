#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs.py SOURCE_ROOT - checks documents against the tree: files that they name exist, links lead somewhere, and the
README.md that each folder of src/ has names its files, and no others, and the one to open first. Documents that a
newcomer reads first stay short.

A file is named by its name, or by the end of its path; by * for several. A path that begins with a slash is outside the
tree, and one with a word in capitals is an example. NAME/ in a README.md of src/ is each folder beside it.
"""
import fnmatch
import os
import re
import sys

import tree

NAME = re.compile(r"(?<![\w/.*-])(?:[\w*-][\w.*-]*/)*[\w*-]+\.(?:c|h|S|py|sh|awk|md|map|ld|sql)\b")
EXAMPLE = re.compile(r"[A-Z]{2}.*\.(?!md)")
LINK = re.compile(r"\]\(([^)#:]+)\)")
# These make up files that a reader is to write.
MADE_UP = re.compile(r"^docs/(HOWTO_.*|TUTORIAL)\.md$")
# Each of these is named by a README.md; a header beside a .c file of its name is not.
SOURCES = (".c", ".h", ".S", ".ld", ".map", ".py", ".sh", ".sql")
OPEN_FIRST = re.compile(r"\bOpen\s+first:\s")

# Lines that a document may have, so that it is read.
LINES_MAX = {"README.md": 120, "docs/ARCHITECTURE.md": 150}
ROOM, ROOM_LINES_MAX = re.compile(r"^src/(.*/)?README\.md$"), 50
GLOSSARY, ENTRIES_MAX = "docs/GLOSSARY.md", 50


def too_long(root, document):
    """Returns what is too long about a document, as a list of one problem or none."""
    lines = tree.lines(root, document)
    most = ROOM_LINES_MAX if ROOM.match(document) else LINES_MAX.get(document, len(lines))
    if len(lines) > most:
        return [f"{document}: {len(lines)} lines: must be {most} at most"]
    entries = sum(line.startswith("**") for line in lines)
    if document == GLOSSARY and entries > ENTRIES_MAX:
        return [f"{document}: {entries} entries: must be {ENTRIES_MAX} at most"]
    return []


def is_named(path, folder, name):
    """Returns whether the README.md of a folder means a file by a name: one beside it, or by NAME/ one in a folder beside it."""
    place, file = os.path.split(path)
    if name.startswith("NAME/"):
        place, name = os.path.dirname(place), name[len("NAME/"):]
    return place == folder and fnmatch.fnmatchcase(file, name)


def has_name(path, name):
    """Returns whether a path, which begins with a slash, ends in a name."""
    return fnmatch.fnmatchcase(path, "*/" + name) if "*" in name else path.endswith("/" + name)


def listed(line):
    """Returns the files that a row of a table is about: those of cells without other words."""
    cells = [cell.replace(",", " ").split() for cell in line.split("|")[1:]]
    return [name for cell in cells if all(NAME.fullmatch(word) for word in cell) for name in cell]


def check_readmes(root, paths):
    """Returns the folders of src/ without a README.md, the files that the README.md of their folder does not name, nor the
    one above by NAME/, and those that it lists without having them."""
    sources = {path for path in paths if path.startswith("src/") and path.endswith(SOURCES)}
    unnamed = {path for path in sources if not (path.endswith(".h") and path[:-2] + ".c" in sources)}
    problems = []
    for folder in sorted({os.path.dirname(path) for path in paths if path.startswith("src/")}):
        readme = folder + "/README.md"
        if readme not in paths:
            problems.append(f"{folder}: there is no README.md")
            continue
        lines = tree.lines(root, readme)
        if folder != "src" and not OPEN_FIRST.search("\n".join(lines)):
            problems.append(f"{readme}: does not say which file to open first")
        for number, line in enumerate(lines, 1):
            names = NAME.findall(line)
            unnamed = {path for path in unnamed if not any(is_named(path, folder, name) for name in names)}
            problems += [
                f"{readme}:{number}: there is no file {name} in {folder}"
                for name in listed(line)
                if not any(is_named(path, folder, name) for path in paths)
            ]
    return problems + [f"{path}: the README.md of its folder does not name it" for path in sorted(unnamed)]


def main(root):
    paths = list(tree.files(root))
    documents = [path for path in paths if path.endswith(".md")]
    named, problems = set(), check_readmes(root, paths)
    for document in documents:
        problems += too_long(root, document)
        for number, line in enumerate(tree.lines(root, document), 1):
            for link in LINK.findall(line):
                if not os.path.exists(os.path.join(root, os.path.dirname(document), link)):
                    problems.append(f"{document}:{number}: there is no {link}")
            for name in NAME.findall(line):
                found = {path for path in paths if has_name("/" + path, name)}
                if not found and not EXAMPLE.search(name) and not MADE_UP.match(document):
                    problems.append(f"{document}:{number}: there is no file {name}")
                named |= found
    tree.finish(problems, f"{len(documents)} documents name {len(named)} files")


if __name__ == "__main__":
    main(sys.argv[1])
