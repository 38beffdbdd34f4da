#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_data.py DWELL PROGRAMS STATIC - a recording contains all that was counted, however the program ends and
whatever processes and threads it has; and dwell leaves the program's surroundings as they are.
"""
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_recording import (DWELL, OF_COMPILERS, OURS, VIAS, Recording, behaves, difference, environment, expectations,  # noqa: E402
                             explain, one_sentence, program, run, text)
from tap import done, note, ok, skip  # noqa: E402

STATIC = os.path.abspath(sys.argv[3])
SEVERAL_PIDS = ("fork", "spawn")

# (how sees_ends ends, in words)
ENDS = [
    (["exit", "0"], "returns 0"),
    (["exit", "3"], "returns 3"),
    (["_exit", "4"], "_exit()"),
    (["abort"], "abort()"),
    (["signal", "9"], "SIGKILL"),
    (["signal", "15"], "SIGTERM"),
    (["signal", "11"], "SIGSEGV"),
    (["exec", "0", "ANOTHER"], "exec of another program"),
    (["fork", "5"], "fork()"),
    (["spawn", "0", "ANOTHER"], "fork() and exec"),
]


def ends(folder):
    another = f"{folder}/another"
    os.symlink(program("sees_ends"), another)
    for arguments, title in ENDS:
        arguments = [another if argument == "ANOTHER" else argument for argument in arguments]
        plain = run(program("sees_ends"), *arguments)
        for via in VIAS:
            recording = Recording(program("sees_ends"), *arguments, options=["-f", OURS, "--via", via])
            shown = f"{title}, --via {via}"
            behaves(plain, recording.run, shown)
            wrong = difference(expectations(plain.stdout), recording.rows)
            if not ok(recording.rows and not wrong, f"{shown}: what was counted is not lost"):
                note("\n".join(wrong))
            processes = 2 if arguments[0] in SEVERAL_PIDS else 1
            ok(int(recording.meta.get("processes", 0)) == processes, f"{shown}: {processes} process(es)")


def processes(folder):
    another = f"{folder}/other_program"
    os.symlink(program("sees_ends"), another)
    by_process = {"report": ["--by", "process"]}
    recording = Recording(program("sees_ends"), "fork", **by_process)
    counts = sorted(row["calls"] for row in recording.rows if row["symbol"] == "sees_add")
    ok(counts == [3, 5], "--by process: parent and child have rows of their own")
    ok(len({row["pid"] for row in recording.rows}) == 2, "and pids of their own")
    recording = Recording(program("sees_ends"), "spawn", "0", another, **by_process)
    commands = {row["symbol"]: row["command"] for row in recording.rows if row["calls"]}
    ok("sees_ends" in commands.get("sees_add", "") and "other_program" in commands.get("sees_twice", ""),
       "--by process: a program that was executed has its own command")
    note(commands)
    recording = Recording(program("sees_ends"), "exec", "0", another, **by_process)
    commands = {row["symbol"]: row["command"] for row in recording.rows if row["calls"]}
    ok("sees_ends" in commands.get("sees_add", "") and "other_program" in commands.get("sees_twice", ""),
       "--by process: so it does where the process is the same")
    note(commands)


def not_followed():
    for how, shown in (["fork", "5"], "fork()"), (["spawn"], "fork() and exec"):
        plain = run(program("sees_ends"), *how)
        recording = Recording(program("sees_ends"), *how, options=["-f", OURS, "--no-follow"])
        behaves(plain, recording.run, f"--no-follow, {shown}")
        found = {row["symbol"]: row["calls"] for row in recording.rows if row["calls"]}
        ok(found == {"sees_add": 5}, f"--no-follow, {shown}: only the first process is recorded")
        ok(int(recording.meta.get("processes", 0)) == 1, f"--no-follow, {shown}: one process")


def threads():
    for via in VIAS:
        recording = Recording(program("sees_threads"), options=["-f", OURS, "--via", via, "--by-thread"],
                              report=["--by", "thread"])
        rows = [row for row in recording.rows if row["symbol"] == "sees_add" and row["calls"]]
        ok(sorted(row["calls"] for row in rows) == [100, 200, 300, 450],
           f"--by-thread, --via {via}: each thread's calls are its own")
        ok(len({row["tid"] for row in rows}) == 4 and len({row["pid"] for row in rows}) == 1,
           f"--by-thread, --via {via}: four threads of one process")
        main = [row for row in rows if row["calls"] == 450]
        ok(main and main[0]["tid"] == main[0]["pid"], f"--by-thread, --via {via}: the main one's id is the process's")
        ok(int(recording.meta.get("threads", 0)) == 4, f"--by-thread, --via {via}: their number is reported")


def callers_found(via):
    recording = Recording(program("sees_threads"), options=["-f", OURS, "--via", via, "--by-caller=object"],
                          report=["--by", "caller"])
    return {(row["caller"], row["symbol"]): row["calls"] for row in recording.rows
            if row["calls"] and row["symbol"] not in OF_COMPILERS}


def callers():
    """Checks callers several times, since the first calls of the threads come at the same time as that of the main
    one."""
    expected = {("sees_threads", "sees_add"): 1000, ("libsees_upper.so", "sees_add"): 50,
                ("sees_threads", "sees_sum"): 1}
    for via in VIAS:
        wrong = [found for found in (callers_found(via) for _ in range(20)) if found != expected]
        if not ok(not wrong, f"--by-caller=object, --via {via}: a row for each that calls, 20 times"):
            note(f"{len(wrong)} times not, as in {wrong[0]}")


def calling_functions():
    """Checks callers of all kinds: they are named as samples are. The program writes the map of its JIT."""
    for via in VIAS:
        options = ["-f", "sees_add", "--via", via, "--by-caller"]
        recording = Recording(program("sees_callers"), options=options, report=["--by", "caller"])
        printed = text(recording.run.stdout)
        expected = {name: int(calls) for name, calls in re.findall(r"^caller (\S+) (\d+)$", printed, re.M)}
        found = {row["caller"]: row["calls"] for row in recording.rows if row["calls"]}
        if not ok(len(expected) >= 4 and found == expected, f"--by-caller, --via {via}: a row for each function"):
            note(f"{found} instead of {expected}")
        objects = {row["caller"]: row["caller_object"] for row in recording.rows}
        ok(objects.get("plain_caller") == "sees_callers", f"--by-caller, --via {via}: and its object")
        ok(int(recording.meta.get("lost_callers", -1)) == 0, f"--by-caller, --via {via}: none is lost")
        for path in re.findall(r"^jit (/tmp/perf-\d+\.map)$", printed, re.M):
            os.unlink(path)


def calling_plugin():
    """Checks callers in a library that was opened, and closed before the end."""
    recording = Recording(program("sees_opens"), "now", options=["-f", "sees_add", "--by-caller"],
                          report=["--by", "caller"])
    rows = [row for row in recording.rows if row["caller_object"] == "libsees_plugin.so"]
    ok(rows and all(row["caller"].startswith("sees_plugin") for row in rows),
       f"--by-caller: functions of a library that was closed have their names {[row['caller'] for row in rows]}")


def added_up(folder):
    """Checks that callers can be reported by their objects, and are the same in an archive and after a merge."""
    data = f"{folder}/callers"
    calls("-q", "-f", OURS, "--by-caller", "-o", data, "--", program("sees_threads"))

    def rows_of(path, by):
        answer = json.loads(run(DWELL, "report", "--by", by, "--format", "json", path).stdout)
        return {(row["caller"], row["caller_object"], row["symbol"]): row["calls"] for row in answer["calls"]}

    objects = {(key[0], key[2]): count for key, count in rows_of(data, "caller-object").items() if count}
    ok(objects == {("sees_threads", "sees_add"): 1000, ("libsees_upper.so", "sees_add"): 50,
                   ("sees_threads", "sees_sum"): 1}, f"--by caller-object adds functions up: {objects}")
    run(DWELL, "archive", "-q", "-o", f"{data}.archive", data)
    ok(rows_of(f"{data}.archive", "caller") == rows_of(data, "caller"), "an archive has the same callers")
    calls("-q", "-f", OURS, "--by-caller", "-o", f"{data}.2", "--", program("sees_threads"))
    run(DWELL, "merge", "-o", f"{data}.merged", data, f"{data}.2")
    ok(rows_of(f"{data}.merged", "caller") == {key: 2 * count for key, count in rows_of(data, "caller").items()},
       "a merged recording has the callers of both")


def merged():
    """Checks that a detailed recording can be reported by function."""
    for option in ("--by-caller", "--by-caller=object", "--by-thread"):
        recording = Recording(program("sees_threads"), options=["-f", OURS, option])
        ok(recording.calls("sees_add") == 1050, f"{option}, reported by function: all are added up")


def calls(*arguments, **settings):
    return run(DWELL, "calls", *arguments, **settings)


def the_file(folder):
    data = f"{folder}/data"
    command = ["--", program("sees_ends"), "exit", "0"]
    calls("-q", "-f", OURS, "-o", data, *command)
    mode = stat.S_IMODE(os.stat(data).st_mode)
    ok(mode == 0o600, f"no other user may read a recording: {mode:o}")
    again = calls("-q", "-f", OURS, "-o", data, *command)
    report = run(DWELL, "report", data, "--format", "csv")
    ok(again.returncode == 0 and b",5," in report.stdout, "an older recording is replaced, not added to")
    os.mkdir(f"{folder}/here")
    calls("-q", "-f", OURS, *command, cwd=f"{folder}/here")
    ok(os.listdir(f"{folder}/here") == ["dwell.data"], "without -o it is ./dwell.data, and nothing else is left behind")
    ok(run(DWELL, "report", cwd=f"{folder}/here").returncode == 0, "which `dwell report` takes")


def refused_files(folder):
    """Checks that dwell refuses, before the program runs, to overwrite foreign files or to write where it
    cannot."""
    foreign, folder_itself = f"{folder}/foreign", f"{folder}/folder"
    with open(foreign, "w", encoding="ascii") as file:
        file.write("a letter to a friend\n")
    os.mkdir(folder_itself)
    trace = f"{folder}/trace"
    command = ["--", program("sees_world"), trace]
    cases = [
        (foreign, "a file that is not a recording"),
        (folder_itself, "a directory"),
        (f"{folder}/no/such/data", "a directory that is not there"),
        (f"{foreign}/data", "a file instead of a directory"),
        ("/proc/dwell.data", "a directory that cannot be written"),
    ]
    for path, title in cases:
        answer = calls("-f", OURS, "-o", path, *command)
        ok(one_sentence(answer) and not os.path.exists(trace),
           f"-o {title}: one sentence, 2, and the program is not run")
    with open(foreign, encoding="ascii") as file:
        ok(file.read() == "a letter to a friend\n", "the file that is not a recording is unchanged")
    read_only = f"{folder}/read_only"
    os.mkdir(read_only, 0o555)
    if os.access(read_only, os.W_OK):
        skip("-o in a directory without permission", "root has permission everywhere")
    else:
        answer = calls("-f", OURS, "-o", f"{read_only}/data", *command)
        ok(one_sentence(answer, "ermission") and not os.path.exists(trace), "-o in a directory without permission")


def refused_commands(folder):
    trace = f"{folder}/not_run"
    other_machine = f"{folder}/other_machine"
    with open(program("sees_world"), "rb") as whole, open(other_machine, "wb") as spoilt:
        content = bytearray(whole.read())
        content[18] ^= 1
        spoilt.write(content)
    os.chmod(other_machine, 0o755)
    plain_file = f"{folder}/plain_file"
    with open(plain_file, "w", encoding="ascii") as file:
        file.write("no program\n")
    cases = [
        (["no_such_program"], "no_such_program", "one that is not in PATH"),
        (["/no/such/program"], "No such file", "one that is not there"),
        ([folder], "directory", "a directory"),
        ([plain_file], f"cannot run '{plain_file}': Permission denied", "a file that may not be executed"),
        ([STATIC], "static", "a static program"),
        ([other_machine, trace], "", "one for another kind of CPU"),
    ]
    for command, words, title in cases:
        answer = calls("-f", OURS, "-o", f"{folder}/unused", "--", *command)
        ok(one_sentence(answer, words) and not os.path.exists(trace), f"COMMAND is {title}: one sentence and 2")
    setuid(folder)


def setuid(folder):
    """Checks setuid programs: the linker ignores LD_AUDIT and LD_PRELOAD there, so nothing could be recorded."""
    path = f"{folder}/privileged"
    if os.getuid() == 0:
        shutil.copy(program("sees_world"), path)
        os.chown(path, 65534, -1)
        os.chmod(path, 0o4755)
    else:
        path = next((path for path in ("/usr/bin/passwd", "/usr/bin/su", "/bin/mount") if os.path.exists(path)
                     and os.stat(path).st_mode & stat.S_ISUID), None)
    if path:
        answer = calls("-f", OURS, "-o", f"{folder}/unused", "--", path)
        ok(one_sentence(answer, "setuid"), "COMMAND is setuid: one sentence and 2")
    else:
        skip("COMMAND is setuid", "there is no such program here")


def refused_usage():
    command = program("sees_ends")
    cases = [
        ([], "COMMAND"),
        (["-f", OURS], "COMMAND"),
        ([command], "-f"),
        (["-f", "libc:", command], "invalid spec 'libc:': must be [OBJECT:]FUNCTION"),
        (["-f", "@/no/such/file", command], "cannot open the list of specs"),
        (["-f"], "option '-f' needs a value"),
        (["--via", "magic", "-f", OURS, command], "magic"),
        (["--format", "xml", "-f", OURS, command], "unknown format 'xml'"),
        (["--sort", "colour", "-f", OURS, command], "colour"),
        (["--limit", "many", "-f", OURS, command], "many"),
        (["--limit", "-1", "-f", OURS, command], "-1"),
        (["--frobnicate", "-f", OURS, command], "unknown option '--frobnicate'"),
        (["-Z", "-f", OURS, command], "unknown option '-Z'"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for arguments, words in cases:
            shown = " ".join(os.path.basename(argument) for argument in arguments)
            ok(one_sentence(calls(*arguments, cwd=folder), words), f"dwell calls {shown}: {words}")
        ok(os.listdir(folder) == [], "and no file is left behind")
    for arguments, words in ([["--by", "colour"], "colour"], [["a", "b"], "b"], [["--sort", "colour"], "colour"]):
        ok(one_sentence(run(DWELL, "report", *arguments), words), f"dwell report {' '.join(arguments)}: one sentence")


def help_texts():
    for verb in ("calls", "report"):
        for option in ("--help", "-h"):
            answer = run(DWELL, verb, option)
            ok(answer.returncode == 0 and b"usage: dwell " + verb.encode() in answer.stdout
               and b"example" in answer.stdout and not answer.stderr,
               f"dwell {verb} {option}: how to use it, with examples")
        ok(f"\n  {verb} " in text(run(DWELL, "--help").stdout), f"dwell --help names {verb}")


def options_of_the_command(folder):
    """Checks that words after the command belong to it, with -- and without."""
    data = f"{folder}/options.data"
    for separator in ([], ["--"]):
        answer = calls("-q", "-f", OURS, "-o", data, *separator, "/bin/echo", "-n", "-f", "--help", "--", "x")
        ok(answer.stdout == b"-f --help -- x", f"arguments of the command are its own {' '.join(separator)}")
    answer = calls("-q", "-f", OURS, "-o", data, "echo", "found in PATH")
    ok(answer.stdout == b"found in PATH\n", "the command is looked for in PATH")
    script = f"{folder}/script"
    with open(script, "w", encoding="ascii") as file:
        file.write(f"#!/bin/sh\n{program('sees_ends')} exit 3\n")
    os.chmod(script, 0o755)
    recording = Recording(script)
    ok(recording.run.returncode == 3 and recording.calls("sees_add") == 5, "the command may be a script")


def composed(folder):
    """Checks that the user's own LD_PRELOAD and LD_AUDIT stay in effect, unharmed."""
    settings = {"env": environment(LD_PRELOAD=program("libsees_preload.so"), LD_AUDIT=program("libsees_auditor.so"))}
    plain = run(program("sees_guest"), **settings)
    ok(b"result 4057\n" in plain.stdout and b"auditor sees libsees_preload.so\n" in plain.stderr,
       "plainly, the user's preloaded library and auditor are at work")
    for via in VIAS:
        # dwell itself runs in that environment too, and its own start is audited as well.
        data = f"{folder}/composed.{via}"
        answer = calls("-q", "-f", OURS, "-o", data, "--via", via, "--", program("sees_guest"), **settings)
        ok(answer.stdout == plain.stdout and answer.returncode == 0, f"--via {via}: so they are under dwell")
        explain(text(plain.stdout).splitlines(), text(answer.stdout).splitlines())
        ok(b"auditor sees libsees_basic.so\n" in answer.stderr, f"--via {via}: the user's auditor is asked")
        report = text(run(DWELL, "report", data, "--format", "csv").stdout)
        ok(",6," in next((line for line in report.splitlines() if "sees_thrice" in line), ""),
           f"--via {via}: and calls are counted")
        note(report)
        # The functions of libc have versions, and the preloaded one has none.
        answer = calls("-q", "-f", "*", "-o", data, "--via", via, "--", program("sees_guest"), **settings)
        ok(b"host 4711\n" in plain.stdout and answer.stdout == plain.stdout,
           f"--via {via}: what is preloaded comes before libc, also where all functions are chosen")
    # The linker looks for its own calloc() before the program does, and other auditors are loaded even before that.
    answer = calls("-q", "-f", "libc.so.6:calloc", "-o", data, "--via", "audit", "--", program("sees_heap"), **settings)
    report = json.loads(run(DWELL, "report", data, "--format", "json").stdout)
    counted = [(row["name"], row["calls"]) for row in report["calls"]]
    if not ok(b"calls=7\n" in answer.stdout and counted == [("calloc", 7)], "with two auditors, the linker's calls are not the program's"):
        note(str(counted))


