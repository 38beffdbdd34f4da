#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""html_page.py DWELL PROGRAMS SCREENSHOTS - the page of `dwell html` in a real browser: it requests nothing, its
figures are those of `dwell report`, names that look like markup are harmless, and all of its controls work, by
mouse and by keyboard, in light and dark. Pictures of it are left in the folder SCREENSHOTS."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import browser  # noqa: E402
from page_window import SEARCH, opened, pictures, rows_of, show  # noqa: E402
from sampled import DWELL, one_sentence, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

SCREENSHOTS = os.path.abspath(sys.argv[3])

# A function, a thread and an argument of the command that would do something if they were taken for markup.
ODD = "</script><img/src=x/onerror=window.hit=1><b>odd</b>"
ODD_ARGUMENT = "</title><script>window.hit=2</script>"


def report(data, *options):
    answer = run(DWELL, "report", data, "--format", "json", *options)
    return json.loads(answer.stdout)


def record(folder, name, seconds):
    """Makes a recording of the target, whose function odd_name is called ODD in its symbol table."""
    target = os.path.join(folder, "page_target")
    if not os.path.exists(target):
        names = os.path.join(folder, "names")
        with open(names, "w", encoding="ascii") as out:
            out.write(f"odd_name {ODD}\n")
        subprocess.run(["objcopy", f"--redefine-syms={names}", program("page_target"), target], check=True)
    data = os.path.join(folder, name + ".data")
    answer = run(DWELL, "record", "-q", "-F", "2000", "--calls", "libc.so*:qsort", "-o", data, "--", target, seconds,
                 ODD_ARGUMENT)
    if answer.returncode:
        note(text(answer.stderr))
    return data


def html(data, *options):
    page = data.replace(".data", ".html")
    return page, run(DWELL, "html", "-o", page, *options, data)


# ---- without a browser ----


def command_line(folder, data):
    page, answer = html(data)
    ok(answer.returncode == 0 and not answer.stdout and page in text(answer.stderr), "says where the page is")
    with open(page, "rb") as file:
        content = file.read()
    ok(run(DWELL, "html", "-o", "-", data).stdout == content, "-o - writes it to standard output")
    ok(ODD.encode() not in content and ODD_ARGUMENT.encode() not in content, "no name is in it as it stands")
    ok(not re.search(rb"(src|href)\s*=\s*[\"']?(https?:|//)", content), "it names no other file")
    before = os.path.getsize(data)
    ok(one_sentence(run(DWELL, "html", "-o", data, data), "is the recording") and os.path.getsize(data) == before,
       "the recording is not overwritten")
    ok(one_sentence(run(DWELL, "html", "--diff", data, "-o", data, page), "is the recording"), "nor is the old one")
    ok(one_sentence(run(DWELL, "html", page), page), "a file that is not a recording is refused")
    ok(one_sentence(run(DWELL, "html", os.path.join(folder, "none")), "none"), "as is what is not there")
    ok(one_sentence(run(DWELL, "html", data, data), "only one DATA file is allowed"), "two are one too many, without --diff")
    ok(one_sentence(run(DWELL, "html", "-o", os.path.join(folder, "no/page"), data), "cannot write"),
       "a page that cannot be written is an error")
    ok(b"--diff" in run(DWELL, "html", "--help").stdout, "--help")


# ---- in a browser ----


def alone(window, page, data):
    asked = window.requests()
    note(asked)
    ok(asked == ["file://" + page], "the browser asks for the page, and for nothing else")
    ok(window.complaints() == [], "and has nothing to complain of")
    size = os.path.getsize(page)
    note(f"{size} bytes")
    ok(size < 1e6, "a small recording is a small page")
    command = report(data)["meta"]["command"]
    ok(ODD_ARGUMENT in command and window.text(".what code") == command, "it is of the command")
    ok(window.run("return document.title") == f"{command} - dwell", "and is called after it")


