#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run.py [OPTION...] FOLDER - runs the programs of a foreign test suite plainly and under every mode of dwell, and
compares exit status and output. Exit status 1 if a program does otherwise under dwell, or none could be run."""
import argparse
import collections
import concurrent.futures
import fnmatch
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from suites import suite_of  # noqa: E402
from trial import MODES, Trial  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def arguments():
    parser = argparse.ArgumentParser(prog="./dev suite", description=__doc__.split(" - ", 1)[1])
    parser.add_argument("folder", metavar="FOLDER", help="sources of gcc's, glibc's, uftrace's or libunwind's tests, or any")
    parser.add_argument("--dwell", default=os.path.join(ROOT, "build/dwell"), help="the dwell to try [build/dwell]")
    parser.add_argument("--only", metavar="GLOB", default="*", help="programs whose path in FOLDER matches GLOB [*]")
    parser.add_argument("--every", metavar="N", type=int, default=1, help="every Nth program [1]")
    parser.add_argument("--modes", default=",".join(MODES), help=f"some of {','.join(MODES)} [all]")
    parser.add_argument("-j", "--jobs", metavar="N", type=int, default=os.cpu_count(), help="programs at a time [CPUs]")
    given = parser.parse_args()
    given.modes = given.modes.split(",")
    if not os.path.isdir(given.folder):
        parser.error(f"cannot read '{given.folder}': not a folder")
    unknown = [mode for mode in given.modes if mode not in MODES]
    if unknown:
        parser.error(f"unknown mode '{unknown[0]}' (expected some of {', '.join(MODES)})")
    if given.every < 1 or given.jobs < 1:
        parser.error("invalid number: --every and --jobs must be at least 1")
    return given


def attempt(given, source, work):
    """Tries a program in a folder of its own, since several run at a time."""
    here = tempfile.mkdtemp(dir=work)
    try:
        return Trial(os.path.abspath(given.dwell), source, here, given.modes).run()
    finally:
        shutil.rmtree(here, ignore_errors=True)


def report(result, counts):
    if result.left_out:
        counts[result.left_out] += 1
        return
    counts["ran"] += 1
    for mode, sentence in result.refused.items():
        counts[mode, "refused"] += 1
        print(f"{result.name} ({mode}): refused: {sentence}")
    for mode, sentence in result.faults.items():
        counts[mode, "faults"] += 1
        print(f"{result.name} ({mode}): {sentence}")
    sys.stdout.flush()


def main():
    given = arguments()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="dwell-suite-") as work:
        suite = suite_of(os.path.abspath(given.folder), work)
        suite.prepare()
        chosen = [source for source in suite.sources() if fnmatch.fnmatch(source.name, given.only)][:: given.every]
        print(f"{len(chosen)} programs, read as those of suite '{suite.name}'", flush=True)
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            for future in concurrent.futures.as_completed(pool.submit(attempt, given, source, work) for source in chosen):
                report(future.result(), counts)
    ran = counts.pop("ran", 0)
    for why in [key for key in counts if isinstance(key, str)]:
        print(f"{counts[why]} left out: {why}")
    for mode in given.modes:
        faults, refused = counts[mode, "faults"], counts[mode, "refused"]
        print(f"{mode:8} {ran - faults - refused} of {ran} as without dwell, {refused} refused, {faults} differ")
    return 1 if not ran or any(counts[mode, "faults"] for mode in given.modes) else 0


if __name__ == "__main__":
    sys.exit(main())
