# SPDX-License-Identifier: MIT
"""comparison.py - compares two runs of a program."""
import difflib

SHOWN_LINES = 12


def parts(outcome):
    """[(what it is, content)] of all that a run has written."""
    yield "stdout", outcome.stdout
    yield "stderr", outcome.stderr
    for path, (_, content) in sorted(outcome.files.items()):
        yield path, content


def lines_that_differ(one, other):
    before, after = (content.decode(errors="replace").splitlines() for content in (one, other))
    lines = difflib.unified_diff(before, after, "plainly", "this way", lineterm="", n=0)
    return [line[:200] for line in lines][:SHOWN_LINES]


def differing_parts(program, plain, other, without=None):
    """{what it is: a sentence} about what is not the same; empty if all is."""
    found = {}
    if plain.status != other.status:
        found["the exit status"] = f"exit status {other.status} instead of {plain.status}"
    names = {path: kind for path, (kind, _) in plain.files.items()}
    other_names = {path: kind for path, (kind, _) in other.files.items()}
    for path in sorted(names.keys() | other_names.keys()):
        if names.get(path) != other_names.get(path):
            found[path] = f"{path} is {other_names.get(path, 'missing')} instead of {names.get(path, 'missing')}"
    contents = dict(parts(other))
    for what, content in parts(plain):
        if what in contents:
            one, another = (program.normalise(each, without) for each in (content, contents[what]))
            if one != another:
                found[what] = "\n    ".join([f"{what} differs:", *lines_that_differ(one, another)])
    if plain.failed_requests != other.failed_requests:
        found["requests that fail"] = f"{other.failed_requests} requests failed instead of {plain.failed_requests}"
    return found


def differences(program, plain, other, without=None):
    """Returns the same as a list of sentences."""
    return list(differing_parts(program, plain, other, without).values())


def rules_without_need(program, plain, again):
    """Returns the rules that hide nothing that differs between two plain runs."""
    return [rule for rule in program.rules if not differences(program, plain, again, without=rule)]
