#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""archive.py DWELL PROGRAMS - an archive yields what its recording did, byte for byte, after programs, libraries,
debug files and a JIT's map are deleted or replaced."""
import glob
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import NO_VDSO, VDSO_CLOCK, has_vdso  # noqa: E402
from sampled import DWELL, environment, one_sentence, program, run, status_of, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

REPORTS = (
    ["report", "--limit", "0"], ["report", "--tree", "--min", "0"], ["report", "--callers", "--min", "0"],
    ["report", "--by", "object"], ["report", "--by", "thread"], ["report", "--by", "process"],
    ["report", "--format", "json"], ["report", "--tree", "--min", "0", "--format", "json"],
    ["report", "--by", "line", "--format", "json"], ["report", "--no-inline", "--by", "line", "--limit", "0"],
    ["report", "--no-demangle", "--format", "csv"], ["report", "--focus", "*_work", "--limit", "0"],
    ["info"], ["info", "--format", "json"],
)
NAMES = {"loop": ("left_work", "right_work"), "fork": ("left_work", "parent_work"),
         "jit": ("jit_first", "jit_second"), "vdso": (VDSO_CLOCK,)}


def said(data, report):
    """Returns the output for a recording, without the size of its file, which differs in an archive."""
    answer = run(DWELL, *report, data)
    lines = text(answer.stdout).replace(data, "DATA").splitlines()
    lines = [line for line in lines if not line.startswith("DATA: ") and '"file_bytes"' not in line]
    return status_of(answer), lines, text(answer.stderr).replace(data, "DATA")


def all_said(data):
    return [said(data, report) for report in REPORTS]


def same(before, after, what):
    for report, one, other in zip(REPORTS, before, after):
        if one != other:
            note(f"{' '.join(report)}:")
            for line in set(one[1]) ^ set(other[1]):
                note(line)
    ok(before == after and all(status == 0 for status, _, _ in before), what)


def copy_programs(folder):
    """Copies the program, one library as it is, and one whose symbols are in a debug file."""
    os.mkdir(folder)
    left, right = (shutil.copy(program(f"librecord_plugin_{side}.so"), folder) for side in ("left", "right"))
    debug = f"{folder}/right.debug"
    run("objcopy", "--only-keep-debug", right, debug)
    run("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", right)
    return shutil.copy(program("record_plugins"), folder), left, right


def carried(folder, how):
    place, data, archive = f"{folder}/{how}", f"{folder}/{how}.data", f"{folder}/{how}.archive"
    command = copy_programs(place)
    recorded = run(DWELL, "record", "-q", "-o", data, command[0], how, *command[1:])
    before = all_said(data)
    made = run(DWELL, "archive", data, "-o", archive)
    ok(status_of(recorded) == 0 and status_of(made) == 0, f"{how}: a recording, and an archive: {text(made.stderr).strip()}")
    named = "\n".join(before[0][1])
    ok(all(name in named for name in NAMES[how]), f"{how}: has the names of the program's functions")
    same(before, all_said(archive), f"{how}: the archive says what the recording says")
    for path in (*command, f"{place}/right.debug"):
        shutil.copy("/bin/true", path)
    maps = [line for line in text(recorded.stdout).splitlines() if line.startswith("/tmp/perf-")]
    for path in maps:
        with open(path, "w", encoding="ascii") as file:
            file.write("0 ffffffffffff another_function\n")
    same(before, all_said(archive), f"{how}: other files in their place make no difference")
    shutil.rmtree(place)
    for path in maps:
        os.unlink(path)
    same(before, all_said(archive), f"{how}: nor does it that all of them are gone")
    if how != "vdso":
        ok(said(data, REPORTS[0]) != before[0], f"{how}: which the recording alone would not survive")
    again = f"{folder}/{how}.again"
    run(DWELL, "archive", "-q", archive, "-o", again)
    ok(run("cmp", archive, again).returncode == 0, f"{how}: an archive of the archive is the same")


def calls(folder):
    data, archive = f"{folder}/calls.data", f"{folder}/calls.archive"
    run(DWELL, "record", "-q", "-o", data, "--calls", "libc.so*:*", "--", "sort", DWELL)
    before = all_said(data)
    ok(run(DWELL, "archive", "-q", data, "-o", archive).returncode == 0, "calls and samples are archived")
    same(before, all_said(archive), "calls are in the archive as well")
    ok(os.stat(archive).st_blocks <= os.stat(data).st_blocks + 512, "which is not much larger than the recording")


def usage(folder):
    data = f"{folder}/usage.data"
    run(DWELL, "record", "-q", "-o", data, "true")
    made = run(DWELL, "archive", data)
    ok(status_of(made) == 0 and text(made.stderr).startswith("dwell archive: ")
       and stat.S_IMODE(os.stat(f"{data}.archive").st_mode) == 0o600, "the usual name, for the user alone to read")
    ok(one_sentence(run(DWELL, "archive", data), "--force"), "an existing archive is not replaced")
    ok(status_of(run(DWELL, "archive", "--force", data)) == 0, "but with --force")
    before = said(data, REPORTS[0])
    ok(status_of(run(DWELL, "archive", "-f", "-o", data, data)) == 0 and said(data, REPORTS[0]) == before,
       "an archive may take the place of its recording")
    ok(one_sentence(run(DWELL, "archive", f"{folder}/nothing"), "nothing"), "there has to be a recording")
    ok(one_sentence(run(DWELL, "archive", DWELL), "is not a dwell recording"), "other files are refused")
    ok(one_sentence(run(DWELL, "archive", "-o", f"{folder}/no/where", data), "cannot create"),
       "there has to be a folder to write to")
    ok(one_sentence(run("sh", "-c", f"ulimit -f 8; exec {DWELL} archive -o {folder}/large {data}"), "cannot write"),
       "a limit on open files is reported")
    ok(one_sentence(run(DWELL, "archive", data, data), "only one DATA file is allowed"), "there is one DATA")
    ok(not glob.glob(f"{folder}/large*") and not glob.glob(f"{folder}/usage.data.archive.*"), "nothing half is left")


def meanwhile(folder):
    data = f"{folder}/meanwhile.data"
    with subprocess.Popen([DWELL, "record", "-q", "-o", data, program("record_ends"), "wait", "0.2"],
                          env=environment(), stdout=subprocess.PIPE) as recording:
        pid = int(text(recording.stdout.readline()).split()[1])
        ok(one_sentence(run(DWELL, "archive", data), "still recording"), "one that is being written is refused")
        recording.send_signal(signal.SIGKILL)
    # The command outlives the tool: it runs on by itself, and still counts.
    before = said(data, REPORTS[0])
    ok(status_of(run(DWELL, "archive", "-q", data)) == 0 and said(f"{data}.archive", REPORTS[0])[0] == before[0] == 0,
       "but not if dwell was killed")
    os.kill(pid, signal.SIGKILL)


if not shutil.which("objcopy"):
    skip("archives", "objcopy is not installed")
    done()
    sys.exit()
with tempfile.TemporaryDirectory() as temporary:
    for way in NAMES:
        if way != "vdso" or has_vdso():
            carried(temporary, way)
        else:
            skip(way, NO_VDSO)
    calls(temporary)
    usage(temporary)
    meanwhile(temporary)
done()
