#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""type_names.py SOURCE_ROOT - a type name means one thing: no two headers of src/ and include/ define it.

A type name is the tag of a struct, union or enum with its members, or a typedef. The ports in src/arch define the same names
on purpose, so that folder counts as one header.
"""
import os
import re
import sys

import tree

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
TAG = re.compile(r"\b(?:struct|union|enum)\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?(\w+)\s*\{")
# typedef ... NAME; typedef ... NAME[...]; typedef ... (*NAME)(...);
TYPEDEF = re.compile(r"\btypedef\b[^;]*?(?:\(\s*\*\s*(\w+)\s*\)\s*\([^;]*\)|(\w+)\s*(?:\[[^;]*\])?)\s*;")
PORTS = os.path.join("src", "arch") + os.sep


def definitions(text):
    """Returns the type names that a header defines."""
    text = COMMENT.sub(" ", text)
    return set(TAG.findall(text)) | {pointer or plain for pointer, plain in TYPEDEF.findall(text)}


def main(root):
    headers = {}
    for path in tree.files(root, [".h"]):
        if not path.startswith(("src" + os.sep, "include" + os.sep)):
            continue
        for name in definitions("\n".join(tree.lines(root, path))):
            headers.setdefault(name, set()).add(PORTS if path.startswith(PORTS) else path)
    double = {name: sorted(paths) for name, paths in headers.items() if len(paths) > 1}
    problems = [f"{name} is defined in {' and in '.join(paths)}" for name, paths in sorted(double.items())]
    tree.finish(problems, f"{len(headers)} type names, each in one header")


if __name__ == "__main__":
    main(sys.argv[1])
