#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bundle.py WEB_DIR PAGE.html TEMPLATE.c DEPENDENCIES.d - makes one file of the page's markup, styles and modules, a C
array of it, and a list of its sources for ninja.

Each module becomes a function that is called once and returns the exports of the module, after the modules that it
imports. The modules thus remain plain modules for browsers and Node.js, with their own scopes, and Python alone can
combine them. They are restricted to the forms below:

    import { a, b } from "./module.js";
    export function a..., export async function a..., export class a..., export const a
"""
import os
import re
import sys

IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w]+)\.js";\n', re.M)
EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (\w+))", re.M)
STRAY = re.compile(r"^(?:import|export)\b.*", re.M)


# All files that were read.
used = []


def read(*path):
    used.append(os.path.join(*path))
    with open(used[-1], encoding="utf-8") as text:
        return text.read()


class Module:
    def __init__(self, folder, name):
        text = read(folder, name + ".js")
        self.name = name
        self.imports = [(words.strip().rstrip(","), other) for words, other in IMPORT.findall(text)]
        self.exports = EXPORT.findall(text)
        self.text = EXPORT.sub("", IMPORT.sub("", text))
        stray = STRAY.search(self.text)
        if stray:
            sys.exit(f"bundle.py: {name}.js: a form that is not known here: {stray[0]}")

    def bundled(self):
        lines = [f"const module_{self.name} = (() => {{"]
        lines += [f"const {{ {' '.join(words.split())} }} = module_{other};" for words, other in self.imports]
        lines += [self.text, f"return {{ {', '.join(self.exports)} }};", "})();"]
        return "\n".join(lines)


def in_order(folder, name, done, open_ones=()):
    """Fills `done`, in which each module comes behind those that it imports."""
    if name in open_ones:
        sys.exit(f"bundle.py: {name}.js imports itself, by {', '.join(open_ones)}")
    if name in done:
        return
    module = Module(folder, name)
    for _, other in module.imports:
        in_order(folder, other, done, (*open_ones, name))
    done[name] = module


def script_of(folder):
    modules = {}
    in_order(folder, "main", modules)
    missing = [
        f"{module.name}.js: {other}.js does not export {word}"
        for module in modules.values()
        for words, other in module.imports
        for word in words.replace(",", " ").split()
        if word not in modules[other].exports
    ]
    if missing:
        sys.exit("bundle.py: " + "; ".join(missing))
    script = "\n".join(module.bundled() for module in modules.values())
    if "</script" in script:
        sys.exit("bundle.py: a module has the end of a script in it")
    return script


def c_array(text):
    """As numbers: C limits how long a string may be."""
    data = text.encode()
    rows = [",".join(map(str, data[at : at + 32])) for at in range(0, len(data), 32)]
    return (
        "/* Made by web/bundle.py. */\n"
        '#include "cli/report/page_template.h"\n\n'
        "const char page_template[] = {\n" + ",\n".join(rows) + "\n};\n"
        "const size_t page_template_size = sizeof(page_template);\n"
    )


def main(web, page_path, c_path, dependencies_path):
    page = read(web, "page.html")
    for mark, text in [("/* styles */", read(web, "page.css")), ("/* script */", script_of(os.path.join(web, "src")))]:
        before, found, after = page.partition(mark)
        if not found:
            sys.exit(f"bundle.py: page.html has no {mark}")
        page = before + text + after
    with open(page_path, "w", encoding="utf-8") as out:
        out.write(page)
    with open(c_path, "w", encoding="ascii") as out:
        out.write(c_array(page))
    with open(dependencies_path, "w", encoding="utf-8") as out:
        out.write(f"{page_path} {c_path}: {' '.join(path.replace(' ', chr(92) + ' ') for path in used)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
