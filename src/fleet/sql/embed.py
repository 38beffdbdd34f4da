#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embed.py OUTPUT FILE.sql... - the statements of this folder as strings of C, each by the name of its file.

No newline ends them: the rows of an INSERT would begin with it. Comments of whole lines and blank lines are left out:
they are for people who run the files by hand.
"""
import os
import sys


def statement(path):
    with open(path, encoding="ascii") as file:
        lines = [line.rstrip() for line in file]
    return "\n".join(line for line in lines if line and not line.startswith("--"))


def literal(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return "\n".join(f'\t"{line}\\n"' for line in escaped.split("\n")).removesuffix('\\n"') + '"'


def main(output, paths):
    with open(output, "w", encoding="ascii") as out:
        out.write('/* Made by src/fleet/sql/embed.py. */\n#include "fleet/sql.h"\n')
        for path in paths:
            name = os.path.splitext(os.path.basename(path))[0]
            out.write(f"\nconst char sql_{name}[] =\n{literal(statement(path))};\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