def world(folder, name, *prefix, closed="", **settings):
    """Returns what the program sees of its surroundings, started by way of prefix."""
    path = f"{folder}/world"
    command = [*prefix, program("sees_world"), path]
    if closed:
        command = ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *command]
    answer = run(*command, **settings)
    if answer.returncode:
        note(f"{name}: status {answer.returncode} {text(answer.stderr)}")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    os.remove(path)
    # Each run has pipes of its own.
    return [line.split(" pipe:")[0] for line in lines]


def of_the_program(lines):
    """Removes the variables that dwell itself needs."""
    return [line for line in lines or []
            if not line.startswith(("environment LD_PRELOAD=", "environment LD_AUDIT=", "environment DWELL_"))]


def surroundings(folder):
    data = f"{folder}/world.data"
    closings = ["", "0<&-", "1>&-", "2>&-", "0<&- 1>&-", "0<&- 2>&-", "1>&- 2>&-", "0<&- 1>&- 2>&-"]
    for via in VIAS:
        prefix = [DWELL, "calls", "-q", "-f", OURS, "-o", data, "--via", via, "--"]
        for closed in closings:
            plain = world(folder, "plain", closed=closed)
            found = world(folder, "dwell", *prefix, closed=closed)
            shown = f"--via {via}{', closed: ' if closed else ''}{closed}"
            if not ok(plain and of_the_program(found) == of_the_program(plain),
                      f"{shown}: arguments, environment, descriptors, signals and limits are as without dwell"):
                explain(of_the_program(plain), of_the_program(found))
            report = run(DWELL, "report", data, "--format", "csv")
            ok(b"sees_add" in report.stdout, f"{shown}: and the call is counted")
            os.remove(data)