def harmless(window):
    show(window, "functions")
    ok(ODD in [row["function"] for row in rows_of(window)], "a name that looks like markup is a name")
    show(window, "flame")
    found = window.run(
        "return [window.hit ?? null, document.images.length, document.querySelectorAll('main b, main i.x').length]")
    ok(found == [None, 0, 0], "and does nothing")
    ok("<i>helper</i>" in window.texts(".thread-name"), "so is that of a thread")


def same_figures(window, data):
    wanted = report(data)
    sums = window.run(
        "const s = dwell.state.sums[0]; return dwell.model.functions.map((f, i) => [f.name, f.object,"
        " s.selfSamples[i], s.totalSamples[i], s.self[i], s.total[i]])"
    )
    found = sorted(row for row in sums if row[3])
    due = sorted([row[key] for key in ("name", "object", "self", "total", "self_ns", "total_ns")]
                 for row in wanted["samples"])
    ok(found == due, "self and total of each function are those of the report")
    show(window, "functions")
    shown = [[row[key] for key in ("self", "total", "samples", "share", "function", "object")]
             for row in rows_of(window)]
    lines = text(run(DWELL, "report", data, "--limit", "8").stdout).splitlines()[1:9]
    due = [re.split(r"  +", line.strip(), maxsplit=5) for line in lines]
    # The report's 0.0 ns is 0 here.
    due = [["0" if cell == "0.0 ns" else cell for cell in row] for row in due]
    note(f"{shown}\n{due}")
    # Rows with the same time may be in another order.
    ok([row[0] for row in shown[:8]] == [row[0] for row in due], "rows of the table begin as those of the report")
    ok(all(row in shown for row in due), "and all that is in them is written the same")
    notes = [line for line in text(run(DWELL, "report", data).stdout).split("\n\n")[1].splitlines() if line]
    show(window, "about")
    ok(notes and set(notes) <= set(window.texts(".notes li")), "all that the report says below is under About")
    head = window.text(".head")
    ok(all(line in head for line in notes[2:]), "and notes without a figure are at the top as well")


def sorts(window):
    show(window, "functions")
    for key, is_number in [("total", True), ("samples", True), ("share", True), ("self", True), ("function", False), ("object", False)]:
        window.click(f".table-head [data-key='{key}'] button")
        values = window.run(
            "return dwell.shown.table.rows.map((r) => dwell.shown.table.columns.find((c) => c.key === arguments[0]).value(r))",
            key)
        order = window.run("return document.querySelector(`[data-key='${arguments[0]}']`).getAttribute('aria-sort')", key)
        ok(values == sorted(values, reverse=is_number) and order == ("descending" if is_number else "ascending"),
           f"sorts by {key}")
    for _ in range(2):
        window.click(".table-head [data-key='function'] button")
    values = [row["function"] for row in rows_of(window)]
    ok(values == sorted(values, reverse=True), "and the other way round")
    window.click(".table-head [data-key='self'] button")


def searches(window, data):
    show(window, "flame")
    window.run(SEARCH, "shared_p")
    meta = report(data, "--focus", "shared_part")["meta"]
    due = f"{100 * meta['samples_shown_ns'] / meta['samples_ns']:.1f}%"
    note(f"{window.text('.found')}, {due}")
    ok(window.text(".found").startswith(due + " of time matches"), "the share of a search is that of --focus")
    marked = window.run(
        "const { matches, shape } = dwell.state;"
        "return [...new Set(dwell.shown.flame.boxes.filter((b) => b.node && matches[shape.fn(b.node)])"
        ".map((b) => dwell.model.name(shape.fn(b.node))))]")
    ok(marked == ["shared_part"], "matches are marked")
    show(window, "functions")
    ok([row["function"] for row in rows_of(window)] == ["shared_part"], "and alone in the table")
    window.run(SEARCH, "/^(early|late)$/")
    ok({row["function"] for row in rows_of(window)} == {"early", "late"}, "regular expressions")
    window.run(SEARCH, "")


