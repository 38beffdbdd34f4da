#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py [--resume] [PATTERN...] - checks that the tests notice wrong code.
mutate.py --list BUILD - checks that each mutation can be applied, and that BUILD has its tests; builds and runs nothing.

Applies each mutation of tests/mutations.txt to a copy of the tree, one at a time, rebuilds what its tests need, runs
them, and reverts the mutation. A mutation is caught if one of its tests fails, and passes without the mutation. Mutations
that only unit tests must catch come first: these tests are the fastest. All mutations of a file are tried one after another:
the compilation of the next one is that of the reverted one too. Prints a line per mutation, the ones that were not caught
again at the end, and the share that was caught; fails below 95 %, and if a mutation cannot be tried.

A PATTERN selects the mutations whose file or tests contain it. With --resume, those that an earlier run caught are not
tried again, unless the mutation or the text of its file has changed since. A change of a test or of another file does not
count: a run without --resume tries all.

The copy is build-mutate/tree, with a build of its own in build-mutate/build; both are kept, so that the next run takes
less time. The checkout itself is never changed. build-mutate/outcomes.txt has what --resume needs."""
import collections
import contextlib
import hashlib
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
OUTCOMES = os.path.join(WORK, "outcomes.txt")
SKIPPED = 77  # exit status of a test
CAUGHT, SURVIVED, UNBUILT, UNKNOWN = "caught", "survived", "does not build", "unknown"  # outcomes
UNIT = "dwell:unit"  # a suite of Meson's


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

    def key(self, source):
        """Returns what names this mutation of this text of its file in outcomes.txt."""
        whole = "\0".join([self.path, *self.tests, "", *self.old, "", *self.new, "", source])
        return hashlib.sha256(whole.encode()).hexdigest()[:20]

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
    if not files:  # without a name, ninja builds everything
        return True
    with open(LOG, "w", encoding="utf-8") as log:
        return subprocess.run(["ninja", "-C", BUILD, *files], stdout=log, stderr=log, check=False).returncode == 0


class Test:
    """A test as Meson describes it. It is run without `meson test`, which takes longer to start than most of them run."""

    def __init__(self, described, files):
        self.name, self.command, self.files = described["name"], described["cmd"], files
        self.is_unit = UNIT in described["suite"]
        self.environment = {**os.environ, **described["env"]}
        self.timeout_s = 2 * described["timeout"]
        self.output = []
        self.reason = ""  # why it failed
        self.good = None  # whether it passes without a mutation; None: it was not tried

    def catches(self):
        """Runs the test on mutated code. Any but a unit test has to fail twice: load may make it fail once."""
        return not self.passes() and (self.is_unit or not self.passes())

    def is_good(self):
        """Returns whether the test passes without a mutation: one that always fails would catch anything."""
        if self.good is None:
            if not build(self.files):
                sys.exit(read(LOG) + "mutate.py: the copy does not build")
            self.good = any(self.passes() for _ in range(3))
        return self.good

    def passes(self):
        """Runs the test, until a point fails. Returns whether none did."""
        with subprocess.Popen(self.command, cwd=BUILD, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, start_new_session=True) as process:
            timer = threading.Timer(self.timeout_s, kill, [process])
            timer.start()
            failed = self.read_points(process)
            status = process.wait()
            is_late = not timer.is_alive()
            timer.cancel()
        self.reason = failed or ("it timed out" if is_late else f"exit status {status}")
        return not failed and status in (0, SKIPPED)

    def read_points(self, process):
        """Reads what the test prints. Returns the first point that failed, or an empty string."""
        self.output, failed = [], ""
        for line in process.stdout:
            self.output.append(line.decode(errors="replace"))
            if not failed and line.startswith(b"not ok"):
                failed = self.output[-1].strip()
                # One in Python cleans up. One that does not end by that is over at its timeout.
                process.send_signal(signal.SIGINT)
        return failed


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


def split_table(mutations, known):
    """Returns the mutations that can be tried, and the number of the others, which it prints."""
    good = []
    for mutation in mutations:
        problem = problem_of(mutation, known)
        if problem:
            print(f"tests/mutations.txt:{mutation.line}: {mutation.path}: {problem}: {mutation}")
        else:
            good.append(mutation)
    return good, len(mutations) - len(good)


def in_order(mutations, suite):
    """Returns mutations in the order in which they take the least time: see the head of this file."""
    return sorted(mutations, key=lambda one: (not all(suite[name].is_unit for name in one.tests), one.path, one.line))


def read_caught(path):
    """Returns the keys of the mutations whose last outcome is that they were caught."""
    try:
        last = dict(line.split(maxsplit=1) for line in read(path).splitlines())
    except OSError:
        return set()
    return {key for key, outcome in last.items() if outcome == CAUGHT}


def outcome_of(tests):
    """Builds and runs tests of mutated code one by one. Returns an outcome, and the test that caught the mutation."""
    for test in tests:
        if not build(test.files):
            return UNBUILT, None
        if test.catches():
            return CAUGHT, test
    return SURVIVED, None


def try_one(mutation, tests):
    """Tries a mutation. Returns its outcome and a line that describes both."""
    path = os.path.join(TREE, mutation.path)
    source = read(path)
    mutated, line = mutation.apply(source)
    write(path, mutated)
    try:
        outcome, test = outcome_of(tests)
    finally:
        write(path, source)
    at = f"{mutation.path}:{line}: {mutation}  [{' '.join(mutation.tests)}]"
    if test:
        at += f"  {test.name}: {test.reason}"
        if not test.is_good():
            outcome = UNKNOWN
            at += f", but without the mutation too:\n{''.join(test.output)}"
    with open(OUTCOMES, "a", encoding="utf-8") as file:
        file.write(f"{mutation.key(source)} {outcome}\n")
    return outcome, at


def try_all(mutations, suite):
    """Tries mutations. Returns how many had each outcome."""
    counts, rest = collections.Counter(), []
    for number, mutation in enumerate(mutations, 1):
        outcome, line = try_one(mutation, [suite[name] for name in mutation.tests])
        print(f"{number}/{len(mutations)} {outcome:14}  {line}", flush=True)
        counts[outcome] += 1
        if outcome != CAUGHT:
            rest.append(f"{outcome:14}  {line.splitlines()[0]}")
    if rest:
        print("", "not caught:", *rest, sep="\n")
    return counts


def run(mutations, is_resumed):
    """Tries those of the mutations that can be tried. Returns whether all can, and enough are caught."""
    copy_tree()
    configure()
    suite = read_suite()
    good, wrong = split_table(mutations, suite)
    known = read_caught(OUTCOMES) if is_resumed else set()
    due = [one for one in good if one.key(read(os.path.join(ROOT, one.path))) not in known]
    before = len(good) - len(due)
    counts = try_all(in_order(due, suite), suite)
    caught = counts[CAUGHT] + before
    share = 100 * caught / len(mutations)
    print(f"{len(mutations)} mutations: {caught} caught, {before} of them by an earlier run; {counts[SURVIVED]} survived, "
          f"{counts[UNBUILT]} do not build, {counts[UNKNOWN]} unknown, {wrong} cannot be tried; {share:.1f} % are caught")
    return share >= LEAST and not wrong and not counts[UNBUILT] and not counts[UNKNOWN]


def main():
    words = sys.argv[1:]
    mutations = read_table(TABLE)
    if len(words) == 2 and words[0] == "--list":
        _, wrong = split_table(mutations, {test["name"] for test in described(words[1], "tests")})
        if wrong:
            sys.exit(f"mutate.py: {wrong} of {len(mutations)} mutations cannot be tried")
        print(f"all {len(mutations)} mutations can be tried")
        return
    is_resumed = "--resume" in words
    words = [word for word in words if word != "--resume"]
    if any(word.startswith("-") for word in words):
        sys.exit(__doc__)
    if words:
        mutations = [one for one in mutations if any(p in one.path or any(p in test for test in one.tests) for p in words)]
    if not mutations:
        sys.exit("mutate.py: no mutation matches")
    sys.exit(0 if run(mutations, is_resumed) else 1)


if __name__ == "__main__":
    main()
