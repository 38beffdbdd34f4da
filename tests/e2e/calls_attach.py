#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_attach.py DWELL PROGRAMS STATIC - dwell calls -p: calls of a running process are counted exactly, the process
does not notice, everything is taken back, and a process that cannot be attached to is refused with a sentence.

tests/prog/crew.c makes as many calls as it is told, so counts are compared for equality; it prints a sum of its own
tables, which must be as before.
"""
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import done, note, ok, skip  # noqa: E402

DWELL, PROGRAMS, STATIC = (os.path.abspath(path) for path in sys.argv[1:4])
CYCLES = 30
THREADS = 64
CALLS = 200  # of each thread
PATIENCE_S = 30  # for dwell to begin or to end; it takes some hundredths of a second
FOLDER = tempfile.mkdtemp()
DATA = os.path.join(FOLDER, "x.data")


def environment(**more):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "DWELL_"))}
    return dict(clean, **more)


class Crew:
    """The program with its threads."""

    def __init__(self, *arguments, lazy=False, before=()):
        self.process = subprocess.Popen([*before, os.path.join(PROGRAMS, "crew"), *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True,
                                        env=environment(**({} if lazy else {"LD_BIND_NOW": "1"})))
        self.process.stdout.readline()
        self.pid = self.process.pid

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()[1]

    def maps(self):
        with open(f"/proc/{self.pid}/maps") as lines:
            return lines.read()

    def has(self):
        """Its mappings, descriptors and signal actions, as far as a recording would change them."""
        with open(f"/proc/{self.pid}/status") as lines:
            signals = [line for line in lines if line.startswith(("SigCgt", "SigIgn"))]
        return self.maps().count("\n"), len(os.listdir(f"/proc/{self.pid}/fd")), signals

    def end(self):
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S)


def start(crew, *options):
    """Starts dwell, and returns once the recording is mapped, or dwell has ended."""
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


def in_cycles():
    crew = Crew(str(THREADS))
    before, first, wrong = crew.ask("sum"), None, []
    # Each of these has other ways in and out.
    modes = [[], ["--count"], ["--by-caller"], ["--by-thread"], ["--sample-timing"]]
    for cycle in range(CYCLES):
        dwell = start(crew, "-f", "rand_r,read,nanosleep,sem_wait", *modes[cycle % len(modes)])
        made = int(crew.ask(f"go {CALLS}"))
        status, text = finish(dwell)
        found = status, counted(text), crew.ask("sum")
        # Every mode has needed memory of its own by then.
        first = crew.has() if cycle < len(modes) else first
        if found != (0, made, before) or crew.has() != first:
            wrong.append((cycle, found, made, crew.has(), first))
    for line in wrong[:5]:
        note(str(line))
    ok(not wrong, f"{CYCLES} times: exact counts, tables as before, no mapping or descriptor more")
    ok("memfd:dwell" not in crew.maps(), "nothing of the recording stays mapped")
    ok(crew.ask("eintr") == "0", "no system call of the program was interrupted")
    ok(int(crew.ask("go 10")) == 10 * THREADS, "it goes on")
    ok(crew.end() == 0, "and ends as usual")


def unbound():
    """Entries that the linker has not filled are put back as they were."""
    crew = Crew("4", lazy=True)
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


def family():
    crew = Crew("2")
    before = crew.ask("sum")
    dwell = start(crew, "-f", "rand_r")
    ok(crew.ask("fork") == "7", "a child of fork() runs")
    crew.ask("go 5")
    status, text = finish(dwell)
    ok(status == 0 and counted(text) == 10, "its calls are not counted, its parent's are")
    dwell = start(crew, "-f", "rand_r")
    crew.ask("go 5")
    crew.ask("close 3")
    crew.ask("go 5")
    status, text = finish(dwell)
    ok(status == 0 and counted(text) == 20, "the program closes all descriptors: threads that counted go on")
    ok(crew.ask("sum") == before, "its tables are as before")
    result = subprocess.run([DWELL, "calls", "-p", str(crew.pid), "-d", "0.2", "-f", "nanosleep", "-o", DATA],
                            capture_output=True, text=True, env=environment(), timeout=PATIENCE_S)
    ok(result.returncode == 0 and "nanosleep" in result.stderr, "-d ends the recording")
    info = subprocess.run([DWELL, "report", DATA], capture_output=True, text=True, env=environment(), check=False)
    ok("nanosleep" in info.stdout, "the recording can be read later")
    other = Crew("2")
    result = subprocess.run([DWELL, "calls", "-p", f"{crew.pid},{other.pid}", "-d", "0.2", "-f", "nanosleep", "-o", DATA],
                            capture_output=True, text=True, env=environment(), timeout=PATIENCE_S)
    ok(result.returncode == 0 and "2 processes" in result.stderr, "two processes in one recording")
    ok(crew.end() == 0 and other.end() == 0, "both end as usual")


def sampled():
    """dwell record -p --calls: samples and exact counts in one recording, and one entry for the process."""
    crew = Crew("4")
    before = crew.ask("sum")
    dwell = subprocess.Popen([DWELL, "record", "-p", str(crew.pid), "--calls", "memfrob", "--calls", "sched_yield", "-o",
                              DATA], stderr=subprocess.PIPE, text=True, env=environment())
    wait_for(lambda: crew.ask("sum") != before or dwell.poll() is not None)
    made = int(crew.ask("burn 8000"))
    dwell.send_signal(signal.SIGINT)
    line = dwell.communicate(timeout=PATIENCE_S)[1]
    ok(dwell.returncode == 0 and "samples of" in line, "dwell record -p --calls ends with its line")
    ok("--calls 'sched_yield' matched nothing" in line, "it names what matched nothing")
    ok(crew.ask("sum") == before and "memfd:dwell" not in crew.maps(), "everything is taken back")
    report = json.loads(subprocess.run([DWELL, "report", "--format", "json", DATA], capture_output=True, text=True,
                                       env=environment(), check=False).stdout)
    counts = [row["calls"] for row in report["calls"] if row["symbol"] == "memfrob"]
    names = {row["name"]: row for row in report["samples"]}
    if not ok(counts == [made] and names["memfrob"]["self_ns"] > 0, "calls are exact, and samples are in the same function"):
        note(f"{made} made, {counts} counted; {sorted(names)}")
    # A caller may be unknown by the time that a stack is read, but most are known: all calls come from one place.
    ok(names["burn"]["total_ns"] >= names["memfrob"]["total_ns"] / 2, "callers are found beyond the wrapper")
    ok(report["meta"]["processes"] == report["meta"]["sampled_processes"] == 1, "the process has one entry")
    crew.end()


def busy():
    """A process that is inside malloc() and the linker most of the time."""
    crew, good = Crew("2", "busy"), 0
    for _ in range(5):
        dwell = subprocess.run([DWELL, "calls", "-p", str(crew.pid), "-d", "0.05", "-f", "malloc,dlopen", "-o", DATA],
                               capture_output=True, text=True, env=environment(), timeout=PATIENCE_S)
        good += dwell.returncode == 0 or "try again" in dwell.stderr
        if dwell.returncode:
            note(dwell.stderr.strip())
    ok(good == 5, f"inside malloc() and dlopen(): success or a sentence ({good} of 5)")
    ok(int(crew.ask("go 10")) == 20 and crew.end() == 0, "the program goes on")


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as children:
        return [int(child) for child in children.read().split()]


def wait_for(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def killed():
    crew = Crew("4")
    before = crew.ask("sum")
    dwell = start(crew, "-f", "rand_r")
    again = subprocess.run([DWELL, "calls", "-p", str(crew.pid), "-d", "0.1", "-f", "*", "-o", DATA + "2"],
                           capture_output=True, text=True, env=environment(), timeout=PATIENCE_S)
    ok(again.returncode == 2 and "another dwell is recording it" in again.stderr, "a second dwell is refused")
    dwell.kill()
    dwell.communicate()
    ok(wait_for(lambda: crew.ask("sum") == before), "dwell is killed: everything is taken back all the same")
    ok(wait_for(lambda: "memfd:dwell" not in crew.maps()), "the recording too")
    dwell = start(crew, "-f", "rand_r")
    for pid in children_of(dwell.pid):
        os.kill(pid, signal.SIGKILL)
    dwell.kill()
    dwell.communicate()
    ok(int(crew.ask("go 100")) == 400, "its guardian too: the program goes on")
    dwell = subprocess.Popen([DWELL, "calls", "-p", str(crew.pid), "-f", "rand_r", "-d", "1.5", "-o", DATA,
                              "--format", "json"], stderr=subprocess.PIPE, text=True, env=environment())
    time.sleep(0.7)
    crew.ask("go 100")
    text = dwell.communicate(timeout=PATIENCE_S)[1]
    ok(counted(text) == 400, "the next dwell takes over")
    ok(crew.ask("sum") == before and "memfd:dwell" not in crew.maps(), "and takes everything back")
    dwell = start(crew, "-f", "rand_r")
    crew.process.kill()
    text = dwell.communicate(timeout=PATIENCE_S)[1]
    crew.process.wait()
    ok(dwell.returncode == 0 and counted(text) is not None, "the process is killed: dwell ends, and reports")


def attempt(pid, *before, **more):
    return subprocess.run([*before, DWELL, "calls", "-p", str(pid), "-d", "0.1", "-f", "*", "-o", DATA],
                          capture_output=True, text=True, env=environment(), timeout=PATIENCE_S, check=False, **more)


def refused(what, result, sentence):
    if not ok(result.returncode == 2 and sentence in result.stderr and result.stderr.count("\n") == 1, what):
        note(f"{result.returncode}: {result.stderr}")


def trace(pid):
    """Traces a process, as a debugger does."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long] * 4
    return libc.ptrace(0x4206, pid, 0, 0) == 0  # PTRACE_SEIZE


