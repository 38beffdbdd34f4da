#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""selftest.py - the checks that look at the whole tree, and the summary of all tests, fail where they must: each is run
on small trees with one thing wrong, and with nothing wrong. Prints TAP."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from tap import done, note, ok  # noqa: E402

MARK = "/* SPDX-License-Identifier: MIT */\n"
FINE, WRONG = 0, 1

# A verb with two options, as options.py looks at it; {help} and {man} are what it says of them.
VERB_C = """static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	SHARED_OPTIONS,
};
"""
SHARED_H = '#define SHARED_OPTIONS \\\n\t{ \\\n\t\t"color", required_argument, NULL, 1 \\\n\t}\n'
VERB_SH = """#!/bin/sh
if [ "$1" = show ]; then
	printf '%s\\n' 'usage: dwell show' '' '  -o, --output FILE  where' {help}
else
	printf '%s\\n' 'verbs:' '  show  shows it'
fi
"""


def a_verb(shown="'      --color WHEN  when'", described=".B \\-\\-output \\-\\-color\n"):
    return {"src/cli/cmd_show.c": VERB_C, "src/cli/shared.h": SHARED_H, "man/dwell-show.1": described,
            "dwell": VERB_SH.replace("{help}", shown)}


def a_version(page='.TH A 1 2026-01-01 "dwell 1.2" "User Commands"\n', changes="# Changes\n\n## 1.2\n", package="1.2-1"):
    return {"meson.build": "project(\n  'dwell',\n  version: '1.2',\n)\n", "man/a.1": page, "CHANGELOG.md": changes,
            "debian/changelog": f"dwell ({package}) unstable; urgency=medium\n"}


