#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""completion.py DWELL FOLDER - bash, zsh and fish complete verbs, the options of each, their values, files, processes,
functions and commands. FOLDER contains the scripts of the shells."""
import fcntl
import os
import pty
import re
import select
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import done, note, ok, skip  # noqa: E402

DWELL, FOLDER = map(os.path.abspath, sys.argv[1:3])
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|[\r\a]")
PATIENCE_S = 30
PLAIN = ["ctl", "mcp"]  # verbs that have no option but --help

# As bash does it when TAB is pressed: the last word is the one that is typed.
ASK = r"""
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_dwell "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
"""


def dwell(*words):
    return subprocess.run([DWELL, *words], capture_output=True, text=True, check=False)


def offered(*words, cwd=None):
    """Returns bash's completions for the last of the words."""
    answer = subprocess.run(["bash", "--norc", "-c", ASK, "bash", f"{FOLDER}/dwell", DWELL, *words],
                            capture_output=True, text=True, check=False, cwd=cwd)
    if answer.stderr:
        note(answer.stderr)
    return answer.stdout.split("\n")[:-1]


def verbs():
    return re.findall(r"^  ([a-z]+)  +\S", dwell("--help").stdout.split("verbs:")[1].split("\n\n")[0], re.M)


def options_of(verb):
    """Returns {all names of the options: whether they take a value}, by a second look at --help."""
    found = {}
    for short, long, value in re.findall(r"^ +(?:(-\w), )?(--[a-z][a-z-]*)(?:\[=[A-Z]+\])?(?: (\S+))?(?=  |$)", dwell(verb, "--help").stdout,
                                         re.M):
        found.update({name: bool(value) for name in (short, long) if name})
    return found


def all_options(empty):
    for verb in verbs():
        options, got = options_of(verb), offered(verb, "-")
        if not ok((len(options) > 2) == (verb not in PLAIN) and sorted(got) == sorted(options), f"{verb}: all options are offered, each once"):
            note(f"offered {sorted(got)}\nthere are {sorted(options)}")
        for option in (name for name, takes in options.items() if takes and name.startswith("--")):
            values_of(verb, option, empty)


def values_of(verb, option, empty):
    """Checks that values offered are accepted, and that values named in a refusal are offered; in a folder without
    files."""
    values = [value for value in offered(verb, option, "", cwd=empty) if not value.isdigit()]
    if values:
        refused = [value for value in values if dwell(verb, option, value, "--help").returncode]
        ok(not refused, f"{verb} {option}: takes {', '.join(values)}, but for {', '.join(refused) or 'none'}")
    said = dwell(verb, option, "no-such-value", "--help").stderr
    named = re.search(r": ((?:[a-z][a-z0-9-]*, )*[a-z][a-z0-9-]* or [a-z][a-z0-9-]*)\n", said)
    if named:
        wanted = re.split(", | or ", named[1])
        if not ok(sorted(wanted) == sorted(values), f"{verb} {option}: all values that it names are offered"):
            note(f"named {wanted}, offered {values}")