def table_on_stderr(folder):
    """Checks that the table goes to stderr, because stdout belongs to the program."""
    data = f"{folder}/table.data"
    plain = run(program("sees_ends"), "exit", "0")
    shown = calls("-f", OURS, "-o", data, "--", program("sees_ends"), "exit", "0")
    ok(shown.stdout == plain.stdout and b"sees_add" in shown.stderr, "the table goes to stderr")
    quiet = calls("--quiet", "-f", OURS, "-o", data, "--", program("sees_ends"), "exit", "0")
    ok(quiet.stdout == plain.stdout and quiet.stderr == b"", "--quiet: there is none")
    report = run(DWELL, "report", data)
    ok(b"sees_add" in report.stdout and report.stderr == b"", "`dwell report` has it on stdout")
    with open("/dev/full", "wb") as full:
        answer = subprocess.run([DWELL, "report", data], stdout=full, stderr=subprocess.PIPE, check=False)
    ok(answer.returncode == 2 and b"cannot write" in answer.stderr, "and a full disk is an error")


with tempfile.TemporaryDirectory() as scratch:
    ends(scratch)
    processes(scratch)
    not_followed()
    threads()
    callers()
    calling_functions()
    calling_plugin()
    added_up(scratch)
    merged()
    the_file(scratch)
    refused_files(scratch)
    refused_commands(scratch)
    refused_usage()
    help_texts()
    options_of_the_command(scratch)
    composed(scratch)
    surroundings(scratch)
    table_on_stderr(scratch)
done()
