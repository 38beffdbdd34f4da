#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""summary.py LOG... - adds up what Meson's testlog.json files say.

A TAP test counts by its points, any other test as one. Shows what failed with its output, what was
skipped with its reason, and ends with the line "N passed, N failed, N skipped". Exit status 1 when
something failed or nothing ran.
"""
import json
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


def main(logs):
    total_passed = total_failed = total_skipped = 0
    for log in logs:
        build = log.split("/")[0]
        try:
            with open(log, encoding="utf-8") as lines:
                tests = [json.loads(line) for line in lines if line.strip()]
        except OSError as error:
            print(f"{build}: no test ran: {error.strerror}")
            total_failed += 1
            continue
        for test in tests:
            passed, failed, skipped = points(test)
            total_passed += passed
            total_failed += failed
            total_skipped += len(skipped)
            name = test["name"].split(" / ")[-1]
            if failed:
                print(f"{build}: {name}: FAILED ({test['result']}), its output:")
                for line in (test.get("stdout") or "").splitlines() + (test.get("stderr") or "").splitlines():
                    print(f"    {line}")
            else:
                print(f"{build}: {name}: {passed} passed")
            for what, why in skipped:
                print(f"{build}: {name}: skipped {what}: {why}")
    print(f"{total_passed} passed, {total_failed} failed, {total_skipped} skipped")
    return 1 if total_failed or not total_passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