# What must hold, the check, what it must answer, and the files of the tree.
CASES = [
    ("a layer may use those below it", "layers.py", FINE,
     {"src/base/a.h": "", "src/model/b.c": '#include "base/a.h"\n'}),
    ("a layer may use itself", "layers.py", FINE,
     {"src/model/a.h": "", "src/model/b.c": '#include "a.h"\n#include "model/a.h"\n'}),
    ("a layer may not use those above it", "layers.py", WRONG,
     {"src/model/a.h": "", "src/recording/b.c": '#include "model/a.h"\n'}),
    ("not by another way of writing it either", "layers.py", WRONG,
     {"src/model/a.h": "", "src/recording/b.c": '#  include "../model/a.h"\n'}),
    ("base stands on nothing", "layers.py", WRONG,
     {"src/recording/a.h": "", "src/base/b.h": '#include "recording/a.h"\n'}),
    ("no layer may use runtime", "layers.py", WRONG,
     {"src/runtime/a.h": "", "src/cli/b.c": '#include "runtime/a.h"\n'}),
    ("not base either", "layers.py", WRONG,
     {"src/runtime/a.h": "", "src/base/b.h": '#include "runtime/a.h"\n'}),
    ("nor arch", "layers.py", WRONG,
     {"src/runtime/a.h": "", "src/arch/x/context.h": '#include "runtime/a.h"\n'}),
    ("runtime may use base, arch and what it writes", "layers.py", FINE,
     {"src/base/a.h": "", "src/arch/arch.h": '#include "context.h"\n', "src/arch/x/context.h": "",
      "src/recording/format.h": "", "src/recording/write/room.h": "", "src/unwind/u.h": "", "src/runtime/b.h": "",
      "src/runtime/b.c": '#include "b.h"\n#include "base/a.h"\n#include "arch.h"\n#include "context.h"\n'
                         '#include "unwind/u.h"\n#include "recording/format.h"\n#include "recording/write/room.h"\n'}),
    ("runtime may not use the rest of recording", "layers.py", WRONG,
     {"src/recording/read/reader.h": "", "src/runtime/b.c": '#include "recording/read/reader.h"\n'}),
    ("nor symbols", "layers.py", WRONG,
     {"src/symbol/a.h": "", "src/runtime/b.c": '#include "symbol/a.h"\n'}),
    ("a header that is nowhere is an error", "layers.py", WRONG,
     {"src/base/b.c": '#include "nowhere.h"\n'}),
    ("a folder without a place is an error", "layers.py", WRONG, {"src/attic/b.c": ""}),
    ("a room's README names who may include it", "layers.py", FINE,
     {"src/output/x/a.h": "", "src/output/x/README.md": "It has tables. Included by output,\nimport, fleet and cli; base/a.h\n"}),
    ("it names a folder too many", "layers.py", WRONG,
     {"src/output/x/a.h": "", "src/output/x/README.md": "Included by model, output, import, fleet and cli.\n"}),
    ("it lacks one", "layers.py", WRONG,
     {"src/recording/write/a.h": "", "src/recording/write/README.md":
      "Included by recording, symbol, attach, model, output, import, fleet, cli and interpreter.\n"}),
    ("it names none", "layers.py", WRONG, {"src/runtime/x/a.h": "", "src/runtime/x/README.md": "Open first: a.h\n"}),
    ("a room without headers", "layers.py", FINE, {"src/cli/x/a.c": "", "src/cli/x/README.md": "Open first: a.c\n"}),
    ("a folder of a CPU", "layers.py", FINE, {"src/arch/x/a.h": "", "src/arch/x/README.md": "Open first: a.h\n"}),
    ("a tree without source is an error", "layers.py", WRONG, {"README": ""}),
    ("a license in the first line will do", "spdx.py", FINE, {"a.c": MARK}),
    ("in the second, behind an interpreter, too", "spdx.py", FINE,
     {"a.py": "#!/usr/bin/env python3\n# SPDX-License-Identifier: MIT\n"}),
    ("no license is an error", "spdx.py", WRONG, {"a/b/c.S": "nop\n"}),
    ("an empty file has none", "spdx.py", WRONG, {"a.h": ""}),
    ("one that comes too late is an error", "spdx.py", WRONG, {"a.h": "int x;\n" + MARK}),
    ("build directories are left out", "spdx.py", FINE, {"a.c": MARK, "b/meson-info/i": "", "b/b.c": ""}),
    ("arch and tests may name a CPU", "cpu_names.py", FINE,
     {"src/arch/a.h": "#ifdef __x86_64__\n", "tests/a.c": "#ifdef __aarch64__\n"}),
    ("others may not", "cpu_names.py", WRONG, {"src/runtime/a.c": "#if defined(__x86_64__)\n"}),
    ("options are in --help and in the manual", "options.py", FINE, a_verb()),
    ("one that --help lacks is an error", "options.py", WRONG, a_verb(shown="''")),
    ("one that --help makes up, too", "options.py", WRONG, a_verb(shown="'  --color WHEN  when' '  --made-up  so'")),
    ("and one that the manual lacks", "options.py", WRONG, a_verb(described=".B \\-\\-output\n")),
    ("a verb without a manual page is an error", "options.py", WRONG,
     {name: text for name, text in a_verb().items() if not name.startswith("man/")}),
    ("all CPUs have the same files", "cpu_names.py", FINE, {"src/arch/x/a.h": "", "src/arch/y/a.h": "", "src/arch/b.h": ""}),
    ("one that others lack is an error", "cpu_names.py", WRONG,
     {"src/arch/x/a.h": "", "src/arch/x/b.S": "", "src/arch/y/a.h": ""}),
    ("not in a header of the public either", "cpu_names.py", WRONG, {"include/a.h": "#ifdef __i386__\n"}),
    ("a file that is named, and a link", "docs.py", FINE,
     {"README.md": "[how](docs/A.md)\n", "docs/A.md": "a.c is the start, b*.c the rest\n", "src/a.c": MARK,
      "src/b1.c": MARK, "src/README.md": "| a.c b*.c | all, see A.md |\n"}),
    ("a file that is not there", "docs.py", WRONG, {"docs/A.md": "a.c is the start\n"}),
    ("a link that leads nowhere", "docs.py", WRONG, {"README.md": "[how](docs/A.md)\n"}),
    ("a folder of src without a README", "docs.py", WRONG, {"src/README.md": "\n", "src/x/meson.build": ""}),
    ("a README that names no file to open first", "docs.py", WRONG, {"src/x/README.md": "a.c\n", "src/x/a.c": MARK}),
    ("one that names it in two lines", "docs.py", FINE, {"src/x/README.md": "Open\nfirst:\na.c\n", "src/x/a.c": MARK}),
    ("a file that its folder's README does not name", "docs.py", WRONG,
     {"src/README.md": "a.c is the start\n", "src/a.c": MARK, "src/b.S": MARK}),
    ("a statement that it does not name", "docs.py", WRONG, {"src/x/README.md": "Open first: a.sql\n", "src/x/a.sql": "",
                                                           "src/x/b.sql": ""}),
    ("only a README above does", "docs.py", WRONG,
     {"src/README.md": "x/b.c is the start\n", "src/x/README.md": "Open first: meson.build\n", "src/x/b.c": MARK}),
    ("a header belongs to its .c file", "docs.py", FINE, {"src/README.md": "a.c\n", "src/a.c": MARK, "src/a.h": MARK}),
    ("another one does not", "docs.py", WRONG, {"src/README.md": "a.c\n", "src/a.c": MARK, "src/b.h": MARK}),
    ("a file for each CPU", "docs.py", FINE,
     {"src/arch/README.md": "Open first: cpu.h\n\n| cpu.h, NAME/cpu.S | x |\n", "src/arch/cpu.h": MARK,
      "src/arch/x/README.md": "Open first: meson.build\n", "src/arch/x/cpu.S": MARK}),
    ("a folder further below is not a CPU", "docs.py", WRONG,
     {"src/arch/README.md": "Open first: meson.build\n\n| NAME/cpu.S | x |\n",
      "src/arch/x/README.md": "Open first: meson.build\n", "src/arch/x/cpu.S": MARK,
      "src/arch/x/y/README.md": "Open first: meson.build\n", "src/arch/x/y/cpu.S": MARK}),
    ("a list with a file of another folder", "docs.py", WRONG,
     {"src/x/README.md": "Open first: b.c\n\n| b.c | see c.c |\n", "src/x/meson.build": "",
      "src/y/README.md": "Open first: b.c\n\n| b.c c.c | all |\n", "src/y/b.c": MARK, "src/y/c.c": MARK}),
    ("a room's README of a screen", "docs.py", FINE, {"src/x/README.md": "Open first: meson.build\n" + "line\n" * 49}),
    ("a room's README of more", "docs.py", WRONG, {"src/x/README.md": "Open first: meson.build\n" + "line\n" * 50}),
    ("a README of two screens", "docs.py", FINE, {"README.md": "line\n" * 120}),
    ("a longer one", "docs.py", WRONG, {"README.md": "line\n" * 121}),
    ("a glossary of 50 words", "docs.py", FINE, {"docs/GLOSSARY.md": "**word**: meaning.\n\n" * 50}),
    ("a larger one", "docs.py", WRONG, {"docs/GLOSSARY.md": "**word**: meaning.\n\n" * 51}),
    ("an example of a file", "docs.py", FINE, {"docs/A.md": "write src/cli/cmd_VERB.c\n"}),
    ("499 lines, and functions of 54", "sizes.py", FINE,
     {"src/a.c": "int x;\n" * 442 + "/* goto */\n" + "int f(void)\n{\n" + "\tx++;\n" * 52 + "}\n", "src/b.S": "goto\n",
      "src/c.c": "int f(void)\n{\n" + "\tx++;\n" * 54 + "}\n"}),
    ("500 lines", "sizes.py", WRONG, {"src/a/b.h": "int x;\n" * 500}),
    ("a function of 55", "sizes.py", WRONG, {"src/a.c": "int f(void)\n{\n" + "\tx++;\n" * 55 + "}\n"}),
    ("goto", "sizes.py", WRONG, {"src/a.c": "int f(void)\n{\nend:\n\tgoto end;\n}\n"}),
    ("a type in one header", "type_names.py", FINE,
     {"src/a.h": "struct thing {\n\tint x;\n};\n", "src/b.h": "struct thing;\nint f(struct thing *a);\n"}),
    ("a type in two headers", "type_names.py", WRONG,
     {"src/a.h": "struct thing {\n\tint x;\n};\n", "include/b.h": "union thing {\n\tint x;\n};\n"}),
    ("a type and a typedef of one name", "type_names.py", WRONG,
     {"src/a.h": "enum thing { THING_A };\n", "src/b/a.h": "typedef int (*thing)(int, const char *);\n"}),
    ("a name in a comment", "type_names.py", FINE,
     {"src/a.h": "typedef unsigned thing[2];\n", "src/b.h": "/* struct thing { int x; }; */\n"}),
    ("ports define the same types", "type_names.py", FINE,
     {"src/arch/x/a.h": "struct thing { int x; };\n", "src/arch/y/a.h": "struct thing { int y; };\n"}),
    ("all name one version", "version.py", FINE, a_version()),
    ("a page of another version", "version.py", WRONG,
     a_version(page='.TH A 1 2026-01-01 "dwell 1.1" "User Commands"\n')),
    ("a page of none", "version.py", WRONG, a_version(page='.TH A 1 2026-01-01 dwell "User Commands"\n')),
    ("nothing said of what has changed", "version.py", WRONG, a_version(changes="## 1.1\n\n## 1.2\n")),
    ("a package of another version", "version.py", WRONG, a_version(package="1.1-1")),
    ("a verb or a noun opens a comment", "prose.py", FINE,
     {"src/a.c": "/* Returns 0 or -errno. */\n/* Frees what it owns. */\nint x; /* whether it is open */\n"}),
    ("no comment begins with Of", "prose.py", WRONG, {"src/a.c": "/* Of the mask. */\n"}),
    ("nor does a later sentence", "prose.py", WRONG, {"src/a.c": "/* Reads it.\n * What is left is\n * an error. */\n"}),
    ("nor does the title of a file", "prose.py", WRONG, {"src/a.h": "/*\n * a.h - what is here.\n */\n"}),
    ("an option's description", "prose.py", WRONG, {"src/a.c": '"  -x   the x\\n"\n"  -y   what y is\\n";\n'}),
    ("a message", "prose.py", WRONG, {"src/a.c": "fail(\"'%s' is no frequency\");\n"}),
    ("the name of a test point", "prose.py", WRONG, {"tests/a.c": 'ok(found, "what is there is found");\n'}),
    ("a value in an f-string is code", "prose.py", FINE, {"tests/a.py": 'note(f"{len(answers)} of them were refused")\n'}),
    ("a comment behind code", "prose.py", WRONG, {"tests/a.py": "x = 1  # nobody reads it\n"}),
    ("a comment of a module", "prose.py", WRONG, {"web/src/a.js": "/** Answers its sum. */\n"}),
    ("the text of a page", "prose.py", WRONG, {"web/a.html": "<p>What it shows: nothing.</p>\n"}),
    ("a comment of a script for a shell", "prose.py", WRONG, {"completion/a.bash.in": "# Whether it is open.\n"}),
    ("the description of a package", "prose.py", WRONG, {"debian/control": "Description: a\n .\n It tells of losses.\n"}),
    ("there is no X, X is no longer Y", "prose.py", FINE, {"src/a.c": "/* There is no limit. It is no longer read. */\n"}),
    ("answers for returns", "prose.py", WRONG, {"tests/a.py": 'def f():\n    """Answers 0."""\n'}),
    ("code is not somebody", "prose.py", WRONG, {"src/meson.build": "# Nobody calls it.\n"}),
    ("nor whoever, in a manual page", "prose.py", WRONG, {"man/a.1": ".PP\nFor\n.I whoever\nruns it.\n"}),
    ("a table's head", "prose.py", WRONG, {"README.md": "| tool | What it takes |\n|---|---|\n"}),
    ("code, quotations and questions are exempt", "prose.py", FINE,
     {"docs/A.md": "## What is it?\n\n```\nWhat it prints\n```\n\nIt prints \"nobody\" and `is no x`.\n"}),
]


