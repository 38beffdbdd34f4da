#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py [PATTERN...] - checks that the tests notice wrong code.
mutate.py --list BUILD - checks that each mutation can be applied, and that BUILD has its tests; builds and runs nothing.

Applies each mutation of tests/mutations.txt to a copy of the tree, one at a time, rebuilds what its tests need, runs
them, and reverts the mutation. A mutation is caught if one of its tests fails. Prints a line per mutation and the share
that was caught; fails below 95 %, and if a mutation does not apply.

A PATTERN selects the mutations whose file or tests contain it.

The copy is build-mutate/tree, with a build of its own in build-mutate/build; both are kept, so that the next run takes
less time. The checkout itself is never changed."""
import concurrent.futures
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "tests", "mutations.txt")
WORK = os.path.join(ROOT, "build-mutate")
TREE = os.path.join(WORK, "tree")
BUILD = os.path.join(WORK, "build")
LEAST = 95.0
LOG = os.path.join(WORK, "build.log")
SKIPPED = 77  # exit status of a test


class Mutation:
    """A row of the table: a text of a file, its replacement, and the tests that must fail."""

    def __init__(self, line, path, tests):
        self.line, self.path, self.tests = line, path, tests
        self.old, self.new = [], []

    def pattern(self):
        """Matches the old text with any white space between its words, so that rows survive reformatting."""
        words = " ".join(self.old).split()
        return re.compile(r"\s+".join(re.escape(word) for word in words))

    def apply(self, source):
        """Returns the mutated text and the changed line. Raises ValueError unless the old text is there once."""
        found = list(self.pattern().finditer(source))
        if not self.old or len(found) != 1:
            raise ValueError(f"its text is found {len(found)} times")
        at = found[0]
        mutated = source[:at.start()] + "\n".join(self.new) + source[at.end():]
        return mutated, source.count("\n", 0, at.start()) + 1

    def __str__(self):
        old, new = (" ".join(" ".join(lines).split()) for lines in (self.old, self.new))
        return f"{old} -> {new or '(nothing)'}"


def read_table(path):
    """Reads blocks of '@ FILE: TEST...', lines of old text after '-', and lines of new text after '+'."""
    mutations = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            mark, text = line[:1], line[1:].strip()
            if mark == "@":
                name, _, tests = text.partition(":")
                mutations.append(Mutation(number, name.strip(), tests.split()))
            elif mark in "-+" and mutations:
                (mutations[-1].old if mark == "-" else mutations[-1].new).append(text)
            elif line.strip() and mark != "#":
                sys.exit(f"mutate.py: {os.path.relpath(path, ROOT)}:{number}: a line begins with @, -, + or #")
    return mutations


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def same(one, other):
    """Returns whether two files have the same bytes and mode."""
    if not os.path.isfile(other) or os.path.islink(other):
        return False
    with open(one, "rb") as left, open(other, "rb") as right:
        return left.read() == right.read() and os.stat(one).st_mode == os.stat(other).st_mode


def copy_tree():
    """Makes the copy equal to the checkout. Files that are equal stay untouched, so they are not rebuilt."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE).stdout.decode().split("\0")
    files = {name for name in listed if name and os.path.isfile(os.path.join(ROOT, name))}
    for name in files:
        here, there = os.path.join(ROOT, name), os.path.join(TREE, name)
        if not same(here, there):
            os.makedirs(os.path.dirname(there), exist_ok=True)
            shutil.copy(here, there)
    for folder, _, names in os.walk(TREE):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.relpath(path, TREE) not in files:
                os.unlink(path)