def untrace(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long] * 4
    libc.ptrace(0x4207, pid, 0, 0)  # PTRACE_INTERRUPT
    os.waitpid(pid, 0x40000000)
    libc.ptrace(17, pid, 0, 0)  # PTRACE_DETACH


def refused_options():
    for options, sentence in ((["calls", "-f", "*", "--via", "audit"], "needs a COMMAND"),
                              (["record", "--calls", "*", "--via", "audit"], "needs a COMMAND"),
                              (["record", "--calls", "*", "--every", "5s"], "--every needs a COMMAND"),
                              (["record", "--calls", "*", "--engine", "inside"], "need --engine outside")):
        refused(" ".join(options), subprocess.run([DWELL, options[0], "-p", "1", *options[1:]], capture_output=True,
                                                  text=True, env=environment(), check=False), sentence)


def refusals():
    refused("process 1", attempt(1), "the system depends on it")
    refused("an ancestor", attempt(os.getpid()), "has started dwell")
    refused("no such process", attempt(2 ** 22 - 3), "no such process")
    crew = Crew("1")
    os.kill(crew.pid, signal.SIGSTOP)
    time.sleep(0.1)
    refused("a stopped process", attempt(crew.pid), "it is stopped")
    os.kill(crew.pid, signal.SIGCONT)
    if trace(crew.pid):
        refused("a traced process", attempt(crew.pid), "traces it already")
        untrace(crew.pid)
    tid = next(int(tid) for tid in os.listdir(f"/proc/{crew.pid}/task") if int(tid) != crew.pid)
    refused("a thread", attempt(tid), "is a thread of process")
    if os.getuid() == 0 and os.access("/", os.X_OK):
        def become_nobody():
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        result = subprocess.run(["sh", "-c", "cd / && exec \"$@\"", "-", DWELL, "calls", "-p", str(crew.pid), "-f", "*",
                                 "-o", "/dev/shm/dwell-nobody.data"], capture_output=True, text=True,
                                env=environment(), preexec_fn=become_nobody, timeout=PATIENCE_S, check=False)
        if result.returncode in (126, 127):
            skip("a process of another user", "that user cannot run dwell where it was built")
        else:
            refused("a process of another user", result, "tracing it needs its user")
    else:
        skip("a process of another user", "needs root")
    ok(int(crew.ask("go 7")) == 7 and crew.end() == 0, "it goes on after all of them")


