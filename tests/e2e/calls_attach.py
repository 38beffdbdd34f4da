#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_attach.py DWELL PROGRAMS - dwell calls -p: calls of a running process are counted exactly, the process does not
notice, and everything is taken back. calls_refusals.py has the processes that cannot be attached to.

tests/prog/crew.c makes as many calls as it is told, so counts are compared for equality; it prints a sum of its own
tables and of all code, which must be as before.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from attached import PATIENCE_S, Crew, children_of, code_of, environment, is_attached, wait_for  # noqa: E402
from emulation import EMULATED  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

DWELL, PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:3])
CREW = os.path.join(PROGRAMS, "crew")
LATE_UNWINDER = os.path.join(PROGRAMS, "late_unwinder")
THROWERS = os.path.join(PROGRAMS, "throwers")
CYCLES = {"got": 30, "entry": 10}
THREADS = 64
CALLS = 200  # of each thread
FOLDER = tempfile.mkdtemp()
DATA = os.path.join(FOLDER, "x.data")


def start(crew, *options):
    """Starts dwell, and returns once tables or code have changed, or dwell has ended."""
    dwell = subprocess.Popen([DWELL, "calls", "-p", str(crew.pid), "-o", DATA, "--format", "json", *options],
                             stderr=subprocess.PIPE, text=True, env=environment())
    before = crew.ask("sum")
    end = time.monotonic() + PATIENCE_S
    while crew.ask("sum") == before and dwell.poll() is None and time.monotonic() < end:
        time.sleep(0.005)
    return dwell


def finish(dwell):
    dwell.send_signal(signal.SIGINT)
    text = dwell.communicate(timeout=PATIENCE_S)[1]
    return dwell.returncode, text


def counted(text, function="rand_r"):
    """The number of calls of a function in a report; None: there is no report."""
    try:
        rows = json.loads(text[text.index("{"):])["calls"]
    except (ValueError, KeyError):
        note(text)
        return None
    return sum(row["calls"] for row in rows if row["symbol"] == function)


def in_cycles(via):
    crew = Crew(CREW, str(THREADS))
    before, first, wrong, maps = crew.ask("sum"), None, [], set()
    # Each of these has other ways in and out.
    modes = [[], ["--count"], ["--by-caller"], ["--by-thread"], ["--sample-timing"]]
    for cycle in range(CYCLES[via]):
        # All threads wait in one of these when dwell ends.
        dwell = start(crew, "--via", via, "-f", "rand_r,read,nanosleep,sem_wait,pthread_barrier_wait", *modes[cycle % len(modes)])
        made = int(crew.ask(f"go {CALLS}"))
        # A thread has tables of its own from its first counted call of each mode on, which are used again: the one that sleeps
        # has to make that call in the first cycles, too.
        if cycle < len(modes):
            crew.ask("nap")
        status, text = finish(dwell)
        found = status, counted(text), crew.ask("sum")
        has = crew.has()
        first = has if cycle < len(modes) else first
        if has != first:
            note("more: " + "; ".join(sorted(set(crew.maps().splitlines()) - maps)))
        maps = set(crew.maps().splitlines())
        if found != (0, made, before) or has != first:
            wrong.append((cycle, found, made, has, first))
    for line in wrong[:5]:
        note(str(line))
    ok(not wrong, f"{via}, {CYCLES[via]} times: exact counts, tables and code as before, no mapping or descriptor more")
    ok("memfd:dwell" not in crew.maps(), "nothing of the recording stays mapped")
    ok(crew.ask("eintr") == "0", "no system call of the program was interrupted")
    ok(int(crew.ask("go 10")) == 10 * THREADS, "it goes on")
    ok(crew.end() == 0, "and ends as usual")


def unbound():
    """Entries that the linker has not filled are put back as they were."""
    crew = Crew(CREW, "4", lazy=True)
    # All that it needs is bound by then, except rand_r() and fork(); and what libc needs to load a library.
    crew.ask("go 0")
    crew.ask("sum")
    finish(start(crew, "-f", "nanosleep"))
    before = crew.ask("sum")
    dwell = start(crew, "-f", "*")
    made = int(crew.ask("go 50"))
    status, text = finish(dwell)
    ok(status == 0 and counted(text) == made, "a function that was never called before is counted")
    ok(crew.ask("sum") == before, "its entry is unbound again")
    ok(crew.ask("fork") == "7", "functions are bound afterwards")
    crew.end()


def inside():
    """Functions that no table leads to."""
    crew = Crew(CREW, "2")
    before = crew.ask("sum")
    dwell = start(crew, "--via", "entry", "-f", "crew:*", "-f", "random,random_r")
    crew.ask("log 50")
    maps = crew.maps()
    status, text = finish(dwell)
    # random() calls random_r() without a table.
    found = [counted(text, name) for name in ("note", "random", "random_r")]
    if not ok(status == 0 and found == [50, 50, 50], "--via entry: static functions, and calls inside a library"):
        note(str(found))
    ok(not any("wx" in line.split()[1] for line in maps.splitlines()), "no page is writable and executable")
    ok("memfd:dwell-entry" in maps and "memfd:dwell" not in crew.maps(), "the copied instructions are gone with it")
    ok(crew.ask("sum") == before and crew.end() == 0, "code is as before")


