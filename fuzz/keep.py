#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""keep.py BUILD TARGET [FILE...] - adds inputs to fuzz/corpus/TARGET.txt, from which the build makes seeds.

FILEs are added unchanged, such as inputs that have made the target fail. Without them, libFuzzer chooses the fewest inputs in
BUILD/fuzz/corpus_TARGET that execute every edge that the seeds of BUILD do not. Large inputs are left out:
seeds.c makes those."""
import os
import shutil
import subprocess
import sys
import tempfile

MOST_BYTES = 400  # KEPT_BYTES in kept.h
HERE = os.path.dirname(os.path.abspath(__file__))


def entries(folder):
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def chosen(build, target):
    """Returns the small inputs that libFuzzer adds to a copy of the seeds. Edges count, not how often they are executed."""
    with tempfile.TemporaryDirectory() as work:
        begin, small = os.path.join(work, "begin"), os.path.join(work, "small")
        shutil.copytree(os.path.join(build, "fuzz/seeds", target), begin)
        os.mkdir(small)
        for path in entries(os.path.join(build, "fuzz/corpus_" + target)):
            if os.path.getsize(path) <= MOST_BYTES:
                shutil.copy(path, small)
        before = set(os.listdir(begin))
        subprocess.run(
            [os.path.join(build, "fuzz/fuzz_" + target), "-set_cover_merge=1", "-use_counters=0", begin, small],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return [read(path) for path in entries(begin) if os.path.basename(path) not in before]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    build, target, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    inputs = [read(path) for path in files] if files else chosen(build, target)
    large = [one for one in inputs if len(one) > MOST_BYTES]
    if large:
        sys.exit(f"keep.py: an input of {len(large[0])} bytes is too large: {MOST_BYTES} may be kept")
    with open(os.path.join(HERE, "corpus", target + ".txt"), "a", encoding="ascii") as corpus:
        corpus.writelines(one.hex() + "\n" for one in sorted(inputs, key=lambda one: (len(one), one)))
    print(f"{len(inputs)} inputs added to fuzz/corpus/{target}.txt")


main()
