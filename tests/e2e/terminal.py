#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""terminal.py DWELL PROGRAMS - the output of verbs on a terminal: colours, bars, lines that fit, a pager; and none
of this in files and pipes."""
import os
import pty
import re
import shutil
import signal
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from on_terminal import COLOR, Terminal, plainly, show  # noqa: E402
from sampled import DWELL, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

BLOCKS = "▏▎▍▌▋▊▉█"


def colors(data):
    plain, shown = text(run(DWELL, "report", data).stdout), show("report", data)
    ok(COLOR.search(shown) and not COLOR.search(plain), "report has colours on a terminal, and none in a pipe")
    ok(set(COLOR.findall(shown)) <= {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[31m", "\x1b[32m"},
       "bold, dim and basic colours only")
    ok("\x1b[1;31mburn_" in shown, "the function with most of the time is bold and red")
    for what, command, changes in (
            ("NO_COLOR", ["report", data], {"NO_COLOR": "1"}), ("a dumb terminal", ["report", data], {"TERM": "dumb"}),
            ("--color never", ["report", "--color", "never", data], {}),
            ("--color=never", ["info", "--color=never", data], {})):
        ok("\x1b" not in show(*command, **changes), f"{what}: no colours")
    ok(COLOR.search(show("report", data, NO_COLOR="")), "an empty NO_COLOR is none")
    ok(COLOR.search(show("report", "--color=always", data, NO_COLOR="1")), "--color=always knows better")
    forced = text(run(DWELL, "report", "--color=always", data).stdout)
    ok(COLOR.search(forced) and COLOR.sub("", forced) == plain,
       "--color=always in a pipe: colours, and the same text otherwise")
    for verb in (["info", data], ["annotate", "burn_*", data], ["list", DWELL], ["doctor"]):
        ok(COLOR.search(show(*verb)), f"{verb[0]} has colours too")
        ok("\x1b" not in text(run(DWELL, *verb, env=plainly()).stdout), f"{verb[0]}: and none in a pipe")
    refused = run(DWELL, "report", "--color=blue", data)
    ok(refused.returncode == 2 and text(refused.stderr).count("\n") == 1, "--color=blue: one sentence")


def pipes(data):
    """Checks that files and pipes get the same bytes, whatever the environment says about terminals."""
    settings = {"TERM": None, "LC_ALL": "C", "COLUMNS": None}
    others = {"TERM": "xterm", "LC_ALL": "C.UTF-8", "COLUMNS": "40", "DWELL_PAGER": "echo paged", "PAGER": "echo paged"}
    for verb in (["report"], ["report", "--tree"], ["annotate", "burn_*"], ["info"]):
        bare, rich = (run(DWELL, *verb, data, env=plainly(**each)).stdout for each in (settings, others))
        ok(bare and bare == rich, f"{' '.join(verb)} in a pipe does not depend on what the terminal is")


def tables(shown):
    """Returns the lines from the names of columns to an empty line, without colours."""
    lines = COLOR.sub("", shown).splitlines()
    return lines[:lines.index("")] if "" in lines else lines


def widths(data):
    for columns in (60, 80, 100, 140):
        for words in (["report"], ["report", "--tree", "--min", "0"], ["report", "--by", "object"]):
            lines = tables(show(*words, data, columns=columns))
            widest = max(map(len, lines[:-2]), default=0)
            ok(2 < len(lines) and widest <= columns, f"{' '.join(words)}: {widest} columns on a terminal of {columns}")
    lines = tables(show("report", data, columns=140, COLUMNS="60"))
    ok(max(map(len, lines[:-2])) <= 60, "COLUMNS is the width, if it is there")
    lines = show("doctor", columns=70, NO_COLOR="1").split("\nsuggestions")[0].splitlines()
    ok(max(map(len, lines)) <= 70 and not any("..." in line for line in lines),
       "doctor: sentences go on in the next line")


def bars(data):
    for words in (["report"], ["report", "--tree"]):
        shown = show(*words, data, columns=140)
        ok(any(block in shown for block in BLOCKS), f"{' '.join(words)}: bars of blocks")
        shown = show(*words, data, columns=140, LC_ALL="C")
        ok(not any(block in shown for block in BLOCKS) and "##########" in shown,
           f"{' '.join(words)}: of #, where the locale has no UTF-8")
        ok(shown.isascii(), f"{' '.join(words)}: and nothing else that it cannot show")
        ok(not re.search("##########", show(*words, data, columns=50, LC_ALL="C")),
           f"{' '.join(words)}: none on a narrow terminal")


# ---- the pager ----

def pagers(data):
    marks = "sed s/^/paged:/"
    for what, command, changes, paged in (
            ("DWELL_PAGER", ["report", data], {"DWELL_PAGER": marks, "PAGER": "sed s/^/other:/"}, True),
            ("PAGER", ["report", data], {"PAGER": marks}, True),
            ("info", ["info", data], {"PAGER": marks}, True), ("list", ["list", DWELL], {"PAGER": marks}, True),
            ("doctor", ["doctor"], {"PAGER": marks}, True),
            ("an empty DWELL_PAGER", ["report", data], {"DWELL_PAGER": "", "PAGER": marks}, False),
            ("cat", ["report", data], {"PAGER": "cat"}, False),
            ("--no-pager", ["report", "--no-pager", data], {"PAGER": marks}, False),
            ("json", ["report", "--format", "json", data], {"PAGER": marks}, False),
            ("a dumb terminal", ["report", data], {"PAGER": marks, "TERM": "dumb"}, False)):
        shown = Terminal(DWELL, *command, **changes).end()
        lines = shown.seen.splitlines()
        which = all(line.startswith("paged:") for line in lines) if paged else "paged:" not in shown.seen
        if not ok(shown.status in (0, 1) and lines and which, f"{what}: {'shown by it' if paged else 'no pager'}"):
            note(f"{shown.status}: {shown.seen[:400]}")
    shown = Terminal(DWELL, "report", data, PAGER=marks, LC_ALL="C.UTF-8").end().seen
    ok(COLOR.search(shown) and "█" in shown, "the output in a pager looks as on the terminal")


def early_ends(data):
    """Checks pagers that end before they have read all."""
    big = ["report", "--limit", "0", "--tree", "--min", "0", data]
    for pager in ("head -1", "false", "exec 0<&-; sleep 0.2; echo end", "kill -9 $$"):
        shown = Terminal(DWELL, *big, DWELL_PAGER=pager).end()
        if not ok(shown.status == 0 and shown.seen.count("\n") <= 1 and "dwell:" not in shown.seen,
                  f"'{pager}' is not a failure, and the rest is not shown"):
            note(f"{shown.status}: {shown.seen[:400]}")
    shown = Terminal(DWELL, "report", data, DWELL_PAGER="no-such-pager -x").end()
    ok(shown.status == 0 and "no-such-pager" in shown.seen and "burn_" in shown.seen,
       "a pager that is not there: a sentence, and all is shown without it")
    shown = Terminal(DWELL, "report", data, PATH="/nowhere").end()
    ok(shown.status == 0 and "burn_" in shown.seen and "pager" not in shown.seen, "no less: no pager, and no complaint")
    shown = Terminal(DWELL, "report", data, DWELL_PAGER="cat; sleep 0.3; echo last").end()
    ok(shown.seen.endswith("last\n"), "dwell ends when the pager has")
    refused = Terminal(DWELL, "report", "/nowhere", DWELL_PAGER="sed s/^/paged:/").end()
    ok(refused.status == 2 and refused.seen.count("\n") == 1 and "paged:" not in refused.seen,
       "an error needs no pager: one sentence, and status 2")
    focused = Terminal(DWELL, "report", "--focus", "no_such_function", data, DWELL_PAGER="sed s/^/paged:/").end()
    ok(focused.seen.splitlines()[-1].startswith("dwell report:"), "sentences on stderr come behind the pager")


# Waits for a line of the user; prints a message before, and at Ctrl-C.
WAITING = "trap 'echo interrupted' INT; cat; echo waiting; while ! read line </dev/tty; do :; done; echo left"


def keys(data):
    shown = Terminal(DWELL, "report", data, DWELL_PAGER=WAITING).read("waiting")
    os.write(shown.master, b"\x03")
    shown.read("interrupted")
    os.write(shown.master, b"\n")
    shown.end()
    if not ok(shown.status == 0 and "left" in shown.seen, "Ctrl-C is the pager's, and dwell stays with it"):
        note(f"{shown.status}: {shown.seen[-400:]}")
    shown = Terminal(DWELL, "report", data, DWELL_PAGER=WAITING).read("waiting")
    os.kill(shown.pid, signal.SIGTERM)
    os.write(shown.master, b"\n")
    shown.end()
    ok(shown.status == -signal.SIGTERM and "left" in shown.seen,
       "SIGTERM: the pager ends first, so that it has the terminal to itself, and then dwell does, by the signal")


def real_pager(data):
    if not shutil.which("less"):
        skip("less", "it is not installed")
        return
    shown = Terminal(DWELL, "report", "--limit", "1", data, rows=60).end()
    ok(shown.status == 0 and "burn_" in shown.seen, "less ends by itself where a screen is enough")
    shown = Terminal(DWELL, "report", "--limit", "0", data, rows=6).read(":")
    os.write(shown.master, b"q")
    shown.end()
    ok(shown.status == 0 and COLOR.search(shown.seen), "and with q where it is not; it shows colours")


def progress(data):
    """Checks the progress line of reading that takes long, since the clock is fast."""
    line, fast = "\rreading samples: ", {"LD_PRELOAD": program("libfast_clock.so")}
    for verb in ("report", "info"):
        shown = Terminal(DWELL, verb, "--no-pager", data, **fast).end()
        parts = shown.all.split("\r\x1b[K")
        if not ok(shown.status == 0 and len(parts) == 2 and re.fullmatch(r"(\rreading samples: \d+%\x1b\[K)+", parts[0])
                  and line not in parts[1] and "one_thread" in parts[1], f"{verb}: a line that is gone at the end"):
            note(repr(shown.all[:400]))
    shown = Terminal(DWELL, "report", "--no-pager", data, **fast, TERM="dumb").end()
    ok(line not in shown.all, "none where lines cannot be taken away")
    answer = run(DWELL, "report", data, env=plainly(**fast))
    ok(answer.returncode == 0 and not answer.stderr, "none if stderr is not a terminal")


def on_stderr(folder):
    """Checks the table after a command has run: on stderr, with colours and without a pager."""
    command = ("-f", "*", "-o", f"{folder}/calls", "--", program("sees_times"), "nested")
    shown = Terminal(DWELL, "calls", *command, PAGER="sed s/^/paged:/").end()
    ok(shown.status == 0 and COLOR.search(shown.seen) and "paged:" not in shown.seen,
       "dwell calls: colours, and no pager")
    shown = Terminal(DWELL, "calls", "--color=never", *command).end()
    ok(shown.status == 0 and not COLOR.search(shown.seen), "--color=never: none")


def next_steps(folder):
    """Checks the two commands that each recording ends with, and that they are what they say."""
    data = f"{folder}/it's mine.data"
    line = text(run(DWELL, "record", "-o", data, "true").stderr)
    steps = re.search(r"; next: (dwell report .*), (dwell html .*)\n$", line)
    ok(steps, "record ends with the next commands")
    quoted = steps[1].removeprefix("dwell ") if steps else ""
    answer = run("sh", "-c", f"{DWELL} {quoted}")
    ok(answer.returncode == 0 and b" function " in answer.stdout, f"which can be typed as they are: {quoted}")
    ok("next:" not in text(run(DWELL, "record", "-q", "-o", data, "true").stderr), "-q: none")
    for words, report in ((["-f", "libc.so*:*"], "dwell report --sort max "), (["--tree", "-f", "libc.so*:*"], "dwell report --tree "),
                          (["--by-caller", "-f", "libc.so*:*"], "dwell report --by caller ")):
        command = ("calls", *words, "-o", f"{folder}/next", "--", "true")
        ok(Terminal(DWELL, *command).end().seen.endswith(f"\nnext: {report}{folder}/next, dwell html {folder}/next\n"), f"calls {words[0]}: {report}")
        ok("next:" not in text(run(DWELL, *command).stderr), "none in a pipe")
    os.makedirs(f"{folder}/empty")
    answer = run(DWELL, cwd=f"{folder}/empty")
    ok(answer.returncode == 2 and b"\n  dwell ./app  " in answer.stderr and b"\n  dwell top -p PID  " in answer.stderr and not answer.stdout,
       "dwell alone: how to make a recording")
    run(DWELL, "record", "-q", "true", cwd=f"{folder}/empty")
    answer = run(DWELL, cwd=f"{folder}/empty")
    ok(answer.returncode == 2 and b"\n  dwell report  " in answer.stderr and b"\n  dwell html  " in answer.stderr, "or to look at the one that is here")


def main():
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        run(DWELL, "record", "-q", "-o", data, program("record_load"), "one_thread", "0.3")
        try:
            pty.openpty()
        except OSError as error:
            skip("terminals", f"there are none here: {error}")
            done()
        colors(data)
        pipes(data)
        widths(data)
        bars(data)
        pagers(data)
        early_ends(data)
        keys(data)
        real_pager(data)
        progress(data)
        on_stderr(folder)
        next_steps(folder)
    done()


if __name__ == "__main__":
    main()
