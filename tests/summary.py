#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""summary.py LOG... - adds up what Meson's testlog.json files say.
summary.py --repeatable LOG - prints the names of the tests that failed perhaps by chance: see measured.txt.

A TAP test counts by its points, any other test as one. Shows what was skipped with its reason, then what failed with its
output: a log that is cut has its end. Ends with the line "N passed, N failed, N skipped". Exit status 1 when something
failed or nothing ran.

A measured test that failed beside others has been repeated alone: alone-1.json and alone-2.json beside the log have these
runs. If all of them passed, the last one counts, and the test is named with its first output.
"""
import fnmatch
import glob
import json
import os
import re
import sys

POINT = re.compile(r"^(not )?ok\b[ \d]*-? ?(.*?)(?:\s*#\s*(SKIP)\b\s*(.*))?$", re.IGNORECASE)


def points(test):
    """(passed, failed, [(what, why skipped)]) of one test."""
    passed = failed = 0
    skipped = []
    for line in (test.get("stdout") or "").splitlines():
        point = POINT.match(line)
        if not point:
            continue
        if point[3]:
            skipped.append((point[2], point[4]))
        elif point[1]:
            failed += 1
        else:
            passed += 1
    if test["result"] == "SKIP" and not skipped:
        reason = (test.get("stdout") or "").strip().splitlines() or ["no reason given"]
        skipped.append(("all of it", reason[-1]))
    elif test["result"] not in ("OK", "SKIP") and not failed:
        failed = 1  # it crashed, timed out or never reached its end
    elif not passed and not failed and not skipped:
        passed = 1  # no TAP: the exit status is the point
    return passed, failed, skipped


def read(log):
    """Returns the tests of a log, in their order."""
    with open(log, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def name_of(test):
    return test["name"].split(" / ")[-1]


def is_failed(test):
    return points(test)[1] > 0


def may_be_chance(test):
    """Returns whether chance may have made a test fail: it is in measured.txt, and ended as tests do that missed a point."""
    if test["returncode"] != 1 or "not ok" not in test["stdout"]:
        return False
    plain = name_of(test).removeprefix("musl/").split("@")[0]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "measured.txt"), encoding="utf-8") as lines:
        patterns = [line.split("#")[0].strip() for line in lines]
    return any(fnmatch.fnmatchcase(plain, pattern) for pattern in patterns if pattern)


def repeats_of(log):
    """Returns the runs of each test that was repeated alone, by name."""
    tests = [test for alone in sorted(glob.glob(os.path.join(os.path.dirname(log), "alone-*.json"))) for test in read(alone)]
    return {name: [test for test in tests if name_of(test) == name] for name in map(name_of, tests)}


def show_output(test):
    for line in (test.get("stdout") or "").splitlines() + (test.get("stderr") or "").splitlines():
        print(f"    {line}")


def settle(build, test, repeats):
    """Returns the run that counts: the first one, or the last of those alone if all of these passed."""
    if not is_failed(test):
        return test, False
    if not repeats or any(is_failed(again) for again in repeats):
        return test, False
    print(f"{build}: {name_of(test)}: failed ({test['result']}) beside other tests and passed {len(repeats)} times alone; "
          "its first output:")
    show_output(test)
    return repeats[-1], True


def main(logs):
    total_passed = total_failed = total_skipped = 0
    disturbed = []
    broken = []
    for log in logs:
        build = log.split("/")[0]
        try:
            tests = read(log)
        except OSError as error:
            broken.append((f"{build}: no test ran: {error.strerror}", {}))
            total_failed += 1
            continue
        repeats = repeats_of(log)
        for test in tests:
            name = name_of(test)
            test, was_disturbed = settle(build, test, repeats.get(name))
            if was_disturbed:
                disturbed.append(f"{build}: {name}")
            passed, failed, skipped = points(test)
            total_passed += passed
            total_failed += failed
            total_skipped += len(skipped)
            if failed:
                broken.append((f"{build}: {name}: FAILED ({test['result']}), its output:", test))
            else:
                print(f"{build}: {name}: {passed} passed")
            for what, why in skipped:
                print(f"{build}: {name}: skipped {what}: {why}")
    if disturbed:
        print(f"passed only when run alone, which has a reason to be found: {', '.join(disturbed)}")
    for what, test in broken:
        print(what)
        show_output(test)
    print(f"{total_passed} passed, {total_failed} failed, {total_skipped} skipped")
    return 1 if total_failed or not total_passed else 0


if __name__ == "__main__":
    if sys.argv[1] == "--repeatable":
        print("\n".join(name_of(test) for test in read(sys.argv[2]) if is_failed(test) and may_be_chance(test)))
        sys.exit(0)
    sys.exit(main(sys.argv[1:]))