def configure():
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        answer = subprocess.run(["meson", "setup", BUILD, TREE], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if answer.returncode:
            sys.exit(answer.stdout.decode() + "mutate.py: the copy cannot be configured")
    if not build(["build.ninja"]):  # configures again if the description of the build has changed
        sys.exit(read(LOG) + "mutate.py: the copy cannot be configured")


def build(files):
    """Builds files. Returns whether that was possible."""
    with open(LOG, "w", encoding="utf-8") as log:
        return subprocess.run(["ninja", "-C", BUILD, *files], stdout=log, stderr=log, check=False).returncode == 0


class Test:
    """A test as Meson describes it. It is run without `meson test`, which takes longer to start than most of them run."""

    def __init__(self, described, files):
        self.name, self.command, self.files = described["name"], described["cmd"], files
        self.environment = {**os.environ, **described["env"]}
        self.timeout_s = 2 * described["timeout"]
        self.output = []

    def passes(self):
        """Runs the test, until a point fails. Returns whether none did."""
        with subprocess.Popen(self.command, cwd=BUILD, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, start_new_session=True) as process:
            timer = threading.Timer(self.timeout_s, kill, [process])
            timer.start()
            good = self.read_points(process)
            status = process.wait()
            timer.cancel()
        return good and status in (0, SKIPPED)

    def read_points(self, process):
        self.output, good = [], True
        for line in process.stdout:
            self.output.append(line.decode(errors="replace"))
            if good and line.startswith(b"not ok"):
                good = False
                # One in Python cleans up. One that does not end by that is over at its timeout.
                process.send_signal(signal.SIGINT)
        return good


def kill(process):
    """Ends a test with all that it has started in its process group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def described(folder, what):
    """Returns Meson's description of the tests or the targets of a build."""
    return json.loads(read(os.path.join(folder, "meson-info", f"intro-{what}.json")))


def read_suite():
    """Returns all tests of the build by their names."""
    files = {target["id"]: [os.path.relpath(name, BUILD) for name in target["filename"]]
             for target in described(BUILD, "targets")}
    return {test["name"]: Test(test, [name for target in test["depends"] for name in files[target]])
            for test in described(BUILD, "tests")}


def problem_of(mutation, known):
    """Returns why a mutation cannot be tried; None: it can."""
    try:
        mutation.apply(read(os.path.join(ROOT, mutation.path)))
    except (OSError, ValueError) as error:
        return error
    unknown = [name for name in mutation.tests if name not in known]
    if unknown:
        return f"unknown test {' '.join(unknown)}"
    return None if mutation.tests else "it has no tests"


def check_table(mutations, known):
    """Prints the mutations that do not apply to the checkout, or that name an unknown test. Returns their number."""
    wrong = 0
    for mutation in mutations:
        problem = problem_of(mutation, known)
        if problem:
            wrong += 1
            print(f"tests/mutations.txt:{mutation.line}: {mutation.path}: {problem}: {mutation}")
    return wrong


def passes_in_three(test):
    return any(test.passes() for _ in range(3))


def check_tests(tests):
    """Checks that all tests pass without a mutation: one that always fails would catch anything."""
    print(f"building and running {len(tests)} tests without a mutation", flush=True)
    if not build(sorted({name for test in tests for name in test.files})):
        sys.exit(read(LOG) + "mutate.py: the copy does not build")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [test for test, good in zip(tests, pool.map(passes_in_three, tests)) if not good]
    if failed:
        sys.exit("".join(f"{test.name}:\n{''.join(test.output)}" for test in failed)
                 + "mutate.py: these tests have to pass before anything is mutated")


def outcome_of(tests):
    """Builds and runs tests of mutated code one by one, up to the first that fails."""
    for test in tests:
        if not build(test.files):
            return "does not build"
        if not test.passes():
            return "caught"
    return "survived"


def try_one(mutation, tests):
    """Tries a mutation. Returns 'caught', 'survived' or 'does not build'."""
    path = os.path.join(TREE, mutation.path)
    source = read(path)
    mutated, line = mutation.apply(source)
    write(path, mutated)
    try:
        outcome = outcome_of(tests)
    finally:
        write(path, source)
    print(f"{outcome:14}  {mutation.path}:{line}: {mutation}  [{' '.join(mutation.tests)}]", flush=True)
    return outcome


def try_all(mutations, suite):
    """Tries mutations. Returns whether enough of them are caught."""
    check_tests([suite[name] for name in sorted({name for mutation in mutations for name in mutation.tests})])
    outcomes = [try_one(mutation, [suite[name] for name in mutation.tests]) for mutation in mutations]
    caught, survived = outcomes.count("caught"), outcomes.count("survived")
    broken = len(outcomes) - caught - survived
    share = 100 * caught / len(outcomes)
    print(f"{len(outcomes)} mutations: {caught} caught, {survived} survived, {broken} do not build; {share:.1f} % are caught")
    return share >= LEAST and not broken


def refuse_wrong(mutations, known):
    """Ends where one of the mutations cannot be tried."""
    wrong = check_table(mutations, known)
    if wrong:
        sys.exit(f"mutate.py: {wrong} of {len(mutations)} mutations cannot be tried")


def main():
    words = sys.argv[1:]
    mutations = read_table(TABLE)
    if len(words) == 2 and words[0] == "--list":
        refuse_wrong(mutations, {test["name"] for test in described(words[1], "tests")})
        print(f"all {len(mutations)} mutations can be tried")
        return
    if any(word.startswith("-") for word in words):
        sys.exit(__doc__)
    if words:
        mutations = [one for one in mutations if any(p in one.path or any(p in test for test in one.tests) for p in words)]
    if not mutations:
        sys.exit("mutate.py: no mutation matches")
    copy_tree()
    configure()
    suite = read_suite()
    refuse_wrong(mutations, suite)
    sys.exit(0 if try_all(mutations, suite) else 1)


if __name__ == "__main__":
    main()
