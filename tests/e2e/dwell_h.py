#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dwell_h.py INCLUDE - dwell.h compiles without a warning in each language standard, with all that compilers and linkers do to
symbols, and a program that uses it runs without dwell."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import done, note, ok, skip  # noqa: E402

INCLUDE = sys.argv[1]
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wshadow", "-Wmissing-declarations"]
SOURCE = """#include <dwell.h>
#include <dwell.h>
int main(void)
{
	char name[4] = "abc";

	dwell_region_begin(name);
	dwell_region_end(name);
	dwell_region_end(0);
	return 0;
}
"""
UNUSED = "#include <dwell.h>\nint main(void);\nint main(void)\n{\n\treturn 0;\n}\n"
STANDARDS = {"c": ["c89", "gnu89", "c99", "c11", "gnu17"], "cc": ["c++98", "c++11", "c++17", "c++20"]}
COMPILERS = {"c": ["gcc", "clang"], "cc": ["g++", "clang++"]}
WAYS = [["-O0"], ["-O2", "-fPIE", "-pie"], ["-O2", "-fno-pic", "-no-pie"], ["-O2", "-fvisibility=hidden"], ["-static"],
        ["-O2", "-flto"], ["-O2", "-Wl,--gc-sections", "-Wl,-z,defs"], ["-m32"], ["-m32", "-O2", "-fno-pic", "-no-pie"]]


def builds(folder, compiler, language, source, options):
    """Returns whether it was compiled and has run; None: this machine lacks what the options need."""
    for name, text in (("probe", "int main(void)\n{\n\treturn 0;\n}\n"), ("user", source)):
        path = f"{folder}/{name}.{language}"
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        answer = subprocess.run([compiler, *options, f"-I{INCLUDE}", path, "-o", f"{folder}/{name}"], capture_output=True,
                                text=True, check=False)
        if answer.returncode:
            note(answer.stderr)
            return None if name == "probe" else False
    return subprocess.run([f"{folder}/user"], check=False).returncode == 0


def check(folder, compiler, language, source, options):
    what = f"{compiler} {' '.join(options)}"
    holds = builds(folder, compiler, language, source, options)
    if holds is None:
        skip(what, "not available here")
    else:
        ok(holds, what)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for language, compilers in COMPILERS.items():
            for compiler in compilers:
                if not shutil.which(compiler):
                    skip(f"{compiler}: all", "it is not installed")
                    continue
                for standard in STANDARDS[language]:
                    check(folder, compiler, language, SOURCE, [f"-std={standard}", *WARNINGS])
                check(folder, compiler, language, UNUSED, [f"-std={STANDARDS[language][0]}", *WARNINGS])
                for way in WAYS:
                    check(folder, compiler, language, SOURCE, way)
    done()


main()
