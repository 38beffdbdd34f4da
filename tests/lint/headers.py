#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""headers.py SOURCE_ROOT [CC] - the public headers compile alone, in every language and order a program
may use them in, without a warning. Prints TAP."""
import os
import shlex
import shutil
import subprocess
import sys

import tree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from tap import done, note, ok, skip  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
LANGUAGES = ["c99", "c11", "gnu99", "gnu11", "gnu17", "c++98", "c++11", "c++17"]

ORDERS = {
    "alone": "{0}",
    "twice": "{0}{0}",
    "after <unistd.h>": "#include <unistd.h>\n{0}",
    "before <unistd.h>": "{0}#include <unistd.h>\n",
    "after <sys/profil.h>": "#include <sys/profil.h>\n{0}",
    "before <sys/profil.h>": "{0}#include <sys/profil.h>\n",
}

# How plain profil() is called in each dialect. In Linux's, NULL turns it off.
LINUX = "int use(unsigned short *b) { return profil(b, 2, 0, 65536) + profil(NULL, 0, 0, 0); }\n"
DIALECTS = {
    "": LINUX,
    "PROFIL_LINUX": LINUX,
    "PROFIL_BSD": "int use(char *b) { return profil(b, 2, 0, 65536); }\n",
    "PROFIL_SOLARIS": "void use(unsigned short *b) { profil(b, 2, 0, 65536); }\n",
}

ALL_SIDE_BY_SIDE = """
int use(unsigned short *b, char *c, uintptr_t *p, struct prof *r, struct timeval *t);
int use(unsigned short *b, char *c, uintptr_t *p, struct prof *r, struct timeval *t)
{
	struct profil_clock_info info;

	profil_solaris(b, 2, 0, 65536);
	return profil_linux(b, 2, 0, 65536) + profil_bsd(c, 2, 0, 65536) + pcsample(p, 1) +
	       sprofil(r, 1, t, PROF_UINT | PROF_FAST) + profil_clock_info(&info) + info.running;
}
"""


class Compiler:
    def __init__(self, root, c_compiler):
        self.include = os.path.join(root, "include")
        self.commands = {"c": shlex.split(c_compiler), "c++": ["g++"]}

    def has(self, language):
        return shutil.which(self.commands[language][0]) is not None

    def compile(self, standard, source, *options):
        """(whether it compiles, what the compiler says)"""
        language = "c++" if "++" in standard else "c"
        command = [*self.commands[language], "-x", language, f"-std={standard}", *WARNINGS, *options]
        if language == "c":
            command.append("-pedantic")
        answer = subprocess.run(
            [*command, f"-I{self.include}", "-"],
            input=source, capture_output=True, text=True, check=False,
        )
        return answer.returncode == 0, answer.stderr


def point(holds, what, output):
    if not ok(holds, what):
        note(output)


def all_orders(compiler, standard, header):
    outputs = []
    for name, order in ORDERS.items():
        good, said = compiler.compile(standard, order.format(f"#include <{header}>\n"))
        if not good:
            outputs.append(f"{name}:\n{said}")
    point(not outputs, f"{standard}: <{header}> in any order: {', '.join(ORDERS)}", "\n".join(outputs))


def all_dialects(compiler, standard):
    outputs = []
    for dialect, use in DIALECTS.items():
        declaration = use[: use.index("{")] + ";\n"
        options = [f"-DPROFIL_DIALECT={dialect}"] if dialect else []
        for order in ("{0}", "#include <unistd.h>\n{0}", "{0}#include <unistd.h>\n"):
            source = order.format("#include <profil.h>\n") + declaration + use
            good, said = compiler.compile(standard, source, *options)
            if not good:
                outputs.append(f"{dialect or 'no dialect'}:\n{said}")
    point(not outputs, f"{standard}: plain profil() in each dialect", "\n".join(outputs))


def side_by_side(compiler, standard):
    source = "#include <profil.h>\n#include <pcsample.h>\n" + ALL_SIDE_BY_SIDE
    good, said = compiler.compile(standard, source)
    point(good, f"{standard}: all calls side by side", said)


def bad_dialects(compiler):
    for value in ("4", "PROFIL_PLAN9", "0", "-1"):
        good, said = compiler.compile("gnu11", "#include <profil.h>\n", f"-DPROFIL_DIALECT={value}")
        point(not good and "PROFIL_DIALECT must be" in said, f"PROFIL_DIALECT {value} is an error in words", said)


def main(root, c_compiler="cc"):
    compiler = Compiler(root, c_compiler)
    headers = sorted(name for name in os.listdir(compiler.include) if name.endswith(".h"))
    if not compiler.has("c"):
        tree.skip(f"{c_compiler} is not installed")
    for standard in LANGUAGES:
        if "++" in standard and not compiler.has("c++"):
            skip(f"{standard}: the headers", "g++ is not installed")
            continue
        for header in headers:
            all_orders(compiler, standard, header)
        all_dialects(compiler, standard)
        side_by_side(compiler, standard)
    bad_dialects(compiler)
    done()


if __name__ == "__main__":
    main(*sys.argv[1:])