def thrown():
    """--via entry: exceptions that leave patched functions, also out of a handler of a fault in their first instruction."""
    if not os.path.exists(THROWERS):
        skip("exceptions", "throwers was not built: there is no C++ compiler")
        return
    program = Crew(THROWERS, "8")
    plain = [program.ask(line) for line in ("go 100", "walk 10", "fault 10")]
    for times in ([], ["--count"], ["--by-caller"]):
        before, tables = code_of(program.pid), program.ask("sum 0")
        dwell = subprocess.Popen([DWELL, "calls", "-p", str(program.pid), "--via", "entry", "-f", "*", "-o", DATA, "--format", "json",
                                  "--limit", "0", *times], stderr=subprocess.PIPE, text=True, env=environment())
        wait_for(lambda: dwell.poll() is not None or is_attached(program.pid, "entry", before))
        found = [program.ask(line) for line in ("go 100", "walk 10", "fault 10")]
        # They are under way when dwell ends, and come from all threads.
        program.send("go 2000")
        status, text = finish(dwell)
        calls = [counted(text, f"thrown_{name}") for name in ("faults", "calls_fault")]
        ok(plain == ["800", "10", "10"] and found == plain, f"exceptions, {' '.join(times) or 'with times'}: all are caught")
        ok(status == 0 and calls == [20, 20], "so are those out of copied instructions, and stacks pass them")
        ok(program.receive() == "16000", "and those that are under way at the end")
        ok(code_of(program.pid) == before and program.ask("sum 0") == tables, "code and the unwinder's table are as before")
    ok(program.end() == 0, "the program ends as usual")


def opened():
    """--via entry: an unwinder that is opened meanwhile passes copied instructions, and has libc's functions afterwards."""
    program = Crew(LATE_UNWINDER)
    before, loaded = code_of(program.pid), program.ask("has 0")
    dwell = subprocess.Popen([DWELL, "calls", "-p", str(program.pid), "--via", "entry", "-f", "late_*", "-o", DATA, "--format",
                              "json"], stderr=subprocess.PIPE, text=True, env=environment())
    wait_for(lambda: dwell.poll() is not None or is_attached(program.pid, "entry", before))
    found = [program.ask(line) for line in ("walk 10", "has 0", "ours 0")]
    status, text = finish(dwell)
    calls = counted(text, "late_faults")
    if not ok(status == 0 and loaded == "0" and found[:2] == ["10", "1"] and calls == 10,
              "an unwinder that is opened meanwhile passes copied instructions"):
        note(f"{status}: {loaded} loaded before, walked and loaded {found}, {calls} calls")
    ok(int(found[2]) > 0 and program.ask("ours 0") == "0", "its tables lead to libc's functions afterwards")
    ok(program.ask("walk 10") == "10" and program.end() == 0, "and the program goes on")


def family(via):
    crew = Crew(CREW, "2")
    before = crew.ask("sum")
    dwell = start(crew, "--via", via, "-f", "rand_r")
    ok(crew.ask("fork") == "7", "a child of fork() runs")
    crew.ask("go 5")
    status, text = finish(dwell)
    ok(status == 0 and counted(text) == 10, f"{via}: its calls are not counted, its parent's are")
    dwell = start(crew, "--via", via, "-f", "rand_r")
    crew.ask("go 5")
    crew.ask("close 3")
    crew.ask("go 5")
    status, text = finish(dwell)
    ok(status == 0 and counted(text) == 20, "the program closes all descriptors: threads that counted go on")
    ok(crew.ask("sum") == before, "its tables are as before")
    result = subprocess.run([DWELL, "calls", "-p", str(crew.pid), "--via", via, "-d", "0.2", "-f", "nanosleep", "-o", DATA],
                            capture_output=True, text=True, env=environment(), timeout=PATIENCE_S)
    ok(result.returncode == 0 and "nanosleep" in result.stderr, "-d ends the recording")
    info = subprocess.run([DWELL, "report", DATA], capture_output=True, text=True, env=environment(), check=False)
    ok("nanosleep" in info.stdout, "the recording can be read later")
    other = Crew(CREW, "2")
    result = subprocess.run([DWELL, "calls", "-p", f"{crew.pid},{other.pid}", "--via", via, "-d", "0.2", "-f", "nanosleep", "-o",
                             DATA], capture_output=True, text=True, env=environment(), timeout=PATIENCE_S)
    ok(result.returncode == 0 and "2 processes" in result.stderr, "two processes in one recording")
    ok(crew.end() == 0 and other.end() == 0, "both end as usual")


