#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_outside.py DWELL PROGRAMS - `dwell record` of programs that nothing can be loaded into, and of running
processes: its options, how it ends, and its messages. attach.py checks the contents of such recordings.
"""
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from attach import DWELL, Recording, Target, program  # noqa: E402
from emulation import PATIENCE  # noqa: E402
from surroundings import cleared  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

TIMEOUT_S = 60 * PATIENCE


def dwell(*words, **more):
    return subprocess.run([DWELL, *words], capture_output=True, text=True, timeout=TIMEOUT_S, env=cleared(),
                          check=False, **more)


def is_refused(folder):
    """Returns true if the kernel refuses to sample here, and the message about it."""
    answer = dwell("record", "--engine", "outside", "-o", f"{folder}/try.data", "true")
    return answer.returncode == 2, answer.stderr.strip()


def static_program(folder):
    data = f"{folder}/static.data"
    answer = dwell("record", "-o", data, "--", program("attach_static"), "plain", input="\n")
    functions = Recording(data).functions()
    ok(answer.returncode == 0 and "total" in answer.stdout, "a static program runs, and is recorded")
    ok(functions.get("main", {}).get("total_ns") and functions.get("first_work", {}).get("self_ns"),
       "from its first function on")
    answer = dwell("record", "--engine", "inside", "-o", data, "--", program("attach_static"), "plain")
    ok(answer.returncode == 2 and "statically" in answer.stderr and answer.stderr.count("\n") == 1,
       "from inside it cannot be: one sentence")
    answer = dwell("record", "-q", "--engine", "outside", "-o", data, "sh", "-c", "kill -9 $$")
    ok(answer.returncode == 137, "the exit status is the command's, also of one that is killed")


def for_some_seconds(folder):
    target = Target("two")
    data = f"{folder}/seconds.data"
    start = time.monotonic()
    process = subprocess.Popen([DWELL, "record", "-p", str(target.pid), "-d", "4", "-o", data],
                               stderr=subprocess.PIPE, text=True, env=cleared())
    time.sleep(0.5)
    target.work()
    said = process.communicate(timeout=TIMEOUT_S)[1]
    took = time.monotonic() - start
    ok(process.returncode == 0 and "samples" in said and took >= 4, "-d ends the recording")
    ok(target.process.poll() is None, "and not the process")
    ok(Recording(data).seconds() > 0.1, "of which there are samples")
    text = dwell("report", data).stdout
    ok("attached while running" in text and "attach_target" in text, "the report says how it was made")
    meta = Recording(data).ask("report")["meta"]
    ok(meta["exit_status"] is None and meta["signal"] is None, "and no exit status, since the process has none yet")
    target.end()
    nothing_matches(folder, data)


def nothing_matches(folder, data):
    verbs = (["report"], ["report", "--format", "json"], ["annotate", "main"], ["export", "-f", "folded", "-o", f"{folder}/x"],
             ["html", "-o", f"{folder}/x"])
    for words in (["--thread", "nosuch"], ["--time", "100-200"], ["--pid", "1"]):
        answers = [dwell(verb[0], *words, *verb[1:], data) for verb in verbs]
        ok(all(answer.returncode == 1 and not answer.stdout and answer.stderr.count("\n") == 1
               and " ".join(words) in answer.stderr for answer in answers),
           f"{' '.join(words)}: one sentence says that nothing matches, and the exit status is 1")
    ok(not os.path.exists(f"{folder}/x"), "and nothing is written")


def until_interrupted(folder):
    os.environ["PMI_RANK"] = "7"
    target = Target("two")
    del os.environ["PMI_RANK"]
    data = f"{folder}/interrupted-%r.data"
    process = subprocess.Popen([DWELL, "record", "-p", str(target.pid), "-o", data], stderr=subprocess.PIPE, text=True,
                               env=cleared())
    time.sleep(0.5)
    target.work()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=TIMEOUT_S)
    data = f"{folder}/interrupted-7.data"
    ok(os.path.exists(data), "%r is the rank of the process, and not of dwell")
    ok(process.returncode == 0 and Recording(data).seconds() > 0.1, "SIGINT ends the recording, and keeps it")
    ok(target.process.poll() is None, "the process goes on")
    process = subprocess.Popen([DWELL, "record", "-q", "-p", str(target.pid), "-o", data], env=cleared())
    time.sleep(0.5)
    target.end()
    ok(process.wait(TIMEOUT_S) == 0, "when the process has ended, so does the recording")


def progress(folder):
    """Checks the line on a terminal that shows the progress."""
    try:
        mine, theirs = pty.openpty()
    except OSError as error:
        skip("a terminal shows the progress", f"there is none to be had: {error}")
        return
    target = Target("two")
    with subprocess.Popen([DWELL, "record", "-p", str(target.pid), "-d", "2", "-o", f"{folder}/progress.data"],
                          stderr=theirs, env=cleared()) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                more = os.read(mine, 4096)
            except OSError:
                break
            if not more:
                break
            said += more
        process.wait(TIMEOUT_S)
    ok(b"/s, " in said and b" lost" in said, "a terminal shows the progress")
    target.end()


def waiting(folder):
    """Checks that threads that wait are seen with --clock wall, for about as long as they do."""
    data = f"{folder}/wall.data"
    answer = dwell("record", "--clock", "wall", "-o", data, "--", "sleep", "2")
    recording = Recording(data)
    meta = recording.ask("report")["meta"]
    seconds = recording.seconds()
    ok(answer.returncode == 0 and 1.8 < seconds < 2.4, f"sleep 2 waits for 2 s: {seconds:.3f}")
    note(meta)
    text = dwell("report", data).stdout
    waited = re.search(r"^([\d.]+)% of the time is in waiting threads$", text, re.M)
    note(text)
    ok(waited and float(waited[1]) > 95, "the report says for how much of the time it waited: more than 95 % of sleep 2")
    ok("Hz requested while threads run, " in text, "and the rate is that of threads that run")
    text = dwell("info", data).stdout
    ok("wall time" in text, "and so does info")


MISTAKES = [
    (["-p", "x"], "invalid PID list 'x'"),
    (["-p", "1,"], "invalid PID list '1,'"),
    (["-p", "0"], "invalid PID list '0'"),
    (["-d", "x", "-p", "1"], "invalid duration 'x'"),
    (["-d", "1", "true"], "-d needs -p PID"),
    (["-p", "1", "true"], "not both"),
    (["-p", "1", "--calls", "*"], "cannot count calls in process 1"),
    (["--engine", "outside", "--calls", "*", "true"], "--calls needs --engine inside"),
    (["--engine", "inside", "--clock", "wall", "true"], "need --engine outside"),
    (["--engine", "x", "true"], "unknown engine 'x'"),
    (["--engine", "outside", "--clock", "timer", "true"], "--engine outside supports only --clock cpu and --clock wall"),
    (["-p", "999999999"], "999999999"),
    ([], "missing COMMAND"),
]


def mistakes(folder):
    for words, sentence in MISTAKES:
        data = f"{folder}/mistake.data"
        answer = dwell("record", "-o", data, *words)
        good = answer.returncode == 2 and sentence in answer.stderr and answer.stderr.count("\n") == 1
        if not ok(good and not os.path.exists(data), f"one sentence: {' '.join(words) or 'nothing'}"):
            note(answer.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        mistakes(folder)
        refused, sentence = is_refused(folder)
        if refused:
            skip("sampling from outside", sentence)
        else:
            static_program(folder)
            for_some_seconds(folder)
            until_interrupted(folder)
            progress(folder)
            waiting(folder)
    done()


if __name__ == "__main__":
    main()
