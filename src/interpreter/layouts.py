# SPDX-License-Identifier: MIT
"""layouts.py - the common part of the scripts that print NAME_layouts.h. Each has a program in C that prints a row of the table:
the offsets are the compiler's, so that none is copied by hand. For another CPU, CC is a cross compiler, and EMULATOR a command
that runs its programs; the rows of several CPUs make one table."""
import os
import re
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
    compiler, emulator = os.environ.get("CC", "cc").split(), os.environ.get("EMULATOR", "").split()
    with tempfile.TemporaryDirectory() as scratch:
        source, binary = os.path.join(scratch, "layout.c"), os.path.join(scratch, "layout")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program)
        subprocess.run([*compiler, "-w", "-c", *compiling, "-o", binary + ".o", source], check=True)
        subprocess.run([*compiler, *linking, "-o", binary, binary + ".o"], check=True)
        return subprocess.run([*emulator, binary], check=True, capture_output=True, text=True).stdout


def rows_of(path):
    """Returns the rows of a table that was printed."""
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^\t\{\n.*?^\t\},\n", file.read(), re.MULTILINE | re.DOTALL)


def main(usage, name, origin, row_of, suffix=""):
    """Prints the header for the arguments of the script. Two of one version must have the same row; one of another CPU is added to the
    committed table where it differs. suffix: of the header's name."""
    rows, file = {}, f"{name}_layouts{suffix}"
    if len(sys.argv) < 2:
        sys.exit(usage)
    for argument in sys.argv[1:]:
        text = row_of(argument)
        version = text.split("\n")[1]
        if rows.setdefault(version, text) != text:
            sys.exit(f"{argument}: its layout differs from that of the same version elsewhere")
    made = [rows[key] for key in sorted(rows)]
    if "EMULATOR" in os.environ:
        known = rows_of(os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{file}.h"))
        made = known + [text for text in made if text not in known]
    print(HEADER.format(name=name, file=file, upper=file.upper(), origin=origin, rows="".join(made)))
