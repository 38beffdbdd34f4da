#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate_selftest.py - mutate.py finds what the tests of a small tree miss: that tree has a file, two tests that look at it,
and one that always fails. Prints TAP."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from tap import done, note, ok  # noqa: E402

SOURCE = "one = 1\ntwo = 2\nthree = 3\n"
BUILD = """project('dwell')
python = import('python').find_installation()
# No test needs it.
custom_target('unbuildable', output: 'unbuildable', command: [python, '-c', 'exit(1)'], build_by_default: true)
foreach name, suite : {'one': 'unit', 'two': 'e2e', 'never': 'unit'}
  test(name, python, args: [files('look.py'), files('src/a.txt'), name], suite: suite)
endforeach
"""
LOOK = """import sys
good = {"one": "one = 1", "two": "two = 2", "never": "four"}[sys.argv[2]] in open(sys.argv[1]).read()
print("ok 1" if good else "not ok 1 - its line is there")
sys.exit(0 if good else 1)
"""
SLOW = "@ src/a.txt: two\n- two = 2\n+ two = 3\n"
CAUGHT = "@ src/a.txt: one\n- one = 1\n+ one = 2\n"
MISSED = "@ src/a.txt: one two\n- three = 3\n"
ALWAYS = "@ src/a.txt: never\n- three = 3\n"
GONE = "@ src/a.txt: one\n- four = 4\n"
TWICE = "@ src/a.txt: one\n- =\n"
UNTESTED = "@ src/a.txt: five\n- one = 1\n"


def write(root, files):
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as out:
            out.write(text)


def mutate(root, table, *options):
    """Runs mutate.py in a tree with a table. Returns its exit status and what it prints."""
    write(root, {"tests/mutations.txt": table})
    ran = subprocess.run([sys.executable, os.path.join(root, "tests", "mutate.py"), *options], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, check=False)
    return ran.returncode, ran.stdout


def check(what, result, status, *parts):
    """Checks an exit status, and that the output has all parts, in this order."""
    rest, is_there = result[1], True
    for part in parts:
        _, found, rest = rest.partition(part)
        is_there = is_there and bool(found)
    if not ok(result[0] == status and is_there, what):
        note(result[1])


def main():
    with tempfile.TemporaryDirectory() as root:
        write(root, {"src/a.txt": SOURCE, "look.py": LOOK, "meson.build": BUILD, ".gitignore": "build-mutate\n"})
        os.makedirs(os.path.join(root, "tests"))
        shutil.copy(os.path.join(os.path.dirname(HERE), "mutate.py"), os.path.join(root, "tests"))
        subprocess.run(["git", "init", "--quiet", root], check=True)
        check("a mutation that a test notices is caught; those of unit tests come first", mutate(root, SLOW + CAUGHT), 0,
              "1/2 caught          src/a.txt:1: one = 1 -> one = 2  [one]  one: not ok 1 - its line is there",
              "2/2 caught          src/a.txt:2: two = 2 -> two = 3  [two]", "2 mutations: 2 caught", "100.0 % are caught")
        check("one that no test notices survives, and is listed", mutate(root, MISSED + CAUGHT), 1, "2/2 survived",
              "not caught:", "survived        src/a.txt:3: three = 3 -> (nothing)  [one two]", "50.0 % are caught")
        check("a test that always fails catches nothing", mutate(root, ALWAYS), 1, "1/1 unknown", "0 caught", "1 unknown")
        check("a mutation that was caught is not tried again with --resume", mutate(root, MISSED + CAUGHT, "--resume"), 1,
              "1/1 survived", "1 caught, 1 of them by an earlier run; 1 survived")
        write(root, {"src/a.txt": SOURCE + "four = 4\n"})
        check("unless its file has changed", mutate(root, CAUGHT, "--resume"), 0, "1/1 caught", "0 of them by an earlier run")
        check("and it was caught with that text", mutate(root, CAUGHT, "--resume"), 0, "1 of them by an earlier run")
        write(root, {"src/a.txt": SOURCE})
        check("mutations that cannot be tried are listed, and the others tried", mutate(root, GONE + TWICE + UNTESTED + CAUGHT), 1,
              "tests/mutations.txt:1: src/a.txt: its text is found 0 times: four = 4", "its text is found 3 times",
              "unknown test five", "1/1 caught", "3 cannot be tried; 25.0 % are caught")
        check("also where nothing is built", mutate(root, GONE, "--list", os.path.join(root, "build-mutate", "build")), 1,
              "its text is found 0 times", "1 of 1 mutations cannot be tried")
        check("a pattern selects by file or test", mutate(root, SLOW + CAUGHT, "two"), 0, "1/1 caught", "1 mutations: 1 caught")
    done()


if __name__ == "__main__":
    main()
