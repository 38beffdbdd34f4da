#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""export_verb.py DWELL PROGRAMS - `dwell export` as a command: where it writes, what it refuses, filters."""
import gzip
import os
import pty
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, environment, one_sentence, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

SAMPLED_ONLY = ("folded", "speedscope", "gmon", "firefox", "perfetto", "perf-script")


def export(*arguments, **options):
    return run(DWELL, "export", *arguments, **options)


def files(data, folder):
    path = f"{folder}/out.folded"
    plain = export("-f", "folded", data).stdout
    answer = export("-f", "folded", "-o", path, data)
    with open(path, "rb") as file:
        ok(answer.returncode == 0 and not answer.stdout and file.read() == plain, "-o has what stdout would have")
    ok(os.stat(path).st_mode & 0o777 == 0o666 & ~umask(), "with the permissions that the user wants for new files")
    before = os.listdir(folder)
    ok(one_sentence(export("-f", "folded", "-o", path, f"{folder}/none"), "none")
       and os.listdir(folder) == before and os.path.getsize(path) == len(plain),
       "an existing file stays if the recording cannot be read, and no other file is left")
    ok(one_sentence(export("-f", "folded", "-o", f"{folder}/no/such", data), "cannot write"), "a folder that is not there")
    os.symlink("out.folded", f"{folder}/link")
    export("-f", "csv", "-o", f"{folder}/link", data)
    with open(path, "rb") as file:
        ok(os.path.islink(f"{folder}/link") and file.read(5) == b"name,", "a link stays one, and leads to what was written")
    ok(export("-f", "folded", "-o", "/dev/stdout", data).stdout == plain, "a device or a pipe is written to")
    ok(one_sentence(export("-f", "folded", "-o", "/dev/full", data), "cannot write"), "a full disk is an error")


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def terminals(data):
    try:
        controller, terminal = pty.openpty()
    except OSError as error:
        skip("binary formats are not written to a terminal", f"there is none: {error}")
        return
    answer = subprocess.run([DWELL, "export", "-f", "pprof", data], stdout=terminal, stderr=subprocess.PIPE,
                            env=environment(), check=False)
    os.close(terminal)
    ok(answer.returncode == 2 and b"pprof is a binary format: write it to a file with -o FILE, not to a terminal" in answer.stderr and answer.stderr.count(b"\n") == 1,
       "binary formats are not written to a terminal")
    os.close(controller)
    ok(gzip.decompress(export("-f", "pprof", data).stdout), "but to a pipe")


def refusals(data, folder):
    ok(one_sentence(export(data), "missing format"), "no format")
    ok(one_sentence(export("-f", "xml", data), "'xml'"), "a format that there is not")
    ok(one_sentence(export("-f", "pprof", "--unit", "ns", data), "does not support --unit"), "an option that the format has not")
    ok(one_sentence(export("-f", "firefox", "--timeline", data), "does not support --timeline"), "and another")
    ok(one_sentence(export("-f", "folded", "--unit", "miles", data), "'miles'"), "a unit that there is not")
    ok(one_sentence(export("-f", "folded", "--of", "calls", data), "no tree of calls"), "samples, when calls are wanted")
    answer = export("-f", "callgrind", "--of", "calls", data)
    ok(answer.returncode == 0 and b"contains no calls" in answer.stderr, "calls, when there are none")
    ok(one_sentence(export("-f", "folded", data, "two"), "'two'"), "two recordings")
    garbage = f"{folder}/garbage"
    with open(garbage, "wb") as file:
        file.write(os.urandom(5000))
    ok(one_sentence(export("-f", "folded", garbage), "garbage"), "a file that is not a recording")
    calls = f"{folder}/calls"
    run(DWELL, "calls", "-q", "-f", "*", "-o", calls, "--", "/bin/true")
    for name in SAMPLED_ONLY:
        ok(one_sentence(export("-f", name, calls), "no tree of calls" if name == "folded" else "only calls"),
           f"{name}: a recording of calls only is refused")
    for name in ("pprof", "otlp"):
        ok(export("-f", name, "-o", f"{folder}/{name}", calls).returncode == 0, f"{name}: calls alone are written")
    ok(export("-f", "json", calls).returncode == 0, "json has calls")


def filters(data):
    lines = text(export("-f", "folded", "--focus", "large_ones", data).stdout).splitlines()
    ok(lines and all(";large_ones" in line for line in lines), "--focus")
    lines = text(export("-f", "folded", "--ignore", "large_ones", "--hide", "ping,pong", data).stdout).splitlines()
    ok(lines and not any("large_ones" in line or ";ping" in line for line in lines), "--ignore and --hide")
    lines = text(export("-f", "folded", "--threads", "--thread", "large; ones", data).stdout).splitlines()
    ok(lines and all(line.split(";")[1] == "large: ones" for line in lines), "--thread")
    answer = export("-f", "folded", "--focus", "nothing_like_this", data)
    ok(answer.returncode == 0 and b"matched no function" in answer.stderr, "a filter that matches nothing is named")
    answer = export("-f", "perfetto", "--thread", "absent", data)
    ok(answer.returncode == 1 and b"matches --thread absent" in answer.stderr and not answer.stdout,
       "and so is a thread that is not there, with an exit status")


def main():
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        note(text(run(DWELL, "record", "-q", "-o", data, "--", program("export_load"), "20").stderr))
        files(data, folder)
        terminals(data)
        refusals(data, folder)
        filters(data)
        answer = export("--help")
        ok(answer.returncode == 0 and all(name in text(answer.stdout) for name in SAMPLED_ONLY), "--help names them all")
    done()


if __name__ == "__main__":
    main()