def a_log(*results):
    """Returns what Meson writes for runs of one test."""
    return "".join(json.dumps({"name": "a", "result": result, "stdout": "ok 1 - x\n" if result == "OK" else "not ok 1 - x\n"})
                   + "\n" for result in results)


CASES += [
    ("a test passed", "../summary.py", FINE, {"testlog.json": a_log("OK")}),
    ("a test failed", "../summary.py", WRONG, {"testlog.json": a_log("FAIL")}),
    ("and passed twice alone", "../summary.py", FINE,
     {"testlog.json": a_log("FAIL"), "alone-1.json": a_log("OK"), "alone-2.json": a_log("OK")}),
    ("and failed once alone", "../summary.py", WRONG,
     {"testlog.json": a_log("FAIL"), "alone-1.json": a_log("OK"), "alone-2.json": a_log("FAIL")}),
    ("no test ran", "../summary.py", WRONG, {"testlog.json": ""}),
    ("there is no log", "../summary.py", WRONG, {"ninja.log": ""}),
]


def answer(check, files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as out:
                out.write(text)
        # A tree that comes with a program is checked together with that.
        program = [os.path.join(root, "dwell")] if "dwell" in files else []
        for path in program:
            os.chmod(path, 0o755)
        tree = os.path.join(root, "testlog.json") if "testlog.json" in files else root
        return subprocess.run(
            [sys.executable, os.path.join(HERE, check), tree, *program], capture_output=True, text=True, check=False
        )


def failures_last():
    """Checks that the summary ends with what failed: a log that is cut still has it."""
    logs = json.dumps({"name": "b", "result": "FAIL", "stdout": "not ok 1 - y\n"}) + "\n" + a_log("OK")
    lines = answer("../summary.py", {"testlog.json": logs}).stdout.splitlines()
    if not ok(lines[-3].endswith("b: FAILED (FAIL), its output:") and lines[-2].strip() == "not ok 1 - y",
              "summary: what failed comes last"):
        note("\n".join(lines))


def main():
    failures_last()
    for what, check, wanted, files in CASES:
        got = answer(check, files)
        # A check that crashes exits with 1 too, but says so on its standard error.
        if not ok(got.returncode == wanted and not got.stderr, f"{os.path.basename(check)[:-3]}: {what}"):
            note(got.stdout + got.stderr)
    done()


if __name__ == "__main__":
    main()
