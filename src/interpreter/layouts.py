# SPDX-License-Identifier: MIT
"""layouts.py - the common part of the scripts that print NAME_layouts.h. Each has a program in C that prints a row of the table:
the offsets are the compiler's, so that none is copied by hand."""
import os
import subprocess
import sys
import tempfile

HEADER = """/* SPDX-License-Identifier: MIT
 *
 * {file}.h - made by {name}_layouts.py from {origin}; do not edit.
 */
#ifndef DWELL_INTERPRETER_{upper}_H
#define DWELL_INTERPRETER_{upper}_H

#include "{name}.h"

static const struct {name}_layout layouts[] = {{
{rows}}};

#endif"""


def row(program, compiling, linking=()):
    """Returns what the program prints, compiled and linked with these options."""
    with tempfile.TemporaryDirectory() as scratch:
        source, binary = os.path.join(scratch, "layout.c"), os.path.join(scratch, "layout")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program)
        subprocess.run(["cc", "-w", "-c", *compiling, "-o", binary + ".o", source], check=True)
        subprocess.run(["cc", *linking, "-o", binary, binary + ".o"], check=True)
        return subprocess.run([binary], check=True, capture_output=True, text=True).stdout


def main(usage, name, origin, row_of, suffix=""):
    """Prints the header for the arguments of the script. Two of one version must have the same row. suffix: of the header's name."""
    rows, file = {}, f"{name}_layouts{suffix}"
    if len(sys.argv) < 2:
        sys.exit(usage)
    for argument in sys.argv[1:]:
        text = row_of(argument)
        version = text.split("\n")[1]
        if rows.setdefault(version, text) != text:
            sys.exit(f"{argument}: its layout differs from that of the same version elsewhere")
    print(HEADER.format(name=name, file=file, upper=file.upper(), origin=origin, rows="".join(rows[key] for key in sorted(rows))))