def sampled(via):
    """dwell record -p --calls: samples and exact counts in one recording, and one entry for the process."""
    crew = Crew(CREW, "4")
    before = crew.ask("sum")
    dwell = subprocess.Popen([DWELL, "record", "-p", str(crew.pid), "--calls", "memfrob", "--calls", "absent", "--via",
                              via, "-o", DATA], stderr=subprocess.PIPE, text=True, env=environment())
    wait_for(lambda: crew.ask("sum") != before or dwell.poll() is not None)
    made = int(crew.ask("burn 8000"))
    dwell.send_signal(signal.SIGINT)
    line = dwell.communicate(timeout=PATIENCE_S)[1]
    ok(dwell.returncode == 0 and "samples of" in line, f"{via}: dwell record -p --calls ends with its line")
    ok("--calls 'absent' matched nothing" in line, "it names what matched nothing")
    ok(crew.ask("sum") == before and "memfd:dwell" not in crew.maps(), "everything is taken back")
    report = json.loads(subprocess.run([DWELL, "report", "--format", "json", DATA], capture_output=True, text=True,
                                       env=environment(), check=False).stdout)
    counts = [row["calls"] for row in report["calls"] if row["symbol"] == "memfrob"]
    names = {row["name"]: row for row in report["samples"]}
    if not ok(counts == [made] and names["memfrob"]["self_ns"] > 0, "calls are exact, and samples are in the same function"):
        note(f"{made} made, {counts} counted; {sorted(names)}")
    # A caller may be unknown by the time that a stack is read, but most are known: all calls come from one place.
    ok(names["burn"]["total_ns"] >= names["memfrob"]["total_ns"] / 2, "callers are found beyond the wrapper")
    with open(DATA, "rb") as data:
        segments = data.read().count(b"DSEG\x02\0\0\0")  # of RECORD_PROCESS: src/recording/format.h
    ok(segments == 1, f"the process has one entry ({segments})")
    crew.end()


def busy(via):
    """A process that is inside malloc() and the linker most of the time."""
    crew, good = Crew(CREW, "2", "busy"), 0
    for _ in range(5):
        dwell = subprocess.run([DWELL, "calls", "-p", str(crew.pid), "--via", via, "-d", "0.05", "-f", "malloc,dlopen",
                                "-o", DATA], capture_output=True, text=True, env=environment(), timeout=PATIENCE_S)
        good += dwell.returncode == 0 or "try again" in dwell.stderr
        if dwell.returncode:
            note(dwell.stderr.strip())
    ok(good == 5, f"{via}: inside malloc() and dlopen(): success or a sentence ({good} of 5)")
    ok(int(crew.ask("go 10")) == 20 and crew.end() == 0, "the program goes on")


def recordings_in(crew):
    """The numbers of the recordings that are mapped."""
    return {line.split()[4] for line in crew.maps().splitlines() if "memfd:dwell-calls" in line}


def killed(via):
    crew = Crew(CREW, "4")
    before, code = crew.ask("sum"), code_of(crew.pid)
    dwell = start(crew, "--via", via, "-f", "rand_r")
    again = subprocess.run([DWELL, "calls", "-p", str(crew.pid), "-d", "0.1", "-f", "*", "-o", DATA + "2"],
                           capture_output=True, text=True, env=environment(), timeout=PATIENCE_S)
    ok(again.returncode == 2 and "another dwell is recording it" in again.stderr, "a second dwell is refused")
    dwell.kill()
    dwell.communicate()
    ok(wait_for(lambda: crew.ask("sum") == before), f"{via}: dwell is killed: everything is taken back all the same")
    ok(wait_for(lambda: "memfd:dwell" not in crew.maps()), "the recording too")
    dwell = start(crew, "--via", via, "-f", "rand_r")
    for pid in children_of(dwell.pid):
        os.kill(pid, signal.SIGKILL)
    dwell.kill()
    dwell.communicate()
    ok(int(crew.ask("go 100")) == 400, "its guardian too: the program goes on")
    left = recordings_in(crew)
    dwell = subprocess.Popen([DWELL, "calls", "-p", str(crew.pid), "--via", via, "-f", "rand_r", "-o", DATA, "--format", "json"],
                             stderr=subprocess.PIPE, text=True, env=environment())
    wait_for(lambda: dwell.poll() is not None or (recordings_in(crew).isdisjoint(left) and is_attached(crew.pid, via, code)))
    crew.ask("go 100")
    text = finish(dwell)[1]
    ok(counted(text) == 400, "the next dwell takes over")
    ok(crew.ask("sum") == before and "memfd:dwell" not in crew.maps(), "and takes everything back")
    dwell = start(crew, "--via", via, "-f", "rand_r")
    # Until then, it would be a process that cannot be attached to.
    wait_for(lambda: dwell.poll() is not None or is_attached(crew.pid, via, code))
    crew.process.kill()
    text = dwell.communicate(timeout=PATIENCE_S)[1]
    crew.process.wait()
    if not ok(dwell.returncode == 0 and counted(text) is not None, "the process is killed: dwell ends, and reports"):
        note(f"{dwell.returncode}: {text}")


if EMULATED:
    skip("calls of running processes", "the emulator has no ptrace()")
    shutil.rmtree(FOLDER)
    done()
unbound()
inside()
thrown()
opened()
for way in ("got", "entry"):
    in_cycles(way)
    family(way)
    sampled(way)
    busy(way)
    killed(way)
shutil.rmtree(FOLDER)
done()