def words(folder):
    for name in ("a.data", "b.data"):
        with open(f"{folder}/{name}", "w", encoding="utf-8"):
            pass
    ok(set(offered("")) == {*verbs(), "--help", "--version"}, "the first word: verbs, and what dwell itself takes")
    ok(set(offered("re")) >= {"record", "report"} and "read" not in offered("re"), "a verb, not a command, if there is one")
    ok("mkfifo" in offered("mkfif"), "else a command")
    values = ["caller", "caller-object", "function", "host", "line", "object", "process", "program", "rank", "region", "thread"]
    ok(sorted(offered("report", "--by", "")) == values, "values")
    ok(offered("report", "--format", "j") == ["json"], "that begin with what is typed")
    ok(offered("report", "--format", "=", "c") == ["csv"], "behind = as well")
    ok(sorted(offered("report", "--color", "=")) == ["always", "auto", "never"], "or right behind it")
    ok({"p99", "samples"} <= set(offered("report", "--sort", "")), "of lists in sentences")
    ok(offered("report", "--limit", "") == [], "nothing where only the user knows")
    ok(sorted(offered("report", "", cwd=folder)) == ["a.data", "b.data"], "recordings are files")
    ok(offered("report", "--tree", "a", cwd=folder) == ["a.data"], "behind options too")
    ok(offered("record", "-o", "b", cwd=folder) == ["b.data"], "values that are files")
    ok(str(os.getpid()) in offered("record", "-p", str(os.getpid())[:-1]), "processes that run")
    ok(str(os.getpid()) in offered("ctl", str(os.getpid())[:-1]), "as an argument, too")
    ok(sorted(offered("ctl", str(os.getpid()), "st")) == ["start", "status", "stop"], "and the words behind it")
    ok(offered("doctor", "", cwd=folder) == [], "nothing where a verb takes nothing")
    for line in (["record", "mkfif"], ["record", "-F", "99", "mkfif"], ["record", "--clock", "=", "wall", "mkfif"],
                 ["record", "--", "mkfif"], ["calls", "-f", "*", "mkfif"]):
        ok("mkfifo" in offered(*line), f"{' '.join(line)}: a command")
    for line in (["record", "cat", "a"], ["record", "-F", "99", "--", "cat", "--by", "a"], ["cat", "a"]):
        ok(offered(*line, cwd=folder) == ["a.data"], f"{' '.join(line)}: arguments of the command are not ours")
    ok("--format" not in offered("record", "cat", "--f"), "nor are its options")


# ---- interactive shells ----

class Shell:
    def __init__(self, *command, setup):
        self.screen = ""
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
            path = f"{os.path.dirname(DWELL)}:{os.environ['PATH']}"
            os.execvpe(command[0], list(command), dict(os.environ, TERM="xterm", PATH=path, PS1="ready> ", HISTFILE=""))
        self.wait_for("ready> ")
        self.type(setup + "; echo set''up\n")
        self.wait_for("setup")
        self.wait_for("ready> ")

    def type(self, keys):
        os.write(self.master, keys.encode())

    def wait_for(self, wanted):
        """Waits for a text, returns true once it is shown, and forgets the output up to it."""
        deadline = time.monotonic() + PATIENCE_S
        while wanted not in self.screen and time.monotonic() < deadline:
            if select.select([self.master], [], [], 0.2)[0]:
                self.screen += ESCAPES.sub("", os.read(self.master, 65536).decode(errors="replace"))
        seen, self.screen = self.screen, self.screen.partition(wanted)[2]
        if wanted not in seen:
            note(seen)
        return wanted in seen

    def end(self):
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        os.close(self.master)


def functions(folder):
    """Checks that functions of a recording are offered where a verb takes them."""
    dwell("calls", "-f", "libc.so*:setloc*", "-o", f"{folder}/dwell.data", "ls")
    shutil.copy(f"{folder}/dwell.data", f"{folder}/other")
    ok({"pprof", "folded", "json"} <= set(offered("export", "-f", "")) and "examples:" not in offered("export", "-f", ""),
       "formats, which have a list of their own")
    ok(offered("report", "--focus", "setl", cwd=folder) == ["setlocale"], "functions of the usual recording")
    ok(offered("annotate", "s", cwd=folder) == ["setlocale"], "as an argument")
    ok(offered("annotate", "o", cwd=folder) == ["other"], "and then a recording")
    os.remove(f"{folder}/dwell.data")
    ok(offered("report", "other", "--hide", "", cwd=folder) == ["setlocale"], "functions of the recording on the line")
    ok(offered("report", "--hide", "", cwd=folder) == [], "none without a recording")
    ok(offered("calls", "-f", "", cwd=folder) == [], "nor of one that is to be made")


