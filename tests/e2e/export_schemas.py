#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""export_schemas.py DWELL PROGRAMS NPM BUILD - files for speedscope match its published JSON schema, according to
npm's packages of tests/npm, which are installed in BUILD; in a browser, it shows them, and those for pprof, with
the figures of `dwell report`; those for the Firefox Profiler have the documented structure: all columns of all
tables, of one length, with indices that are in range."""
import base64
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from npm_packages import install  # noqa: E402
from sampled import DWELL, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

NPM, BUILD = (os.path.abspath(path) for path in sys.argv[3:5])


def validate(packages, schema, *files):
    answer = run("node", f"{packages}/validate.js", schema, *files)
    note(text(answer.stdout) + text(answer.stderr))
    return answer.returncode == 0


def shown(packages, path):
    """Returns the rows of speedscope's tables, each a list of texts, once it has opened a file; None without a
    browser."""
    browser = shutil.which("chromium")
    if not browser:
        return None
    with open(path, "rb") as file:
        packed = base64.b64encode(file.read()).decode()
    with open(f"{path}.js", "w", encoding="utf-8") as file:
        file.write(f"speedscope.loadFileFromBase64({json.dumps(os.path.basename(path))}, '{packed}')")
    page = f"file://{packages}/node_modules/speedscope/dist/release/index.html"
    with tempfile.TemporaryDirectory() as home:
        answer = run(browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader",
                     "--enable-unsafe-swiftshader", f"--user-data-dir={home}", "--virtual-time-budget=15000",
                     "--dump-dom", f"{page}#localProfilePath={path}.js&view=sandwich", timeout=120)
    rows = re.findall(r"<tr.*?</tr>", text(answer.stdout), re.S)
    if not rows:
        note(text(answer.stderr)[-2000:])
    return [[re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<td.*?</td>", row, re.S)] for row in rows]


UNITS = {"s": 1e9, "ms": 1e6, "\u00b5s": 1e3, "\u03bcs": 1e3, "ns": 1}


def nanoseconds(shown_time):
    """Returns a time in nanoseconds and its rounding error: speedscope prints two decimals."""
    number, unit = re.match(r"([\d,.]+)(\D+?)(?: \(|$)", shown_time).groups()
    return float(number.replace(",", "")) * UNITS[unit], 0.0051 * UNITS[unit]


def in_a_browser(packages, data):
    """Checks both formats: pprof is one profile, with a table of functions; speedscope has a table of threads
    before that."""
    report = json.loads(run(DWELL, "report", "--format", "json", data).stdout)["samples"]
    threads = json.loads(run(DWELL, "report", "--by", "thread", "--format", "json", data).stdout)["samples"]
    run(DWELL, "export", "-f", "pprof", "-o", f"{data}.pb.gz", data)
    rows = shown(packages, f"{data}.pb.gz")
    if rows is None:
        skip("speedscope in a browser", "chromium is not installed")
        return
    functions = [row for row in rows if len(row) == 3]
    # Several may have the same name: the linker has a _start() like the program.
    wrong = [row["name"] for row in sorted(report, key=lambda row: -row["self_ns"])[:10]
             if not any(shown_row[2] == row["name"] and near(shown_row, 1, row["self_ns"])
                        and near(shown_row, 0, row["total_ns"]) for shown_row in functions)]
    note(f"{wrong} {functions}" if wrong else "")
    ok(functions and not wrong, "speedscope shows the top ten of a file for pprof")
    rows = shown(packages, f"{data}.speedscope.json")
    due = {f"{row['name']} {row['pid']}/{row['tid']}": row["self_ns"] for row in threads}
    found = {row[-2]: row for row in rows if len(row) == 3 and row[-2] in due}
    ok(len(found) == len(due) and all(near(found[name], 2, due[name]) for name in due),
       f"speedscope shows the time of each thread: {sorted(found)}")


def near(row, column, due):
    found, rounding = nanoseconds(row[column])
    return abs(found - due) <= rounding


def speedscope(files, data):
    packages, why = install(NPM, BUILD)
    what = "speedscope: files are what its schema wants"
    if not packages:
        skip(what, why)
        return
    schema = f"{packages}/node_modules/speedscope/dist/release/file-format-schema.json"
    ok(validate(packages, schema, *files), what)
    with open(files[0], encoding="utf-8") as file:
        broken = json.load(file)
    broken["profiles"][0]["weights"] = "none"
    with open(f"{files[0]}.broken", "w", encoding="utf-8") as file:
        json.dump(broken, file)
    ok(run("node", f"{packages}/validate.js", schema, f"{files[0]}.broken").returncode == 1,
       "speedscope: the schema would tell")
    in_a_browser(packages, data)


# ---- the Firefox Profiler ----

CATEGORY, FUNC, STRING, SYMBOL, LIB, STACK, FRAME, RESOURCE, SOURCE = range(100, 109)

# Tables of a thread: the columns, and their contents: a type, or what they are indices of; a tuple allows null.
TABLES = {
    "samples": {"stack": (STACK,), "time": float, "weight": float, "threadCPUDelta": (int,)},
    "markers": {"data": dict, "name": STRING, "startTime": (float,), "endTime": (float,), "phase": int,
                "category": CATEGORY},
    "stackTable": {"frame": FRAME, "prefix": (STACK,)},
    "frameTable": {"address": int, "inlineDepth": int, "category": (CATEGORY,), "subcategory": (int,), "func": FUNC,
                   "nativeSymbol": (SYMBOL,), "innerWindowID": (int,), "line": (int,), "column": (int,)},
    "funcTable": {"name": STRING, "isJS": bool, "relevantForJS": bool, "resource": RESOURCE, "source": (SOURCE,),
                  "lineNumber": (int,), "columnNumber": (int,)},
    "resourceTable": {"lib": (LIB,), "name": STRING, "host": (STRING,), "type": int},
    "nativeSymbols": {"libIndex": LIB, "address": int, "name": STRING, "functionSize": (int,)},
}
THREAD = {"processType": str, "processStartupTime": (int, float), "registerTime": (int, float), "pausedRanges": list,
          "name": str, "isMainThread": bool, "pid": str, "tid": int, "processName": str}
META = {"interval": (int, float), "startTime": (int, float), "processType": int, "product": str, "stackwalk": int,
        "version": int, "preprocessedProfileVersion": int, "markerSchema": list, "categories": list,
        "symbolicated": bool}
LIBRARY = {"arch": str, "name": str, "path": str, "debugName": str, "debugPath": str, "breakpadId": str}


class Firefox:
    """One file; `wrong` lists its errors."""

    def __init__(self, profile):
        self.wrong = []
        self.profile = profile
        self.fields("meta", profile["meta"], META)
        shared = profile["shared"]
        if not all(isinstance(string, str) for string in shared["stringArray"]):
            self.wrong.append("a string is none")
        self.lengths = {STRING: len(shared["stringArray"]), LIB: len(profile["libs"]),
                        CATEGORY: len(profile["meta"]["categories"]), SOURCE: shared["sources"]["length"]}
        self.table("sources", shared["sources"], {"uuid": (str,), "filename": STRING})
        for lib in profile["libs"]:
            self.fields("a library", lib, LIBRARY)
            if len(lib["breakpadId"]) != 33:
                self.wrong.append(f"{lib['breakpadId']} is not a Breakpad id")
        for thread in profile["threads"]:
            self.thread(thread)
        if "grey" not in [category["color"] for category in profile["meta"]["categories"]]:
            self.wrong.append("there is no category by default")

    def fields(self, what, given, wanted):
        for name, kind in wanted.items():
            if not isinstance(given.get(name), kind):
                self.wrong.append(f"{what}: {name} is {given.get(name)!r}")

    def thread(self, thread):
        self.fields("a thread", thread, THREAD)
        self.lengths |= {STACK: thread["stackTable"]["length"], FRAME: thread["frameTable"]["length"],
                         FUNC: thread["funcTable"]["length"], SYMBOL: thread["nativeSymbols"]["length"],
                         RESOURCE: thread["resourceTable"]["length"]}
        for name, columns in TABLES.items():
            self.table(name, thread[name], columns)
        if thread["samples"]["weightType"] not in ("samples", "tracing-ms", "bytes"):
            self.wrong.append("samples weigh nothing")
        if thread["samples"]["time"] != sorted(thread["samples"]["time"]):
            self.wrong.append("time goes back")
        for stack, prefix in enumerate(thread["stackTable"]["prefix"]):
            if prefix is not None and prefix >= stack:
                self.wrong.append(f"stack {stack} comes before its caller {prefix}")

    def table(self, name, table, columns):
        unknown = set(table) - set(columns) - {"length", "weightType"}
        if unknown:
            self.wrong.append(f"{name} has {unknown}")
        for column, kind in columns.items():
            cells = table.get(column)
            if not isinstance(cells, list) or len(cells) != table["length"]:
                self.wrong.append(f"{name}.{column} is not {table['length']} long")
                continue
            bad = [cell for cell in cells if not self.fits(cell, kind)]
            if bad:
                self.wrong.append(f"{name}.{column} has {bad[:3]}")

    def fits(self, cell, kind):
        if isinstance(kind, tuple):
            return cell is None or self.fits(cell, kind[0])
        if kind in (int, float):
            return isinstance(cell, (int, kind)) and not isinstance(cell, bool)
        if isinstance(kind, type):
            return isinstance(cell, kind)
        least = -1 if kind == RESOURCE else 0
        return isinstance(cell, int) and least <= cell < self.lengths[kind]


def firefox(title, path):
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    checked = Firefox(profile)
    note("\n".join(checked.wrong[:10]))
    ok(profile["threads"] and not checked.wrong, f"firefox: {title} has the documented structure")
    ok(profile["meta"]["preprocessedProfileVersion"] == 58, f"firefox: {title} says of which version it is")
    profile["threads"][0]["frameTable"]["func"][0] = 100000
    profile["threads"][0]["stackTable"]["prefix"].pop()
    ok(len(Firefox(profile).wrong) == 2, "firefox: what is wrong would be found")


def main():
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for title, command in (("a program with two threads", (program("export_load"), "10")),
                               ("python3", (sys.executable, "-c", "sum(i * i for i in range(1000000))"))):
            data = f"{folder}/{len(files)}"
            run(DWELL, "record", "-q", "-F", "2000", "-o", data, "--", *command)
            files.append(f"{data}.speedscope.json")
            for name, path in (("speedscope", files[-1]), ("firefox", f"{data}.firefox.json")):
                answer = run(DWELL, "export", "-f", name, "-o", path, data)
                ok(answer.returncode == 0, f"{title}: {name} {text(answer.stderr)}")
            firefox(title, f"{data}.firefox.json")
        speedscope(files, f"{folder}/0")
    done()


if __name__ == "__main__":
    main()
