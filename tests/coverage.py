#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coverage.py BUILD LEAST - which lines of src/ the tests have executed in a build with -Db_coverage=true: a table of its
folders, the files that are below LEAST per cent, and one line with the sum. Fails if that is below LEAST.

gcovr adds up the counts of all programs that a file is compiled into. Files that were never compiled there, such as the folders
of other CPUs, are listed apart and do not count."""
import json
import os
import subprocess
import sys

BUILD, LEAST = sys.argv[1], float(sys.argv[2])
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def forget_programs():
    """Removes the counts of the target programs themselves: they are not needed, and gcov can take forever to read those of a
    program that was interrupted all the time."""
    for folder in ("prog", "e2e", "stat", "torture"):
        for place, _, names in os.walk(os.path.join(BUILD, "tests", folder)):
            for name in names:
                if name.endswith(".gcda") and "_src_" not in name:
                    os.unlink(os.path.join(place, name))


def measured():
    """{file: (lines, lines executed)}; a page for each file is left in BUILD/coverage."""
    pages = os.path.join(BUILD, "coverage")
    os.makedirs(pages, exist_ok=True)
    summary = os.path.join(pages, "summary.json")
    subprocess.run(
        ["gcovr", "--root", ROOT, "--object-directory", BUILD, "--filter", os.path.join(ROOT, "src") + "/",
         "--gcov-ignore-parse-errors", "--json-summary", summary, "--html-details", os.path.join(pages, "index.html"), BUILD],
        check=True, stdout=subprocess.DEVNULL)
    with open(summary, encoding="utf-8") as file:
        files = json.load(file)["files"]
    return {one["filename"]: (one["line_total"], one["line_covered"]) for one in files}


def share(lines, covered):
    return 100 * covered / lines if lines else 100


def sums(files):
    """By folder."""
    folders = {}
    for name, (lines, covered) in files.items():
        folder = os.path.dirname(name)
        before = folders.get(folder, (0, 0))
        folders[folder] = (before[0] + lines, before[1] + covered)
    return folders


def unseen(files):
    """Sources that no program of this build with counters is made of, by folder."""
    folders = {}
    for folder, _, names in os.walk(os.path.join(ROOT, "src")):
        missing = [name for name in names
                   if name.endswith(".c") and os.path.relpath(os.path.join(folder, name), ROOT) not in files]
        if missing:
            folders[os.path.relpath(folder, ROOT)] = sorted(missing)
    return folders


def main():
    forget_programs()
    files = measured()
    print(f"{'folder':<22}{'lines':>8}{'executed':>10}{'share':>8}")
    for folder, (lines, covered) in sorted(sums(files).items()):
        print(f"{folder:<22}{lines:>8}{covered:>10}{share(lines, covered):>7.1f}%")
    low = sorted((share(*figures), name) for name, figures in files.items() if share(*figures) < LEAST)
    if low:
        print(f"\nfiles below {LEAST:g}%:")
    for part, name in low:
        print(f"{part:>7.1f}%  {name}, {files[name][0]} lines")
    for folder, names in sorted(unseen(files).items()):
        print(f"not in this build: {folder}: {', '.join(names)}")
    lines, covered = (sum(figures[i] for figures in files.values()) for i in (0, 1))
    print(f"\nsrc/: {covered} of {lines} lines executed, {share(lines, covered):.1f}%")
    sys.exit(0 if lines and share(lines, covered) >= LEAST else 1)


main()
