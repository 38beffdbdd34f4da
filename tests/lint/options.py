#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""options.py SOURCE_ROOT DWELL - each option that a verb understands is in its --help, which completion reads, and in
its manual page; and each of these is understood."""
import os
import re
import subprocess
import sys

import tree

# { "output", required_argument, NULL, 'o' }, in a verb's list or in a macro that several have.
OPTION = re.compile(r'"([a-z][a-z0-9-]*)",\s*(?:no|required|optional)_argument', re.S)
MACRO = re.compile(r"#define (\w+_OPTIONS?)\b(.*?[^\\])$", re.S | re.M)
VERB = re.compile(r"^  ([a-z]+)  +\S", re.M)
IN_HELP = re.compile(r"^ +(?:-\w, )?--([a-z][a-z0-9-]*)", re.M)
IN_MAN = re.compile(r"\\-\\-([a-z](?:[a-z0-9]|\\-)*)")


def read(root, path):
    return "\n".join(tree.lines(root, path))


def macros(root):
    """{name: what it stands for} of all headers of the commands, the inner ones put in their place."""
    found = {}
    for path in tree.files(os.path.join(root, "src/cli"), [".h"]):
        found.update(MACRO.findall(read(os.path.join(root, "src/cli"), path)))
    for _ in found:
        found = {name: expand(text, found) for name, text in found.items()}
    return found


def expand(text, known):
    for name, meaning in known.items():
        text = re.sub(rf"\b{name}\b", lambda _: meaning, text)
    return text


def help_of(dwell, *words):
    return subprocess.run([dwell, *words, "--help"], capture_output=True, text=True, check=False).stdout


def check(root, dwell, verb, known):
    name, page = f"cmd_{verb}.c", f"man/dwell-{verb}.1"
    source = next((path for path in tree.files(root, [".c"]) if os.path.basename(path) == name), f"src/cli/{name}")
    missing = [path for path in (source, page) if not os.path.exists(os.path.join(root, path))]
    if missing:
        return [f"{verb}: there is no {path}" for path in missing]
    understood = set(OPTION.findall(expand(read(root, source), known)))
    documented = set(IN_HELP.findall(help_of(dwell, verb)))
    described = {name.replace("\\-", "-") for name in IN_MAN.findall(read(root, page))}
    return ([f"{source}: --{name} is not in the text of --help" for name in sorted(understood - documented)]
            + [f"{source}: --help has --{name}, which is not an option" for name in sorted(documented - understood)]
            + [f"{page}: lacks --{name}" for name in sorted(understood - described)])


def main(root, dwell):
    known, problems = macros(root), []
    verbs = VERB.findall(help_of(dwell).split("verbs:")[-1].split("\n\n")[0])
    for verb in verbs:
        problems += check(root, dwell, verb, known)
    if not verbs:
        problems.append("dwell --help names no verbs")
    tree.finish(problems, f"{len(verbs)} verbs have their options in --help and in a manual page")


if __name__ == "__main__":
    main(*sys.argv[1:])
