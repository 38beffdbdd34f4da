#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_every.py DWELL PROGRAMS - `dwell record --every` as in dwell-record(1): pieces and their names, --keep, exact calls,
running processes, and how it ends. tests/stat/record_every.py has the sums of samples."""
import collections
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import EMULATED, NO_PERF, PATIENCE  # noqa: E402
from pieces import Pieces, Sum, pieces_in, report_of  # noqa: E402
from sampled import DWELL, environment, near, one_sentence, program, run, text  # noqa: E402
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

NAME = re.compile(r"\d{8}T\d{6}\.\d{3}Z-\d+\.dwell")
JOINED = "libjoined*:joined_hot,libjoined*:joined_other,libjoined*:joined_cool"
TIMEOUT_S = 60 * PATIENCE


def start(*command):
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            stdin=subprocess.DEVNULL, env=environment())


def until(holds):
    """Waits for a condition; False: it never came."""
    end = time.monotonic() + TIMEOUT_S
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def record(folder, *options):
    return start(DWELL, "record", "--every", "0.2s", "-o", folder, *options)


def ended(process):
    out, err = process.communicate(timeout=TIMEOUT_S)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def verbs():
    """Every verb reads a piece."""
    with tempfile.TemporaryDirectory() as folder:
        answer = run(DWELL, "record", "--every", "0.2s", "-o", folder + "/new/", program("record_load"), "four_threads", 1)
        paths = pieces_in(folder + "/new")
        ok(answer.returncode == 0 and len(paths) > 2 and all(NAME.fullmatch(os.path.basename(path)) for path in paths),
           "the folder is created, and pieces are named by their time")
        ok(sorted(os.listdir(folder + "/new")) == [os.path.basename(path) for path in paths], "nothing else is left there")
        said = text(answer.stderr)
        whole = Sum(folder + "/new")
        ok(f"{whole.meta['samples']:,} samples of" in said and f"in {len(paths)} pieces in" in said, f"one line at the end: {said.strip()}")
        for words in (["info"], ["report", "--tree"], ["export", "-f", "folded"], ["export", "-f", "pprof", "-o", folder + "/p"],
                      ["html", "-o", folder + "/page.html"], ["archive", "-o", folder + "/packed"], ["annotate", "burn_a"]):
            answer = run(DWELL, *words, paths[len(paths) // 2])
            if not ok(answer.returncode == 0, f"dwell {' '.join(words[:3])} reads a piece"):
                note(text(answer.stderr))
        metas = whole.metas
        ok(all(meta["exit_status"] is None for meta in metas[:-1]) and metas[-1]["exit_status"] == 0,
           "the last piece alone has the exit status")
        ok(all(near(a["started_unix_ns"] + a["wall_ns"], b["started_unix_ns"], 1e-9) for a, b in zip(metas, metas[1:])),
           "each begins where the one before ends")


def exact_calls():
    pieces = Pieces(program("joined"), every="0.1s", options=["--calls", JOINED])
    due = collections.Counter()
    for name, count, _ in re.findall(r"^called (\w+) (\d+) (\d+)$", text(pieces.run.stdout), re.M):
        due[name] += int(count)
    calls = pieces.count_calls()
    hot = calls["joined_hot"] + calls["joined_other"]
    note(f"{len(pieces.paths)} pieces, calls {dict(calls)}, due {dict(due)}")
    ok(len(pieces.paths) > 1 and hot == due["joined_hot"] + due["joined_other"]
       and calls["joined_cool"] == due["joined_cool"], "exact calls of all pieces are the calls of the program")


def programs_in_turn():
    """A shell executes one program after another, and forks and executes others meanwhile."""
    load = program("record_load")
    script = f"for i in 1 2 3 4 5 6; do {load} one_thread 0.1 & {load} children 0.2; wait; done; exec {load} four_threads 0.3"
    pieces = Pieces("sh", "-c", script, every="0.1s")
    due = sum(pieces.cpu.values())
    note(f"{len(pieces.paths)} pieces, {pieces.seconds:.4f} s of {due:.4f} s")
    # The shell and the starts of programs come on top of what the programs print: some 2 ms each.
    return pieces.is_whole() and due <= pieces.seconds * 1.02 and pieces.seconds <= due + 0.3


# ---- running processes ----

def running():
    with tempfile.TemporaryDirectory() as folder:
        target = start(program("record_load"), "four_threads", 2)
        answer = ended(record(folder, "-p", target.pid))
        if answer.returncode:
            skip("-p", text(answer.stderr).strip())
            return True
        out = ended(target).stdout
        due, whole = float(text(out).split()[-1]), Sum(folder)
        note(f"{len(whole.paths)} pieces, {whole.seconds:.4f} s of {due:.4f} s before and after attaching")
        return len(whole.paths) > 4 and whole.is_whole() and near(whole.seconds, due, 0.1) and not whole.others


def until_signal(number, options, status):
    """Checks that a signal ends the recording with its last piece."""
    with tempfile.TemporaryDirectory() as folder:
        target = start(program("record_load"), "one_thread", 30) if "-p" in options else None
        command = [target.pid] if target else [program("record_load"), "one_thread", 30]
        process = record(folder, *options, *command)
        until(lambda: len(pieces_in(folder)) >= 3 or process.poll() is not None)
        process.send_signal(number)
        answer = ended(process)
        if target:
            target.kill()
            ended(target)
        if EMULATED and target:
            skip(f"{signal.Signals(number).name} {' '.join(options)}", NO_PERF)
            return
        whole = Sum(folder)
        ok(answer.returncode == status and whole.is_whole() and not whole.others and "pieces in" in text(answer.stderr),
           f"{signal.Signals(number).name} {' '.join(options)}: the last piece is written, status {answer.returncode}")


# ---- old pieces, and those that cannot be written ----

def keep():
    with tempfile.TemporaryDirectory() as folder:
        foreign = os.path.join(folder, "20200101T000000.000Z-1.dwell.txt")
        older = os.path.join(folder, "20200101T000000.000Z-1.dwell")
        for path in (foreign, older):
            with open(path, "w", encoding="utf-8") as file:
                file.write("x")
        answer = run(DWELL, "record", "--every", "0.1s", "--keep", 3, "-o", folder, program("record_load"), "one_thread", 1)
        ok(answer.returncode == 0 and len(pieces_in(folder)) == 3, "--keep 3: three pieces are left")
        ok(os.path.exists(foreign) and not os.path.exists(older), "older pieces are removed, and nothing else")
        run(DWELL, "record", "--every", "0.1s", "--keep", "20K", "-o", folder, program("record_load"), "one_thread", 1)
        size = sum(os.path.getsize(path) for path in pieces_in(folder))
        ok(pieces_in(folder) and size <= 20 << 10, f"--keep 20K: {size} bytes are left")


def killed():
    with tempfile.TemporaryDirectory() as folder:
        process = record(folder, program("record_load"), "one_thread", 2)
        until(lambda: len(pieces_in(folder)) >= 3)
        process.kill()
        ended(process)
        (left,) = [name for name in os.listdir(folder) if name.startswith("live.")]
        ok(Sum(folder).is_whole(), "SIGKILL: the pieces stay")
        ok(report_of(os.path.join(folder, left))["meta"].get("samples"), "and the live recording can be read")
        answer = run(DWELL, "record", "--every", "1s", "-o", folder, "true")
        ok(answer.returncode == 0 and f"/{left}' is left from a recording that was killed" in text(answer.stderr),
           "the next recording names it")


def full_disk():
    """A disk that is full for a while: nothing is lost, and it is reported."""
    with tempfile.TemporaryDirectory() as folder:
        where = ["unshare", "-m", "sh", "-c", f'mount -t tmpfs -o size=1M none "{folder}" && mkdir "{folder}/p" && "$@"; cp "{folder}"/p/* '
                 f'"$HOME"; ls "{folder}/p"', "sh"]
        if run("unshare", "-m", "mount", "-t", "tmpfs", "none", folder).returncode:
            skip("a full disk", "it takes root to mount a small one")
            return
        with tempfile.TemporaryDirectory() as home:
            # It is full from the first piece on, until that was said and another piece was due.
            script = (f'{DWELL} record --every 0.2s -o {folder}/p {program("record_load")} one_thread 2 2>{home}/said & '
                      f'until ls {folder}/p/*.dwell >/dev/null 2>&1; do sleep 0.02; done; '
                      f'head -c 2M /dev/zero >{folder}/fill 2>/dev/null; '
                      f'until grep -q "No space" {home}/said; do sleep 0.02; done; sleep 0.3; '
                      f'rm {folder}/fill; wait; cat {home}/said >&2; rm {home}/said')
            answer = run(*where, "sh", "-c", script, env=environment(HOME=home))
            whole, due = Sum(home), float(re.search(r"cpu \d+ ([\d.]+)", text(answer.stdout)).group(1))
        said = text(answer.stderr)
        note(said)
        ok("No space left on device; the samples stay in" in said and "could not be written in time" in said,
           "a full disk is reported")
        ok(whole.is_whole() and near(whole.seconds, due, 0.02) and "live" not in text(answer.stdout),
           f"samples that could not be written are in the next piece: {whole.seconds:.3f} of {due:.3f} s")


def refusals():
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "file")
        open(file, "w", encoding="utf-8").close()
        for options, words in ((["--every", "0"], "invalid interval '0'"), (["--every", "5x"], "invalid interval '5x'"),
                               (["--every", "1s", "--keep", "0"], "invalid --keep value '0'"),
                               (["--every", "1s", "--keep", "5T"], "invalid --keep value '5T'"),
                               (["--keep", "5"], "--keep needs --every"),
                               (["--every", "1s", "-o", file], "it is not a directory"),
                               (["--every", "1s", "-o", folder + "/no/where"], "cannot create")):
            ok(one_sentence(run(DWELL, "record", *options, "true", cwd=folder), words), f"{' '.join(options[:4])} is refused")
        ok(run(DWELL, "record", "-q", "--every", "1s", "true", cwd=folder).returncode == 0
           and pieces_in(folder + "/dwell.pieces"), "the default folder is dwell.pieces")


verbs()
exact_calls()
ok_in_three(programs_in_turn, "programs that fork and exec at any time: the pieces are the sum")
ok_in_three(running, "-p: the pieces are the CPU time of the process")
until_signal(signal.SIGTERM, [], 143)
until_signal(signal.SIGINT, ["-p"], 0)
until_signal(signal.SIGTERM, ["-p"], 0)
keep()
killed()
full_disk()
refusals()
done()
