#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""top.py DWELL PROGRAMS - `dwell top` as a user sees it: in a terminal (tmux, which reports the contents of its
screen and the state of the terminal), and as plain tables.

The target spends three quarters of its time in hot_work() and one quarter in another function, so their order does
not depend on chance: hot_work() would have to get less than half of the 100 samples or more in a table.
"""
import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from attached import children_of  # noqa: E402
from surroundings import cleared  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

DWELL, PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:3])
TARGET = os.path.join(PROGRAMS, "top_target")
TIMEOUT_S = 60  # for what should be there at once, on a machine that has other things to do
HOT = r"^ *([\d.]+)% +([\d.]+)%.* hot_work +top_target"


def environment(folder, **more):
    return {**cleared("LC_", "TMUX"), "LANG": "C.UTF-8", "TMPDIR": f"{folder}/tmp", **more}


def dwell(folder, *words, **more):
    return subprocess.run([DWELL, *words], capture_output=True, text=True, timeout=TIMEOUT_S, env=environment(folder),
                          check=False, **more)


def is_clean(folder):
    """Returns true if no temporary file is left."""
    return not os.listdir(f"{folder}/tmp")


def is_there(pid):
    """Returns true if the process runs; a zombie does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds=TIMEOUT_S):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


class Server:
    """A running process."""

    def __enter__(self):
        self.process = subprocess.Popen([TARGET], stdout=subprocess.PIPE, text=True)
        self.pid = int(self.process.stdout.readline().split()[1])
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def goes_on(self):
        """Returns true if it lives and uses CPU time."""
        def used():
            with open(f"/proc/{self.pid}/schedstat", encoding="utf-8") as stat:
                return int(stat.read().split()[0])
        before = used()
        return self.process.poll() is None and wait_until(lambda: used() > before)


class Terminal:
    """A shell in a terminal, and the contents of its screen."""

    opened = []

    def __init__(self, folder, columns=80, lines=24, **more):
        self.opened.append(self)
        self.socket = os.path.join(folder, f"tmux{time.monotonic_ns()}")
        self.environment = environment(folder, PS1="$ ", **more)
        # The user's shell gets this line, and not every shell makes way for its last command.
        self.tmux("-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", str(columns), "-y", str(lines), "exec sh")
        self.tmux("set-option", "-g", "window-size", "manual")
        self.type("echo re''ady\n")
        self.shows("ready")
        self.modes = self.ask_modes()

    def tmux(self, *words):
        return subprocess.run(["tmux", "-u", "-S", self.socket, *words], capture_output=True, text=True,
                              timeout=TIMEOUT_S, env=self.environment, check=False).stdout

    def type(self, text):
        for line in text.splitlines(keepends=True):
            if line.rstrip("\n"):
                self.tmux("send-keys", "-t", "t", "-l", line.rstrip("\n"))
            if line.endswith("\n"):
                self.tmux("send-keys", "-t", "t", "Enter")

    def press(self, *keys):
        for key in keys:
            self.tmux("send-keys", "-t", "t", key)

    def text(self):
        return self.tmux("capture-pane", "-p", "-t", "t")

    def shows(self, pattern, seconds=TIMEOUT_S):
        if wait_until(lambda: re.search(pattern, self.text(), re.M), seconds):
            return True
        note(f"'{pattern}' is not to be seen:\n{self.text()}")
        return False

    def rows(self):
        """Returns the names of functions or threads, from the top down."""
        lines = self.text().splitlines()[4:-1]
        return [re.split(r"\s{2,}", line[28:].strip())[0] for line in lines if line.strip()]

    def is_alternate(self):
        return self.tmux("display-message", "-p", "-t", "t", "#{alternate_on} #{cursor_flag}").split()

    def ask_modes(self):
        """Returns stty's output for the descriptor of the terminal: nothing has to be typed for that."""
        tty = self.tmux("display-message", "-p", "-t", "t", "#{pane_tty}").strip()
        return subprocess.run(["stty", "-F", tty, "-g"], capture_output=True, text=True, check=False).stdout

    def send(self, name):
        """Sends a signal to the dwell that runs in it. Returns false if none does."""
        children = children_of(self.tmux("display-message", "-p", "-t", "t", "#{pane_pid}").strip())
        if not children:
            note(f"no dwell to send SIG{name} to:\n{self.text()}")
            return False
        os.kill(children[0], getattr(signal, f"SIG{name}"))
        return True

    def resize(self, columns, lines):
        self.tmux("resize-window", "-t", "t", "-x", str(columns), "-y", str(lines))

    def start(self, *words):
        # Clears the screen, so that earlier output is not mistaken for the new one.
        self.type(" ".join(["clear;", DWELL, "top", *words, "; echo status $?"]) + "\n")
        return self.shows(r"^dwell top, ")

    def has_left(self, status):
        """Returns true if dwell has ended with that status and the terminal is as it was before."""
        good = self.shows(rf"^status {status}\b")
        # The shell changes modes while it waits for a line, as it did when they were read.
        good = wait_until(lambda: self.is_alternate() == ["0", "1"], 5) and good
        good = wait_until(lambda: self.ask_modes() == self.modes, 5) and good
        if not good:
            note(f"{self.is_alternate()} {self.ask_modes()} instead of {self.modes}\n{self.text()}")
        return good

    def close(self):
        self.tmux("kill-server")