BOX = """
const { shape } = dwell.state; const view = dwell.views.flame.view;
const box = view.flame.boxes.find((b) => b.node && dwell.model.name(shape.fn(b.node)) === arguments[0]);
const at = view.canvas.getBoundingClientRect();
return box && [at.left + box.x + box.width / 2, at.top + box.row * 20 + 10, box.width];
"""
FIRST = """
const { shape } = dwell.state;
return shape.children(0).map((n) => [dwell.model.name(shape.fn(n)), shape.total(n, 0)]).sort((a, b) => b[1] - a[1]);
"""


def flame(window, data):
    show(window, "flame")
    x, y, before = window.run(BOX, "late")
    window.mouse(("move", x, y))
    rows = {row["name"]: row for row in report(data)["samples"]}
    ok(window.run("return !document.querySelector('.tip').hidden") and window.text(".tip .name") == "late"
       and f"{rows['late']['total']:,}" in window.text(".tip .facts"), "pointing at a frame tells what it is")
    window.mouse(("move", x, y), ("down",), ("up",))
    after = window.run(BOX, "late")[2]
    whole = window.box("canvas.flame")[2]
    note(f"{before} -> {after} of {whole} pixels")
    ok(before < 0.9 * whole and abs(after - whole) < 1, "a click makes it as wide as all")
    ok(window.run("return document.activeElement.tagName") is not None and not window.run(
        "return dwell.views.flame.view.reset.disabled"), "and can be taken back")
    window.keys("t")
    show(window, "functions")
    show(window, "flame")
    window.keys("t")
    ok(abs(window.run(BOX, "late")[2] - whole) < 1, "stays so while one looks elsewhere")
    window.keys("Escape")
    ok(abs(window.run(BOX, "late")[2] - before) < 1, "and goes back by Escape")
    window.click(".tools .toggle:nth-child(1)")
    due = [[row["name"], row["self_ns"]] for row in report(data)["samples"] if row["self"]]
    due.sort(key=lambda row: -row[1])
    found = window.run(FIRST)
    note(f"{found[:3]} {due[:3]}")
    ok(sorted(found) == sorted(due), "upside down: own times first")
    inner = window.run(
        "const { shape } = dwell.state; const top = shape.children(0).find((n) => dwell.model.name(shape.fn(n)) === 'shared_part');"
        "return shape.children(top).map((n) => dwell.model.name(shape.fn(n))).sort()")
    ok(inner == ["early", "late"], "and callers below")
    window.click(".tools .toggle:nth-child(1)")
    window.click(".tools .toggle:nth-child(2)")
    due = sorted([f"{row['name']} {row['tid']}", row["self_ns"]] for row in report(data, "--by", "thread")["samples"])
    ok(sorted(window.run(FIRST)) == due, "by thread: as in the report")
    window.click(".tools .toggle:nth-child(2)")
    x, y, _ = window.run(BOX, "shared_part")
    window.mouse(("move", x, y), ("down",), ("up",))
    window.run("document.querySelector('.detail button').click()")
    ok(window.run(FIRST) == [["shared_part", rows["shared_part"]["total_ns"]]], "focus: a function wherever it is called")
    window.keys("Escape")
    ok(len(window.run(FIRST)) > 1, "and back")


