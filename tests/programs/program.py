# SPDX-License-Identifier: MIT
"""program.py - the description of a real program: how to get it, what to run, and which part of its output differs from
one plain run to the next. README.md says how to add one."""
import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import Callable


@dataclass
class Rule:
    """Something that two plain runs do not have in common, and so is not compared. The harness shows that each rule is
    needed: without it, two plain runs differ. by_chance: now and then they do not, and it says so."""

    why: str
    change: Callable  # bytes -> bytes
    by_chance: bool = False

    @staticmethod
    def replace(pattern, replacement, why, by_chance=False):
        compiled = re.compile(pattern, re.M)
        return Rule(why, lambda content: compiled.sub(replacement, content), by_chance)

    @staticmethod
    def sort_lines(why):
        return Rule(why, lambda content: b"\n".join(sorted(content.split(b"\n"))), by_chance=True)


class Program:
    """One row of the table. A subclass says what is different from this; name and what are the least."""

    name = ""  # of the row, and on the command line
    what = ""  # what is run, in words
    packages = ()  # of Debian
    version_command = ()  # prints the program's version, among other words
    stdin = None  # a path, for runs that read something
    rules = ()  # for stdout, stderr and the content of files alike
    ignored_files = ()  # patterns (re.fullmatch) of files that are not compared
    objects = ()  # objects that must have samples, each a part of a name
    libraries = ("libc.so",)  # libraries of which calls must have been counted
    has_strays = False  # whether processes outlive it, or are not waited for: then CPU time cannot be compared
    runs_by_time = False  # whether it goes on for so many seconds, whatever it gets done: then CPU time tells nothing
    says = ""  # a pattern of lines that dwell may add to stderr, of what it could not record
    refused = ""  # for what cannot be recorded: words of the sentence that must say so
    quick = False  # whether it takes so little that ./dev check runs it
    user = ""  # whom it is run as, and dwell with it, if we are root
    timeout_s = 600

    def version(self):
        if not self.version_command:
            return ""
        answer = subprocess.run(self.version_command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        said = answer.stdout.decode(errors="replace").strip().split("\n")[0]
        number = re.search(r"\d+(\.\d+)+[^\s,()]*", said)
        return number[0] if number else said

    def missing(self):
        """Returns why this cannot be run here at all; empty if it can be."""
        command = self.version_command[:1]
        return "" if not command or shutil.which(command[0]) else f"there is no {command[0]}"

    def prepare(self, given):
        """Puts the input of all runs into the folder `given`; called once, before them."""

    def arrange(self, given, here):
        """Copies files that a run will change to the empty folder `here`, in which it begins; called before each run."""

    def command(self, given):
        """Returns the words to run; `given` is the folder that prepare() filled."""
        raise NotImplementedError

    def environment(self):
        """Returns variables that are set for plain runs and others alike."""
        return {}

    def perform(self, launch, given):
        """Makes one run: starts the program by `launch`, and returns an Outcome."""
        return launch.run(self.command(given), stdin=self.stdin, timeout_s=self.timeout_s)

    def normalise(self, content, without=None):
        for rule in self.rules:
            if rule is not without:
                content = rule.change(content)
        return content


def write(path, content):
    with open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