def a_command(folder):
    terminal = Terminal(folder)
    ok(terminal.start("--", TARGET) and terminal.shows(HOT) and terminal.is_alternate() == ["1", "0"],
       "a command: the hottest function is to be seen, on a screen of its own")
    # The first look may come after a few samples.
    ok(wait_until(lambda: terminal.rows()[:1] == ["hot_work"] and "grün_work" in terminal.rows(), TIMEOUT_S),
       "it is the first; names are shown as they are")
    ok(terminal.shows(r"CPU \d+\.\d%, 2 threads in 1 process; 999 Hz requested, [\d,]+ achieved; \d+ lost"),
       "the lines above tell how well that is known")
    pid = int(re.search(r"pid (\d+)", terminal.text())[1])
    terminal.press("o")
    ok(terminal.shows(r"^said \\x1b\[31mthis"), "o: what the command has said, of which nothing reached the terminal")
    terminal.press("o", "h")
    ok(terminal.shows("Ctrl-C +leave"), "h: the keys")
    terminal.press("Escape")
    ok(terminal.shows(HOT), "Esc: back")
    terminal.press("q")
    ok(terminal.has_left(0), "q: the terminal is as before")
    ok(wait_until(lambda: not is_there(pid)), "the command has been ended")
    ok(is_clean(folder), "and nothing is left of it on the disk")
    terminal.start("--", TARGET)
    terminal.shows(HOT)
    pid = int(re.search(r"pid (\d+)", terminal.text())[1])
    terminal.close()
    ok(wait_until(lambda: not is_there(pid) and is_clean(folder)), "a terminal that goes takes both with it")