def brushes(window, data):
    """Selects the first sixteenth of the run, which is early()'s, however long the machine takes for the rest."""
    show(window, "functions")
    left, top, width, _ = window.box(".time-canvas canvas")
    window.mouse(("move", left + 2, top + 10), ("down",), ("move", left + width / 16, top + 10), ("up",))
    window.wait("return dwell.state.get('selections')[0].span !== null")
    begin, end = window.run("return dwell.state.get('selections')[0].span")
    found = window.run("return dwell.state.weights[0].allSamples")
    due = report(data, "--time", f"{begin:.9f}-{end:.9f}")["meta"]["samples_shown"]
    note(f"{begin:.3f} to {end:.3f} s: {found} samples, {due} in the report")
    # Times in the page are in microseconds: one sample of each thread may be on the other side of either end.
    ok(due > 10 and abs(found - due) <= 4, "a span that is brushed has the samples of --time")
    names = [row["function"] for row in rows_of(window)]
    ok("shared_part" in names and "helper_part" not in names, "the table is of that span")
    show(window, "flame")
    ok(window.run(BOX, "early") and not window.run(BOX, "late"), "so is the flame graph")
    number = window.run("return dwell.model.functions.findIndex((f) => f.name === 'shared_part')")
    show(window, f"function/{number}")
    callers = [row["function"] for row in window.run(
        "return dwell.function.callers.rows.map((r) => ({function: r.name}))")]
    ok(callers == ["early"], "and the page of a function")
    window.run("document.querySelector('.span-status button').click()")
    ok(window.run("return dwell.state.weights[0].allSamples") == report(data)["meta"]["samples_shown"],
       "all of it again")
    tid = window.text(".time-labels button:first-child .thread-number")
    window.click(".time-labels button:first-child")
    due = report(data, "--thread", tid)["meta"]["samples_shown"]
    ok(window.run("return dwell.state.weights[0].allSamples") == due, "a thread alone has the samples of --thread")
    window.run("document.querySelector('.span-status button').click()")


def function_page(window, data):
    rows = {row["name"]: row for row in report(data)["samples"]}
    show(window, "functions")
    window.run(SEARCH, "shared_part")
    window.click("main .table-row")
    window.wait("return dwell.state.get('view') === 'function'")
    window.run(SEARCH, "")
    ok(window.text("h2") == "shared_part", "a row leads to the page of its function")
    due, callers = {}, {}
    for row in report(data, "--tree", "--min", "0")["tree"]:
        callers[row["depth"]] = row["name"]
        if row["name"] == "shared_part":
            due[callers[row["depth"] - 1]] = row["total_ns"]
    found = dict(window.run("return dwell.function.callers.rows.map((r) => [r.name, r.total])"))
    note(f"{found} {due}")
    ok(found == due, "its callers, with their times")
    cards = window.texts(".card")
    ok(any(card.startswith("samples") and f"{rows['shared_part']['self']:,}" in card for card in cards), "its figures")
    window.run("[...document.querySelectorAll('.columns .table-row')].find((r) => r.textContent.includes('late')).click()")
    window.wait("return document.querySelector('h2').textContent === 'late'")
    callees = dict(window.run("return dwell.function.callees.rows.map((r) => [r.name, r.total])"))
    ok(set(callees) >= {"shared_part", ODD} and callees[ODD] == rows[ODD]["total_ns"],
       "one click further, and what that calls")
    window.run("history.back()")
    window.wait("return document.querySelector('h2')?.textContent === 'shared_part'")
    ok(True, "the browser's own way back works")
    # The search is a part of that state, or of one in between if the browser was slow.
    window.run(SEARCH, "")


def inside(window, data):
    """Checks that lines and instructions are those of `dwell annotate`, with others around them that have no
    samples."""
    answer = run(DWELL, "annotate", "--asm", "--format", "json", "shared_part", data)
    due = json.loads(answer.stdout)
    number = window.run("return dwell.model.functions.findIndex((f) => f.name === 'shared_part')")
    found = window.run("return dwell.model.inside(arguments[0])", number)
    for table, place in (("lines", "line"), ("instructions", "address")):
        if not due[table]:
            skip(f"{table} of a function", "dwell annotate has none here")
            continue
        wanted = sorted([row[place] or 0, row["self_ns"], row["total_ns"]] for row in due[table] if row["total"])
        shown = sorted([row[place] or 0, row["self_ns"], row["total_ns"]] for row in found[table] if row["total"])
        ok(wanted and wanted == shown, f"{table} with samples are those of dwell annotate")
        ok(len(found[table]) > len(shown), f"{table} around them are there as well")
    show(window, f"function/{number}")
    code = window.text(".code")
    hot = next(row for row in found["lines"] or found["instructions"] if row["self"])
    ok((hot["text"] or "").strip() in code, "and are shown")
    sizes = [len(run(DWELL, "html", "-o", "-", *options, data).stdout) for options in ([], ["--no-source"])]
    note(f"{sizes} bytes")
    ok(0 < sizes[1] < sizes[0], "--no-source leaves them out")