def typed(shell, what, *steps):
    """Types keys, and checks what appears after each."""
    held = True
    for keys, wanted in steps:
        shell.type(keys)
        held = held and shell.wait_for(wanted)
    shell.type("\x15")
    ok(held, what)


def at_the_keyboard(folder):
    for name, command, setup in (
            ("bash", ["bash", "--norc", "--noprofile", "-i"], f"bind 'set bell-style none'; source {FOLDER}/dwell"),
            ("zsh", ["zsh", "-f", "-i"], f"fpath=({FOLDER} $fpath); autoload -Uz compinit && compinit -u -D")):
        if not shutil.which(name):
            skip(name, "it is not installed")
            continue
        shell = Shell(*command, setup=setup)
        typed(shell, f"{name}: a verb", ("dwell rep\t", "rt "))
        typed(shell, f"{name}: an option and its value", ("dwell report --form\t", "at"), (" j\t", "json"))
        typed(shell, f"{name}: behind =", ("dwell report --color=al\t", "ways"))
        typed(shell, f"{name}: all values", ("dwell record --clock \t\t", "itimer"))
        typed(shell, f"{name}: a command", ("dwell record -F 99 mkfif\t", "o "))
        typed(shell, f"{name}: no verb, but a command", ("dwell mkfif\t", "o "))
        typed(shell, f"{name}: a format", ("dwell export -f spee\t", "dscope"))
        typed(shell, f"{name}: a function of a recording", (f"dwell report {folder}/other --focus setl\t", "ocale"))
        if name == "zsh":
            typed(shell, "zsh: options with what they are for", ("dwell report --\t", "show each function below its callers"))
            typed(shell, "zsh: verbs too", ("dwell \t", "show a recording"))
        shell.end()


# ---- fish ----

def offered_by_fish(line, cwd=None):
    """Returns fish's completions of a line, which have a description behind a tab."""
    env = dict(os.environ, PATH=f"{os.path.dirname(DWELL)}:{os.environ['PATH']}")
    answer = subprocess.run(["fish", "--no-config", "-c", f"source {FOLDER}/dwell.fish; complete -C {shlex.quote(line)}"],
                            capture_output=True, text=True, check=False, cwd=cwd, env=env)
    if answer.stderr:
        note(answer.stderr)
    return [word.split("\t")[0] for word in answer.stdout.splitlines()]


def fish(folder):
    if not shutil.which("fish"):
        skip("fish", "it is not installed")
        return
    ok(set(offered_by_fish("dwell ")) >= {*verbs(), "--help", "--version"}, "fish: verbs")
    for verb in verbs():
        options, got = options_of(verb), set(offered_by_fish(f"dwell {verb} --"))
        ok(got == {name for name in options if name.startswith("--")}, f"fish: {verb}: all options")
    for line, wanted in (("report --format j", ["json"]), ("report --color=al", ["--color=always"]), ("export -f spee", ["speedscope"]),
                         ("record --engine in", ["inside"]), ("record -F 99 mkfif", ["mkfifo"]), ("mkfif", ["mkfifo"]),
                         ("report --tree oth", ["other"]), ("record -o oth", ["other"]), ("record -- cat oth", ["other"]),
                         ("report other --focus setl", ["setlocale"]), ("ctl 1 sto", ["stop"]), ("report --limit ", [])):
        got = offered_by_fish(f"dwell {line}", cwd=folder)
        if not ok(got == wanted, f"fish: {line}"):
            note(got)
    ok("--format" not in offered_by_fish("dwell record cat --f"), "fish: options of a command are not ours")


def main():
    with tempfile.TemporaryDirectory() as folder:
        words(folder)
    with tempfile.TemporaryDirectory() as folder:
        functions(folder)
        at_the_keyboard(folder)
        fish(folder)
    with tempfile.TemporaryDirectory() as folder:
        all_options(folder)
    done()


if __name__ == "__main__":
    main()