def views(terminal):
    terminal.press("s")
    ok(terminal.shows(r"self +total\*"), "s: sorted by total")
    # Functions that only call others are on top.
    ok(wait_until(lambda: terminal.rows()[:1] not in ([], ["hot_work"])), "other functions come first")
    terminal.press("<")
    ok(terminal.shows(r"self\* +total") and wait_until(lambda: terminal.rows()[:1] == ["hot_work"]), "<: by self again")
    terminal.press("Enter")
    ok(terminal.shows(r"^around hot_work") and terminal.shows(r"called by +caller_of_both"), "Enter: who calls it")
    terminal.press("Home", "Enter")
    ok(terminal.shows(r"^around caller_of_both") and terminal.shows(r"calls +hot_work"), "and whom that calls")
    terminal.press("BSpace", "BSpace")
    ok(terminal.shows(r"^functions, "), "Backspace: back")
    terminal.press("t")
    ok(terminal.shows(r"^threads, ") and terminal.shows(r"si\\x1b\[7mde"),
       "t: threads, whose names do nothing to the terminal")
    terminal.press("Down", "Enter")
    ok(terminal.shows(r"^functions of si") and terminal.shows("side_work"), "Enter: the functions of one")
    ok(wait_until(lambda: "hot_work" not in terminal.rows()), "and of no other")
    terminal.press("Escape", "t")
    terminal.type("/GRÜN")
    # Only ASCII letters have upper and lower case.
    ok(terminal.shows(r"filter: GRÜN_"), "/: a filter is typed")
    terminal.press("Escape")
    terminal.type("/*:*n_work\n")
    ok(terminal.shows(r"filter: \*:\*n_work$") and wait_until(lambda: terminal.rows() == ["grün_work"]),
       "a pattern shows what it matches")
    terminal.press("Escape")
    ok(wait_until(lambda: "hot_work" in terminal.rows()), "Esc: all again")


def freezing(terminal):
    terminal.press("f")
    ok(terminal.shows("FROZEN"), "f: frozen")
    before = terminal.text()
    seconds = int(re.search(r"dwell top, (\d+) s", before)[1])
    moved = terminal.shows(rf"dwell top, ({seconds + 3}|{seconds + 4}|{seconds + 5}) s")
    after = terminal.text()
    ok(moved and before.splitlines()[2:] == after.splitlines()[2:], "seconds later, all figures are the same")
    terminal.press("Space")
    ok(wait_until(lambda: "FROZEN" not in terminal.text()), "Space: it goes on")


def sizes(terminal):
    for columns, lines in ((200, 50), (40, 10), (10, 4), (2, 2), (1, 1), (80, 24)):
        terminal.resize(columns, lines)
        time.sleep(0.3)
    ok(terminal.shows(HOT) and len(terminal.rows()) > 3, "all sizes are survived, and at last it is whole again")
    terminal.resize(100, 30)
    ok(wait_until(lambda: terminal.text().splitlines()[-1].startswith("q quit")), "it fills the terminal")


def a_server(folder):
    with Server() as server:
        terminal = Terminal(folder)
        ok(terminal.start("-p", str(server.pid)) and terminal.shows(HOT), "a server: the hottest function is to be seen")
        views(terminal)
        freezing(terminal)
        sizes(terminal)
        terminal.press("C-z")
        ok(wait_until(lambda: terminal.is_alternate() == ["0", "1"]), "Ctrl-Z: the shell's screen")
        terminal.type("fg; echo status $?\n")
        ok(wait_until(lambda: terminal.is_alternate() == ["1", "0"]) and terminal.shows(HOT), "fg: and back")
        terminal.press("q")
        ok(terminal.has_left(0), "q: the terminal is as before")
        ok(server.goes_on(), "and the server goes on")
        terminal.close()
        for name, status in (("INT", 0), ("TERM", 143), ("HUP", 129), ("SEGV", 139), ("ABRT", 134)):
            terminal = Terminal(folder)
            terminal.start("-p", str(server.pid))
            terminal.shows(HOT)
            sent = name == "INT" or terminal.send(name)
            if name == "INT":
                terminal.press("C-c")
            ok(sent and terminal.has_left(status), f"SIG{name}: the terminal is as before, exit status {status}")
            ok(is_clean(folder) and server.goes_on(), "no file is left, and the server goes on")
            terminal.close()