def calls(window, data):
    due = report(data)["calls"]
    show(window, "calls")
    found = window.run("return dwell.shown.table.rows.map((r) => [r.name, r.calls, r.total_ns, r.p99_ns, r.max_ns])")
    ok(sorted(found) == sorted([row[key] for key in ("name", "calls", "total_ns", "p99_ns", "max_ns")] for row in due)
       and found, "calls are those of the report")
    waiting = window.run("return document.querySelectorAll('.calls-view .table-head [data-key=waiting]').length")
    ok(waiting == any(row["waiting"] for row in due), f"a column has the time that they waited, if they did: {[row['waiting'] for row in due]}")
    ok(len(window.run("return [...document.querySelectorAll('.calls-panel .bar')]")) > 3, "their histogram is drawn")
    labels = window.texts(".calls-panel text.mark")
    ok([label.split()[0] for label in labels] == ["p50", "p90", "p99"], "with its percentiles")
    counted = window.run("return dwell.shown.shown.histogram.reduce((sum, [, , n]) => sum + n, 0)")
    ok(counted == due[0]["returned"], "and all calls are in it")


def calls_wait(window, folder):
    """Checks the column of waiting, of a program that does nothing else."""
    data = os.path.join(folder, "waits.data")
    run(DWELL, "calls", "-q", "-f", "libc.so*:*nanosleep", "-o", data, "--", "sleep", "0.05")
    due = report(data)["calls"]
    if not due:
        skip("waiting", "sleep calls no function of this name here")
        return
    page, _ = html(data)
    opened(window, page)
    show(window, "calls")
    ok(due[0]["waiting"] > 0.5, f"sleep waits for most of its call: {due[0]['waiting']}")
    heads = window.run("return [...document.querySelectorAll('.calls-view .table-head [data-key=waiting]')].map((head) => head.textContent.trim())")
    ok(len(heads) == 1 and heads[0].startswith("waiting"), f"which has a column: {heads}")
    shares = window.run("const t = dwell.shown.table; const column = t.columns.find(({ key }) => key === 'waiting');"
                        "return t.rows.map((row) => [row.name, column.cell(row)])")
    ok(shares == [[row["name"], f"{100 * row['waiting']:.1f}%"] for row in due], f"with the share of the report: {shares}")
    ok(shares and any(shares[0][1] in text for text in window.texts(".calls-view .table-rows > *")), "that can be seen")


def calls_tree(window, folder):
    """Checks the flame graph of exact time, of a recording without samples."""
    if not os.path.exists(program("sees_tree")):
        skip("the tree of calls", "sees_tree is not built: it needs a C++ compiler")
        return
    data = os.path.join(folder, "tree.data")
    run(DWELL, "calls", "-q", "--tree", "-f", "libsees_*:*", "-o", data, "--", program("sees_tree"))
    page, _ = html(data)
    opened(window, page)
    show(window, "tree")
    due = report(data, "--tree", "--min", "0")["calls_tree"]
    found = window.run("const { shape } = dwell.shown.state; const m = dwell.shown.model;"
                       "return m.rows.slice(1).map((_, i) => [m.name(shape.fn(i + 1)), m.callsAt(shape, i + 1),"
                       " shape.self(i + 1, 0), shape.total(i + 1, 0)])")
    ok(found == [[node["name"], node["calls"], node["self_ns"] or 0, node["subtree_ns"]] for node in due] and found,
       "the call tree is that of the report")
    whole = sum(node["self_ns"] or 0 for node in due)
    boxes = window.run("return dwell.shown.flame.boxes.filter(({ row }) => row === 1).map(({ width }) => width)")
    wide = window.run("return dwell.shown.flame.boxes[0].width")
    tops = [node["subtree_ns"] / whole * wide for node in due if node["depth"] == 0]
    ok(boxes and all(abs(one - other) < 0.01 for one, other in zip(boxes, tops)), "frames are as wide as their time")
    window.focus("canvas.flame")
    window.keys("Down")
    facts = window.texts(".detail .fact small")
    ok(facts == ["calls", "total", "of all", "self"], "and tell calls, total and self")
    window.keys("Enter", "i")
    ok(window.run("return dwell.shown.state.get('inverted')"), "i turns it upside down")
    window.keys("i", "Escape")
    window.run(SEARCH, "leaf")
    ok("of time matches" in window.text(".found"), "the search finds functions in it")
    window.run(SEARCH, "")
    pictures(window, SCREENSHOTS, "calls", ["tree"])
    complaints = window.complaints()
    note(complaints)
    ok(complaints == [], "nothing to complain of")


