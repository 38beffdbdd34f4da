#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""walks.py [COMMIT...] - counts the steps of the three walks of docs/ARCHITECTURE.md through the tree of each commit
(default: HEAD), as a table for docs/NOTES.md.

The walks are those of HEAD: the names in bold, in their order. An older commit is read under the names that the files
had then; files that it does not have are left out. A hop is a step into another folder. The folders that a walk passes
hold the files to choose from: all but README.md and meson.build. src/arch/NAME is counted as src/arch/x86_64.
"""
import os
import re
import subprocess
import sys

WALK = re.compile(r"^## Walk \d+: (.*)$", re.MULTILINE)
FILE = re.compile(r"\*\*([\w/]+\.[chS])\*\*")
HEAD = "HEAD"


def git(*words):
    return subprocess.run(["git", *words], stdout=subprocess.PIPE, text=True, check=True).stdout


def files_of(commit):
    """Returns the paths of all files below src/."""
    return git("ls-tree", "-r", "--name-only", "--full-tree", commit, "src").splitlines()


def find(files, folder, name):
    """Returns the file that a walk means by a name: beside the last one, or the only one whose path ends so."""
    if f"{folder}/{name}" in files:
        return f"{folder}/{name}"
    found = [path for path in files if path.endswith(f"/{name}")]
    if len(found) != 1:
        sys.exit(f"walks.py: {name}: expected one file of that name, found {len(found)}")
    return found[0]


def read_walks():
    """Returns the walks as (title, files)."""
    files = files_of(HEAD)
    _, *parts = WALK.split(git("show", f"{HEAD}:docs/ARCHITECTURE.md"))
    walks = []
    for title, text in zip(parts[::2], parts[1::2]):
        steps = []
        for name in FILE.findall(text.split("\n## ")[0]):
            folder = os.path.dirname(steps[-1]) if steps else ""
            steps.append(find(files, folder, name.replace("/NAME/", "/x86_64/")))
        walks.append((title, steps))
    return walks


def names_in(commit):
    """Returns a function from the name of a file in HEAD to its name in a commit."""
    log = git("log", "--format=", "--name-status", "--find-renames=30%", "--diff-filter=R", f"{commit}..{HEAD}")
    renames = [line.split("\t")[1:] for line in log.splitlines() if line]

    def name_of(path):
        for old, new in renames:
            path = old if path == new else path
        return path

    return name_of


def counts(steps, files):
    """Returns the numbers of files, hops, files to choose from, and files of the largest folder."""
    folders = [os.path.dirname(path) for path in steps]
    hops = sum(one != other for one, other in zip(folders, folders[1:]))
    sources = [path for path in files if os.path.basename(path) not in ("README.md", "meson.build")]
    sizes = [sum(os.path.dirname(path) == folder for path in sources) for folder in set(folders)]
    return len(steps), hops, sum(sizes), max(sizes)


def main(commits):
    print("| walk | tree | files | hops between folders | files to choose from | largest folder |")
    print("|---|---|---:|---:|---:|---:|")
    walks = read_walks()
    trees = [(commit, names_in(commit), files_of(commit)) for commit in commits]
    for title, steps in walks:
        for commit, name_of, files in trees:
            then = [path for path in map(name_of, steps) if path in files]
            print(f"| {title} | {commit} |", " | ".join(map(str, counts(then, files))), "|")


if __name__ == "__main__":
    main(sys.argv[1:] or [HEAD])