def endings(folder):
    terminal = Terminal(folder)
    terminal.start("--", TARGET, "1.5", "3")
    ok(terminal.shows(r"ENDED, exit status 3") and terminal.shows(HOT), "the last seconds of a command stay to be seen")
    terminal.press("q")
    ok(terminal.has_left(3), "and its exit status is ours")
    terminal.start("--", TARGET)
    terminal.shows(HOT)
    pid = int(re.search(r"pid (\d+)", terminal.text())[1])
    sent = terminal.send("SEGV")
    ok(sent and terminal.has_left(139) and wait_until(lambda: not is_there(pid)) and is_clean(folder),
       "a crash of ours leaves no command behind")
    terminal.type("clear\n")
    terminal.type(f"{DWELL} top -- ./nothing-here; echo status $?\n")
    ok(terminal.shows("dwell top: .*nothing-here") and terminal.shows("^status 2"),
       "a command that is not there: one sentence")
    terminal.close()
    terminal = Terminal(folder, NO_COLOR="1")
    terminal.start("--", TARGET)
    terminal.shows(HOT)
    coloured = terminal.tmux("capture-pane", "-p", "-e", "-t", "t")
    ok("\x1b[31m" not in coloured and "\x1b[36m" not in coloured, "NO_COLOR: there are none")
    terminal.press("q")
    terminal.close()
    terminal = Terminal(folder)
    terminal.type("TERM=nothing-known " + DWELL + " top -- true; echo status $?\n")
    ok(terminal.shows("dwell top: unknown terminal type 'nothing-known'") and terminal.shows("^status 2"),
       "a terminal that is not known: one sentence")
    terminal.close()


def batch(folder):
    answer = dwell(folder, "top", "--batch", "-n", "2", "-d", "1", "--limit", "3", "--", TARGET)
    tables = [table for table in answer.stdout.split("\n\n") if table.strip()]
    ok(answer.returncode == 0 and len(tables) == 2 and not answer.stderr, "--batch -n 2: two tables, and no more")
    ok(all(len(table.splitlines()) == 7 for table in tables), "of three rows each")
    if not ok(all("hot_work" in table.splitlines()[4] for table in tables), "the hottest function first"):
        note(answer.stdout)
    ok("said" not in answer.stdout, "without what the command says")
    answer = dwell(folder, "top", "--batch", "--log", f"{folder}/log", "--", TARGET, "0.5", "5")
    with open(f"{folder}/log", encoding="utf-8") as log:
        ok("said" in log.read(), "--log: that is there")
    ok(answer.returncode == 5 and "ENDED, exit status 5" in answer.stdout and "hot_work" in answer.stdout,
       "a command that ends has the last word")
    # The table covers all CPU time of the command. In its first second, the kernel's ticks may all miss the second thread.
    answer = dwell(folder, "top", "--batch", "-d", "3600", "--window", "600", "--by", "thread", "--", TARGET, "0.5")
    ok("top_target" in answer.stdout and "\\x1b[7m" in answer.stdout, "--by thread")
    answer = dwell(folder, "top", "--batch", "-d", "3600", "--window", "600", "--by", "program", "--", "sh", "-c",
                   f"{TARGET} 0.1; {TARGET} 0.1; true")
    ok(re.search(r"^ *cpu +share +program +processes\n *[\d.]+% +[\d.]+% +top_target +2$", answer.stdout, re.M),
       "--by program: a row for all processes of one, with their number")
    answer = dwell(folder, "top", "--batch", "-n", "1", "-f", "grün", "--", TARGET)
    ok("grün_work" in answer.stdout and "hot_work" not in answer.stdout, "--filter")
    script = f"{DWELL} top --batch -d 0.3 --limit 3 -- {TARGET} | head -n 1; echo; echo done"
    answer = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
                            env=environment(folder))
    pid = int(re.search(r"pid (\d+)", answer.stdout)[1])
    ok("done" in answer.stdout and not answer.stderr and wait_until(lambda: not is_there(pid)),
       "when its reader is gone, it ends, and the command with it")
    answer = dwell(folder, "top", "--batch", "-n", "1", "--", "sh", "-c", f"cat > {folder}/input; exec {TARGET}",
                   input="given")
    with open(f"{folder}/input", encoding="utf-8") as given:
        ok(given.read() == "given", "the command has its input")
    data = f"{folder}/kept.data"
    dwell(folder, "top", "--batch", "-n", "1", "-o", data, "--", TARGET)
    ok("hot_work" in dwell(folder, "report", data).stdout, "-o: the recording is kept, for dwell report")
    ok(is_clean(folder), "no temporary file is left")