def more_refusals():
    static = subprocess.Popen([os.path.join(PROGRAMS, "attach_static"), "spin"], stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, env=environment())
    time.sleep(0.1)
    refused("a static program", attempt(static.pid), "it is a static program")
    static.kill()
    static.wait()
    sealed = subprocess.Popen([sys.executable, "-c", "import ctypes, sys; print(1, flush=True); sys.stdin.read(1); "
                               "ctypes.CDLL(None).prctl(22, 1)\nwhile True: pass"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, env=environment())
    sealed.stdout.readline()
    sealed.stdin.write(b"x")
    sealed.stdin.close()
    time.sleep(0.2)
    refused("a process with a seccomp filter", attempt(sealed.pid), "seccomp")
    sealed.kill()
    sealed.wait()
    recorded = subprocess.Popen([DWELL, "calls", "-q", "-f", "*", "-o", DATA + "3", "--", "sleep", "20"],
                                env=environment())
    wait_for(lambda: children_of(recorded.pid))
    time.sleep(0.3)
    refused("a program that dwell calls has started", attempt(children_of(recorded.pid)[0]), "another dwell")
    os.kill(children_of(recorded.pid)[0], signal.SIGTERM)
    recorded.wait()
    if os.getuid() != 0:
        skip("another root, another PID namespace", "needs root")
        return
    apart = subprocess.Popen([sys.executable, "-c", f"import os, sys; os.chroot({FOLDER!r}); print(1, flush=True); "
                              "sys.stdin.read()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
    apart.stdout.readline()
    refused("another root", attempt(apart.pid), "cannot see dwell's library")
    apart.kill()
    apart.wait()
    apart = subprocess.Popen(["unshare", "--pid", "--fork", "sleep", "20"], env=environment(),
                             stderr=subprocess.DEVNULL)
    if wait_for(lambda: apart.poll() is not None or children_of(apart.pid)) and apart.poll() is None:
        child = children_of(apart.pid)[0]
        time.sleep(0.2)
        refused("another PID namespace", attempt(child), "another PID namespace")
        os.kill(child, signal.SIGKILL)
    else:
        skip("another PID namespace", "unshare(1) cannot make one here")
    apart.wait()


in_cycles()
unbound()
family()
sampled()
busy()
killed()
refused_options()
refusals()
more_refusals()
shutil.rmtree(FOLDER)
done()
