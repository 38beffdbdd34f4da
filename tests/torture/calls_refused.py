#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_refused.py DWELL FOLDER - programs that cannot be profiled are refused with one sentence and not run;
programs that only look like it are profiled; and a program that discards dwell's environment runs as it would."""
import os
import pwd
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_runner import Runner, judge, read_expectations, run  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import done, note, ok, skip  # noqa: E402

# The offset of the machine in an ELF header, and a machine that is not in use any more.
MACHINE, EM_VAX = 18, 75


class Refused:
    """Copies of calls_marker, each with a defect."""

    def __init__(self, runner):
        self.runner = runner
        self.marker = runner.in_scratch("marker")

    def copy(self, name, mode=0o755, change=None, source="calls_marker"):
        path = self.runner.in_scratch(name)
        shutil.copy(self.runner.path(source), path)
        if change:
            with open(path, "r+b") as file:
                content = bytearray(file.read())
                change(content)
                file.seek(0)
                file.write(content)
                file.truncate()
        os.chmod(path, mode)
        return path

    def point(self, what, path, *words):
        """Checks for a refusal, by a sentence that contains one of these words."""
        outcome, report, _ = self.runner.profile(["-f", "*"], [path, self.marker])
        one_sentence = outcome.stderr.count("\n") == 1 and outcome.stderr.startswith("dwell calls: ")
        has_run = os.path.exists(self.marker) or "has run" in outcome.stdout
        if has_run and os.path.exists(self.marker):
            os.unlink(self.marker)
        if not ok(outcome.status == 2 and one_sentence and not has_run and not report and
                  any(word in outcome.stderr for word in words), f"{what} is refused: {outcome.stderr.strip()}"):
            note(f"{outcome}{'it was run' if has_run else ''}")

    def of_another(self):
        def other_machine(content):
            content[MACHINE:MACHINE + 2] = EM_VAX, 0

        self.point("a program for another CPU", self.copy("foreign", change=other_machine), "CPU")

    def no_program(self):
        self.point("a static program", self.runner.path("calls_static"), "static")
        self.point("a file that cannot be executed", self.copy("plain", mode=0o644), "/plain': Permission denied")
        self.point("a directory", self.runner.scratch, "directory")
        self.point("a missing file", "/no/such/program", "No such file")
        self.point("a name that is not in $PATH", "no-such-program", "in PATH")
        self.script("an interpreter that is not there", "lost", "#!/no/such/interpreter\n")

    def run_anyway(self):
        outcome, report, _ = self.runner.profile(["--run-anyway", "-f", "*"],
                                                 [self.runner.path("calls_static"), self.marker])
        has_run = os.path.exists(self.marker) and outcome.stdout == "has run\n"
        if not ok(outcome.status == 0 and has_run and not report and outcome.stderr.count("\n") == 1 and
                  "static" in outcome.stderr, "a static program is run with --run-anyway, which says why alone"):
            note(outcome)
        if os.path.exists(self.marker):
            os.unlink(self.marker)

    def script(self, what, name, text):
        path = self.runner.in_scratch(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        self.point(what, path, "interpreter", "No such file")

    def privileged(self):
        """Checks programs for which the linker would ignore LD_PRELOAD and LD_AUDIT."""
        if os.geteuid() != 0:
            skip("a setuid program", "it takes root to make one that has another user")
            return
        if os.statvfs(self.runner.scratch).f_flag & os.ST_NOSUID:
            skip("a setuid program", "the folder for temporary files is mounted with nosuid")
            return
        nobody = pwd.getpwnam("nobody")
        for what, mode, uid, gid in (("setuid", 0o4755, nobody.pw_uid, -1), ("setgid", 0o2755, -1, nobody.pw_gid)):
            path = self.copy(what)
            os.chown(path, uid, gid)
            os.chmod(path, mode)
            self.point(f"a {what} program", path, what, "privilege")


def scripts(runner):
    """Checks that the interpreter and the programs that it starts are profiled."""
    command, expectations = runner.command("calls_scarcity", "just_work")
    path = runner.in_scratch("script")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh -e\n" + " ".join(f"'{word}'" for word in command) + "\nexit 7\n")
    os.chmod(path, 0o755)
    plain = run([path], cwd=runner.scratch)
    os.unlink(expectations)
    outcome, report, problem = runner.profile(["-f", "libcalls*:*,libc.so*:*"], [path])
    problems = judge(report, read_expectations(expectations)) if report else [problem]
    if not ok(plain.status == 7 and outcome == plain and not problems, "a script runs, and its child is counted"):
        note(f"{plain}{outcome}{problems}")
    outcome, report, problem = runner.profile(["-f", "libc.so*:*", "--no-follow"], [path])
    calls = sum(row["calls"] for row in report["calls"]) if report else 0
    if not ok(outcome == plain and calls > 100, "and its interpreter: " f"{calls} calls of libc"):
        note(f"{outcome}{problem}")


def environment(runner):
    """Checks that programs without dwell's variables in their environment run as they are, and are reported as left
    out."""
    left_out = ("dwell calls: 1 program not recorded: executed in an environment without dwell's LD_PRELOAD and "
                "DWELL_DATA\n")
    for what, words, told in (
        ("LD_PRELOAD is replaced", ["env", "LD_PRELOAD=" + runner.path("libcalls_next.so")], left_out),
        ("LD_PRELOAD is removed", ["env", "-u", "LD_PRELOAD"], left_out),
        ("LD_AUDIT is removed", ["env", "-u", "LD_AUDIT"], ""),
        ("everything is removed", ["env", "-i"], left_out),
    ):
        command, _ = runner.command("calls_scarcity", "just_work")
        plain = run([*words, *command], cwd=runner.scratch)
        plain.stderr += told
        outcome, _, _ = runner.profile(["-f", "*"], [*words, *command])
        if not ok(outcome == plain and plain.status == 0, f"the program runs as without dwell where {what}"):
            note(f"{plain}{outcome}")


def limits(runner):
    """Checks programs with scarce resources: they run as without dwell, or are refused by one sentence."""
    for what, limit in (("100 MB of address space", "--as=104857600"), ("files of 4 KB", "--fsize=4096"),
                        ("10 descriptors", "--nofile=10"), ("256 KB of stack", "--stack=262144")):
        command, expectations = runner.command("calls_scarcity", "just_work")
        plain = run(["prlimit", limit, *command], cwd=runner.scratch)
        for left_over in (expectations, runner.in_scratch("data")):
            if os.path.exists(left_over):
                os.unlink(left_over)
        dwell = [runner.dwell, "calls", "-q", "-o", "data", "-f", "libcalls*:*", "--"]
        outcome = run(["prlimit", limit, *dwell, *command], cwd=runner.scratch)
        refused = outcome.status == 2 and not outcome.stdout
        works = outcome.status == plain.status and outcome.stdout == plain.stdout
        if not ok((refused or works) and outcome.stderr.count("\n") <= 1,
                  f"with {what}: {' '.join(outcome.stderr.split()) or 'as without dwell'}"):
            note(f"{plain}{outcome}")


def main(dwell, folder):
    runner = Runner(dwell, folder)
    refused = Refused(runner)
    refused.no_program()
    refused.run_anyway()
    refused.of_another()
    refused.privileged()
    scripts(runner)
    environment(runner)
    limits(runner)
    runner.close()
    done()


if __name__ == "__main__":
    main(*sys.argv[1:])