def keyboard(window):
    show(window, "flame")
    window.run("document.activeElement.blur()")
    window.keys("/")
    ok(window.run("return document.activeElement.id") == "search", "/ goes to the search")
    window.keys("l", "a", "t", "e", "Escape")
    ok(window.run("return [document.getElementById('search').value, dwell.state.get('word')]") == ["", ""],
       "Escape ends it")
    window.focus("canvas.flame")
    window.keys("Down", "Down", "Enter")
    zoomed = window.run("return dwell.views.flame.view.zoomed")
    ok(zoomed > 0, "arrows and Enter zoom")
    ok(window.run("return document.querySelector('.detail .name').textContent") == window.run(
        "const s = dwell.state.shape; return dwell.model.name(s.fn(arguments[0]))", zoomed), "the frame is named")
    window.keys("o")
    window.wait("return dwell.state.get('view') === 'function'")
    ok(True, "o opens its function")
    window.keys("2")
    window.wait("return dwell.state.get('view') === 'functions'")
    window.focus("main .table")
    window.keys("Down", "Down", "Enter")
    window.wait("return dwell.state.get('view') === 'function'")
    ok(True, "digits choose a view, arrows a row, and Enter opens it")
    window.keys("1")
    window.wait("return dwell.state.get('view') === 'flame'")
    window.focus("#tab-flame")
    window.keys("Right")
    window.wait("return document.activeElement.id === 'tab-functions' && dwell.state.get('view') === 'functions'")
    ok(True, "arrows move between tabs")
    window.focus(".time-canvas canvas")
    window.keys("Right", "Right", ("Shift", "Right"))
    span = window.run("return dwell.state.get('selections')[0].span")
    ok(span and span[0] > 0 and span[1] > span[0], "arrows move a span of time")
    window.keys("Escape")
    ok(window.run("return dwell.state.get('selections')[0].span") is None, "Escape shows all of it")
    outline = window.run("return getComputedStyle(document.activeElement).outlineStyle")
    ok(outline != "none", "the focused element is visible")


def themes(window, page):
    """Checks the theme from the beginning, and that the user's choice is kept."""
    window.run("localStorage.clear()")
    opened(window, page)
    brightness = ("const c = getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number);"
                  "return (c[0] + c[1] + c[2]) / 3")
    window.prefer("light")
    light = window.wait("return document.documentElement.dataset.theme === 'light'") and window.run(brightness)
    window.prefer("dark")
    dark = window.wait("return document.documentElement.dataset.theme === 'dark'") and window.run(brightness)
    ok(light > 200 and dark < 60, "light or dark, as the system says")
    window.click("#theme")
    ok(window.run(brightness) > 200, "or as the user says")
    window.run("localStorage.clear()")


