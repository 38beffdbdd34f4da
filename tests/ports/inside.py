#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""inside.py TESTS LOG PATTERN... - runs tests in a machine that has no Meson, one on each CPU: those of the suites unit, e2e,
torture and stat whose names match a PATTERN. TESTS is what `meson introspect --tests` prints; LOG gets a line for each, as in
Meson's testlog.json, which summary.py reads."""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

SKIPPED = 77
SLOWER = 20  # than a machine; tests with limits of their own read TESTS_SLOWER
SUITES = {"dwell:unit", "dwell:e2e", "dwell:torture", "dwell:stat"}


def run(test):
    started = time.monotonic()
    try:
        done = subprocess.run(test["cmd"], env={**os.environ, "TESTS_SLOWER": str(SLOWER), **test["env"]}, cwd=test["workdir"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=test["timeout"] * SLOWER, check=False)
        status, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        status, out, err = None, late.stdout or b"", late.stderr or b""
    out = out.decode(errors="replace")
    result = "TIMEOUT" if status is None else "SKIP" if status == SKIPPED else "FAIL" if status or "\nnot ok" in "\n" + out else "OK"
    return {"name": f"{' '.join(test['suite'])} / {test['name']}", "result": result, "returncode": status,
            "duration": time.monotonic() - started, "stdout": out, "stderr": err.decode(errors="replace")}


def main(path, log, *patterns):
    with open(path, encoding="utf-8") as file:
        tests = [test for test in json.load(file) if SUITES & set(test["suite"]) and any(re.search(pattern, test["name"]) for pattern in patterns)]
    tests.sort(key=lambda test: -test["priority"])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, open(log, "w", encoding="utf-8") as out:
        for number, result in enumerate(concurrent.futures.as_completed([pool.submit(run, test) for test in tests]), 1):
            result = result.result()
            print(f"{number}/{len(tests)} {result['name']}: {result['result']}, {result['duration']:.0f} s", flush=True)
            out.write(json.dumps(result) + "\n")
            out.flush()


main(*sys.argv[1:])