def inlined(folder):
    """Checks names of inlined functions, which --no-inline leaves out."""
    target = os.path.join(PROGRAMS, "long_names")
    if not os.path.exists(target):
        skip("inlined functions", "there is no compiler for C++")
        return
    words = ("top", "--batch", "-n", "1", "-d", "1", "--sort", "total", "--limit", "9")
    shown = dwell(folder, *words, "--", target, "5").stdout
    ok(re.search(r"^ *[\d.]+% +[\d.]+% +ledger::accounts::\(anonymous namespace\)::stir +lib", shown, re.M), "inlined functions have rows")
    ok(re.search(r" ledger::accounts::Book<\.\.\.>::recalculate\(\.\.\.\) ", shown), "names are short")
    shown = dwell(folder, *words, "--no-inline", "--long", "--", target, "5").stdout
    ok("stir" not in shown and "std::__cxx11::basic_string<char" in shown, "--no-inline: none have; --long: names are whole")


def waiting(folder):
    """Checks threads that wait, and where."""
    words = ("top", "--batch", "-n", "1", "-d", "2", "--clock", "wall", "--sort", "waiting")
    shown = dwell(folder, *words, "--", "sleep", "5").stdout
    # Its callers wait as long, or a sample longer: they may come first. With glibc 2.41 it calls another function for that.
    row = re.search(r"^ *self +total +waiting +function +object\n(?:.*\n)*? *[\d.]+% +([\d.]+)% +([\d.]+)% +clock_nanosleep ", shown, re.M)
    waits = [float(share) for share in re.findall(r"^ *[\d.]+% +[\d.]+% +([\d.]+)% ", shown, re.M)]
    if not ok(row and float(row[1]) > 90 and float(row[2]) > 90 and waits == sorted(waits, reverse=True),
              "--clock wall: a thread that waits is shown where it does"):
        note(shown)
    shown = dwell(folder, *words, "--by", "thread", "--", "sleep", "5").stdout
    row = re.search(r"^ *([\d.]+)% +([\d.]+)% +([\d.]+)% +sleep ", shown, re.M)
    if not ok(row and float(row[1]) < 50 <= float(row[3]) <= float(row[2]), "as a thread: little CPU time, and much waiting"):
        note(shown)