def sharp(window):
    """Checks that the canvas has as many pixels as the screen, also after a change of the screen."""
    show(window, "flame")
    window.size(1400, 900, scale=2)
    # Without a screen, the browser reports the change only when a picture is taken.
    window.screenshot(os.path.join(SCREENSHOTS, "page-sharp.png"))
    window.wait("const c = document.querySelector('canvas.flame'); return Math.abs(c.width / c.clientWidth - 2) < 0.01")
    window.size(1400, 900)
    ok(True, "sharp on screens with small pixels")


def losses(window, data):
    """Checks that the page of a truncated recording says at the top what is missing."""
    cut = data.replace("new.data", "cut.data")
    shutil.copy(data, cut)
    os.truncate(cut, os.path.getsize(cut) * 3 // 4)
    page, _ = html(cut)
    opened(window, page)
    due = [line for line in text(run(DWELL, "report", cut).stdout).splitlines() if line.startswith(("DAMAGED", "LOST"))]
    note(due)
    ok(any(line.startswith("DAMAGED") for line in due) and window.texts(".head-notes .loss, .small-loss") == due, "losses are reported at the top")


def differences(window, old, new):
    page, answer = html(new, "--diff", old)
    ok(answer.returncode == 0, "two recordings make a page")
    opened(window, page)
    ok(window.requests() == ["file://" + page], "which asks for nothing either")
    sides = [{row["name"]: row for row in report(data)["samples"]} for data in (old, new)]
    show(window, "functions")
    found = {row["function"]: row for row in rows_of(window)}
    change = sides[1]["shared_part"]["self_ns"] - sides[0]["shared_part"]["self_ns"]
    note(found.get("shared_part"))
    ok(window.run("const n = dwell.model.functions.findIndex((f) => f.name === 'shared_part');"
                  "return dwell.state.sums[1].self[n] - dwell.state.sums[0].self[n]") == change,
       "a function's change is the difference of the reports")
    ok(found["shared_part"]["change"].startswith("+") and window.run(
        "return document.querySelector('main .table-row .change').className") == "change more",
       "twice as much is more, and not by chance")
    show(window, "flame")
    pixel = ("const v = dwell.views.flame.view;"
             "const [x, y] = [Math.round(arguments[0]), Math.round(arguments[1])];"
             "const at = v.canvas.getBoundingClientRect();"
             "return [...v.canvas.getContext('2d').getImageData(x - at.left, y - at.top - 7, 1, 1).data]")
    x, y, wide = window.run(BOX, "early")
    red, _, blue, _ = window.run(pixel, x + wide / 2 - 3, y)
    ok(red > blue + 30, "more is red in the flame graph")
    window.run("dwell.state.change({ compare: 'share' })")
    ok(abs(window.run("const [a, b] = dwell.state.weights; return a.all * dwell.state.factor - b.all")) < 1,
       "by share, both have the same time in all")
    pictures(window, SCREENSHOTS, "diff", ["flame", "functions", "calls", "about"])
    complaints = window.complaints()
    note(complaints)
    ok(complaints == [], "no complaints of that page")


def main():
    with tempfile.TemporaryDirectory() as folder:
        if not shutil.which("objcopy"):
            skip("the page", "objcopy is not installed")
            return
        data = record(folder, "new", "0.5")
        command_line(folder, data)
        if browser.missing():
            skip("the page in a browser", browser.missing())
            return
        with browser.Browser() as window:
            page = data.replace(".data", ".html")
            opened(window, page)
            alone(window, page, data)
            harmless(window)
            same_figures(window, data)
            sorts(window)
            searches(window, data)
            flame(window, data)
            brushes(window, data)
            function_page(window, data)
            inside(window, data)
            calls(window, data)
            keyboard(window)
            themes(window, page)
            pictures(window, SCREENSHOTS, "page", ["flame", "functions", "calls", "about"])
            ok(window.complaints() == [], "no complaints at the end")
            sharp(window)
            losses(window, data)
            calls_wait(window, folder)
            calls_tree(window, folder)
            differences(window, record(folder, "old", "0.25"), data)


if __name__ == "__main__":
    main()
    done()