def dumb(folder):
    """Checks that a terminal that cannot move its cursor has plain tables that fit."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    answer = subprocess.Popen([DWELL, "top", "-n", "1", "--limit", "3", "--", TARGET], stdin=slave, stdout=slave, stderr=slave,
                              env=environment(folder, TERM="dumb"))
    os.close(slave)
    shown = b""
    while True:
        try:
            shown += os.read(master, 65536)
        except OSError:
            break
    os.close(master)
    lines = shown.decode().replace("\r", "").split("\n")
    ok(answer.wait() == 0 and "\x1b" not in shown.decode() and any(" hot_work " in line for line in lines), "TERM=dumb: a plain table")
    ok(all(len(line) <= 60 for line in lines[3:]), "of 60 columns, where there are no more")


def shares_of(text):
    """Returns the self shares of a table, by function."""
    rows = (re.match(r" *([\d.]+)% +[\d.]+% +(\S+) ", line) for line in text.splitlines())
    return {row[2]: float(row[1]) for row in rows if row}


def like_report(folder, engine):
    """Checks that a window that covers all of it agrees with dwell report of the same recording. Both round to a
    tenth."""
    data = f"{folder}/{engine}.data"
    answer = dwell(folder, "top", "--batch", "-d", "0.5", "--window", "600", "--engine", engine, "-o", data, "--", TARGET,
                   "1.5")
    shown = shares_of(answer.stdout.strip().split("\n\n")[-1])
    report = json.loads(dwell(folder, "report", "--format", "json", data).stdout)
    whole = sum(row["self_ns"] for row in report["samples"])
    recorded = {row["name"]: 100 * row["self_ns"] / whole for row in report["samples"]}
    works = ("hot_work", "grün_work", "side_work")
    good = all(abs(shown.get(name, -1) - recorded.get(name, -2)) <= 0.1 for name in works)
    if not ok(good and "[unknown]" not in shown, f"from {engine}: of all time, it says what dwell report says"):
        note(f"{shown}\n{recorded}")


def batch_of_server(folder):
    with Server() as server:
        answer = dwell(folder, "top", "--batch", "-n", "1", "-d", "2", "-p", str(server.pid))
        ok(answer.returncode == 0 and re.search(HOT, answer.stdout, re.M), "--batch -p")
        ok(server.goes_on(), "the server goes on")
        process = subprocess.Popen([DWELL, "top", "--batch", "-p", str(server.pid)], stdout=subprocess.PIPE, text=True,
                                   env=environment(folder))
        process.stdout.readline()
        server.process.kill()
        text = process.communicate(timeout=TIMEOUT_S)[0]
        ok(process.returncode == 0 and "ENDED" in text, "when it has ended, so does dwell top")


MISTAKES = [
    ([], "missing COMMAND or -p PID"),
    (["-p", "x"], "invalid PID list 'x'"),
    (["-p", "1", "--batch", "true"], "not both"),
    (["--", "true"], "stdout is not a terminal"),
    (["--batch", "-n", "0", "true"], "invalid number of tables '0'"),
    (["-n", "1", "true"], "-n needs --batch"),
    (["--batch", "-d", "0", "true"], "invalid number of seconds '0': must be 0.1"),
    (["--batch", "--window", "1e9", "true"], "invalid number of seconds '1e9'"),
    (["--batch", "-F", "0", "true"], "invalid frequency '0'"),
    (["--batch", "--sort", "x", "true"], "unknown --sort column 'x'"),
    (["--batch", "--by", "x", "true"], "unknown --by value 'x'"),
    (["--batch", "--engine", "inside", "-p", "1"], "-p and --clock wall need --engine outside"),
    (["--batch", "--sort", "waiting", "true"], "--sort waiting needs --clock wall"),
    (["--batch", "--log", "x", "-p", "1"], "--log needs a COMMAND"),
    (["--batch", "--", "./nothing-here"], "nothing-here"),
    (["--batch", "-o", "/dev/null", "true"], "/dev/null"),
    (["--nothing"], "unknown option '--nothing'"),
]


def mistakes(folder):
    for words, sentence in MISTAKES:
        answer = dwell(folder, "top", *words)
        if not ok(answer.returncode == 2 and sentence in answer.stderr and answer.stderr.count("\n") == 1,
                  f"one sentence: {' '.join(words) or 'nothing'}"):
            note(answer)
    for pid in ("999999999", "2"):
        recorded = dwell(folder, "record", "-o", f"{folder}/x.data", "-p", pid).stderr
        shown = dwell(folder, "top", "--batch", "-p", pid).stderr
        ok(recorded.replace("dwell record:", "") == shown.replace("dwell top:", "") and shown.count("\n") == 1,
           f"process {pid}: the sentence of dwell record")
    ok(is_clean(folder), "and no temporary file is left")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/tmp")
        mistakes(folder)
        batch(folder)
        inlined(folder)
        dumb(folder)
        like_report(folder, "inside")
        refused = dwell(folder, "record", "--engine", "outside", "-o", f"{folder}/try.data", "true")
        if refused.returncode == 2:
            skip("processes that run", refused.stderr.strip())
        else:
            batch_of_server(folder)
            waiting(folder)
            like_report(folder, "outside")
        if not shutil.which("tmux"):
            skip("the screen", "tmux is not installed")
        else:
            try:
                a_command(folder)
                endings(folder)
                if refused.returncode != 2:
                    a_server(folder)
            finally:
                for terminal in Terminal.opened:
                    terminal.close()
    done()


if __name__ == "__main__":
    main()
