#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_refusals.py DWELL PROGRAMS - dwell calls -p and processes that cannot be attached to, or only with care: each is
refused with a sentence, or succeeds, and goes on in either case.

tests/prog/crew.c and awkward.c are the processes; both answer when they are asked, as long as they are unharmed.
"""
import contextlib
import ctypes
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from attached import PATIENCE_S, Crew, children_of, environment, wait_for  # noqa: E402
from emulation import EMULATED, machine_of  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

DWELL, PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:3])
CREW = os.path.join(PROGRAMS, "crew")
FOLDER = tempfile.mkdtemp()
DATA = os.path.join(FOLDER, "x.data")
IS_ROOT = os.getuid() == 0
ENTERED = (62, 183)  # machines of ELF files whose processes can be entered: x86-64, aarch64
# dwell attaches within some hundredths of a second; it surveys libc for some tenths before it changes code.
DELAYS_MS = {"got": (0, 2, 4, 7, 11, 16, 25, 40, 70), "entry": (20, 60, 120, 180, 240, 300, 400)}
PAUSE = "#include <unistd.h>\nint main(void) { return (int)read(0, &(char){ 0 }, 1); }\n"


def attempt(pid, *before, verb=("calls", "-f", "*"), data=DATA, **more):
    return subprocess.run([*before, DWELL, verb[0], "-p", str(pid), "-d", "0.1", *verb[1:], "-o", data], capture_output=True,
                          text=True, env=environment(), timeout=2 * PATIENCE_S, check=False, **more)


def refused(what, result, *sentences):
    if not ok(result.returncode == 2 and any(sentence in result.stderr for sentence in sentences) and
              result.stderr.count("\n") == 1, what):
        note(f"{result.returncode}: {result.stderr}")


def succeeds(what, result):
    if not ok(result.returncode == 0, what):
        note(f"{result.returncode}: {result.stderr}")


def refused_options():
    for options, sentence in ((["calls", "-f", "*", "--via", "audit"], "needs a COMMAND"),
                              (["record", "--calls", "*", "--via", "audit"], "needs a COMMAND"),
                              (["record", "--calls", "*", "--every", "5s"], "--every needs a COMMAND"),
                              (["record", "--calls", "*", "--engine", "inside"], "need --engine outside")):
        refused(" ".join(options), attempt(1, verb=options), sentence)


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


def become_nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


def refused_to_nobody(what, pid):
    """Skips the point if that user cannot run dwell where it was built."""
    result = attempt(pid, "sh", "-c", "cd / && exec \"$@\"", "-", data="/dev/shm/dwell-nobody.data",
                     preexec_fn=become_nobody)
    if result.returncode in (126, 127):
        skip(what, "that user cannot run dwell where it was built")
    else:
        refused(what, result, "tracing it needs its user")


def which():
    """By what the process is to dwell."""
    refused("process 1", attempt(1), "the system depends on it")
    refused("process 1, dwell record --calls", attempt(1, verb=("record", "--calls", "*")), "the system depends on it")
    refused("an ancestor", attempt(os.getpid()), "has started dwell")
    refused("no such process", attempt(2 ** 22 - 3), "no such process")
    crew = Crew(CREW, "1")
    os.kill(crew.pid, signal.SIGSTOP)
    time.sleep(0.1)
    refused("a stopped process", attempt(crew.pid), "it is stopped")
    os.kill(crew.pid, signal.SIGCONT)
    if trace(crew.pid):
        refused("a traced process", attempt(crew.pid), "traces it already")
        untrace(crew.pid)
    tid = next(int(tid) for tid in os.listdir(f"/proc/{crew.pid}/task") if int(tid) != crew.pid)
    refused("a thread", attempt(tid), "is a thread of process")
    if IS_ROOT:
        refused_to_nobody("a process of another user", crew.pid)
    else:
        skip("a process of another user", "needs root")
    ok(int(crew.ask("go 7")) == 7 and crew.end() == 0, "it goes on after all of them")


def with_privileges():
    path = os.path.join(FOLDER, "setuid_crew")
    if not IS_ROOT:
        skip("a setuid program", "needs root")
        return
    shutil.copy(CREW, path)
    os.chmod(path, 0o4755)
    crew = Crew(path, "1", preexec_fn=become_nobody)
    with open(f"/proc/{crew.pid}/status") as status:
        has_gained = re.search(r"^Uid:\t65534\t0\t", status.read(), re.M)
    if has_gained:
        refused_to_nobody("a setuid program, of the user who started it", crew.pid)
        succeeds("the same, of root", attempt(crew.pid))
        refused("the same, of root, with samples", attempt(crew.pid, verb=("record", "--calls", "*")), "it is another user's")
    else:
        skip("a setuid program", "the file system ignores the bit")
    ok(int(crew.ask("go 7")) == 7 and crew.end() == 0, "it goes on")
    os.chmod(path, 0o755)
    crew = Crew(path, "1", preexec_fn=become_nobody)
    refused("another user's, of root, with samples", attempt(crew.pid, verb=("record", "--calls", "*")), "it is another user's")
    succeeds("the same without samples", attempt(crew.pid))
    ok(int(crew.ask("go 7")) == 7 and crew.end() == 0, "it goes on")


@contextlib.contextmanager
def running(*words, **more):
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), **more)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def compiled(name, *compiler):
    """Returns the path of a program that waits, or None."""
    path = os.path.join(FOLDER, name)
    try:
        made = subprocess.run([*compiler, "-xc", "-", "-o", path], input=PAUSE, text=True, capture_output=True, check=False)
    except FileNotFoundError:
        return None
    return path if made.returncode == 0 else None


def kinds():
    """By what the program is."""
    with running(os.path.join(PROGRAMS, "attach_static"), "spin") as static:
        time.sleep(0.1)
        refused("a static program", attempt(static.pid), "it is a static program")
    for what, name, compiler, sentence in (("a program of 32 bits", "i386", ("cc", "-m32"), "it is a 32-bit program"),
                                           ("a program that uses musl", "musl", ("musl-gcc",), "it uses musl")):
        path = compiled(name, *compiler)
        if not path:
            skip(what, f"{' '.join(compiler)} makes no program here")
            continue
        with running(path) as process:
            time.sleep(0.2)
            refused(what, attempt(process.pid), sentence)
            ok(process.poll() is None and process.communicate(b"x") == (b"", None) and process.returncode == 1,
               f"{what}: it goes on")


# Forbids mmap, mprotect and membarrier (9, 10 and 324 on x86-64) once it has read a byte, and waits for the next.
FILTERED = """
import ctypes, struct, sys
program = [struct.pack("HBBI", 0x20, 0, 0, 0)]  # A = the number of the system call
for i, number in enumerate((9, 10, 324)):
    program.append(struct.pack("HBBI", 0x15, 3 - i, 0, number))  # equal: to the last line
program += [struct.pack("HBBI", 6, 0, 0, 0x7fff0000), struct.pack("HBBI", 6, 0, 0, 0x00050001)]  # allow; EPERM
lines = ctypes.create_string_buffer(b"".join(program))
libc = ctypes.CDLL(None)
print(1, flush=True)
sys.stdin.buffer.raw.read(1)
libc.prctl(38, 1, 0, 0, 0)
result = libc.prctl(22, 2, struct.pack("HxxxxxxP", len(program), ctypes.addressof(lines)))
print(result, flush=True)
sys.stdin.buffer.raw.read(1)
print("on", flush=True)
"""


def filtered():
    """A filter that forbids system calls of ours, and allows all that the program needs."""
    with running(sys.executable, "-c", FILTERED) as process:
        for answer in (b"1\n", b"0\n"):
            ok(process.stdout.readline() == answer, "a process takes a seccomp filter")
            if answer == b"1\n":
                process.stdin.write(b"x")
                process.stdin.flush()
        for way in ("got", "entry"):
            refused(f"a filter that forbids mmap(), mprotect() and membarrier(), {way}",
                    attempt(process.pid, verb=("calls", "-f", "*", "--via", way)), "seccomp")
        ok(process.communicate(b"x")[0] == b"on\n" and process.returncode == 0, "it goes on")


def debugged():
    """A real debugger: it has stopped the process, and later lets it go."""
    if not shutil.which("gdb"):
        skip("a process that gdb has stopped", "gdb is not installed")
        return
    crew, flag = Crew(CREW, "2"), os.path.join(FOLDER, "held")
    gdb = subprocess.Popen(["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-p", str(crew.pid), "-ex",
                            f"shell touch {flag}; while [ -e {flag} ]; do sleep 0.05; done", "-ex", "detach"],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    if not wait_for(lambda: os.path.exists(flag) or gdb.poll() is not None) or gdb.poll() is not None:
        skip("a process that gdb has stopped", "gdb does not attach here")
        return
    for way in ("got", "entry"):
        refused(f"a process that gdb has stopped, {way}", attempt(crew.pid, verb=("calls", "-f", "*", "--via", way)),
                "traces it already")
    os.unlink(flag)
    gdb.wait(PATIENCE_S)
    succeeds("gdb lets it go: it can be attached to", attempt(crew.pid, verb=("calls", "-f", "*", "--via", "entry")))
    ok(int(crew.ask("go 7")) == 14 and crew.end() == 0, "it goes on")


def sealed():
    code = "import ctypes, sys; print(1, flush=True); sys.stdin.read(1); ctypes.CDLL(None).prctl(22, 1)\nwhile True: pass"
    with running(sys.executable, "-c", code) as process:
        process.stdout.readline()
        process.stdin.write(b"x")
        process.stdin.flush()
        time.sleep(0.2)
        refused("a process with a seccomp filter", attempt(process.pid), "seccomp")
    recorded = subprocess.Popen([DWELL, "calls", "-q", "-f", "*", "-o", DATA + "3", "--", "sleep", "20"], env=environment())
    wait_for(lambda: children_of(recorded.pid))
    time.sleep(0.3)
    refused("a program that dwell calls has started", attempt(children_of(recorded.pid)[0]), "another dwell")
    os.kill(children_of(recorded.pid)[0], signal.SIGTERM)
    recorded.wait()


def library_path():
    """The folder of dwell's library, from a process that has it."""
    crew = Crew(CREW, "1")
    attempt(crew.pid)
    found = re.search(r"(/.*)/libdwell-calls\.so", crew.maps())
    crew.end()
    return found and found.group(1)


def elsewhere():
    """In another root or namespace."""
    if not IS_ROOT:
        skip("another root, another PID or mount namespace", "needs root")
        return
    with running(sys.executable, "-c", f"import os, sys; os.chroot({FOLDER!r}); print(1, flush=True); sys.stdin.read()") as one:
        one.stdout.readline()
        refused("another root", attempt(one.pid), "cannot see dwell's library")
    apart = subprocess.Popen(["unshare", "--pid", "--fork", "sleep", "20"], env=environment(), stderr=subprocess.DEVNULL)
    if wait_for(lambda: apart.poll() is not None or children_of(apart.pid)) and apart.poll() is None:
        child = children_of(apart.pid)[0]
        time.sleep(0.2)
        refused("another PID namespace", attempt(child), "another PID namespace")
        os.kill(child, signal.SIGKILL)
    else:
        skip("another PID namespace", "unshare(1) cannot make one here")
    apart.wait()
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        skip("another mount namespace", "unshare(1) cannot make one here")
        return
    crew = Crew(CREW, "1", before=("unshare", "--mount"))
    succeeds("another mount namespace with the same files", attempt(crew.pid))
    ok(int(crew.ask("go 7")) == 7 and crew.end() == 0, "it goes on")
    copy = shutil.copy(CREW, os.path.join(FOLDER, "crew"))
    crew = Crew(copy, "1", before=("unshare", "--mount", "sh", "-c", f"mount -t tmpfs none '{library_path()}' && exec \"$@\"", "-"))
    refused("another mount namespace without dwell's library", attempt(crew.pid), "cannot see dwell's library")
    ok(int(crew.ask("go 7")) == 7 and crew.end() == 0, "it goes on")


def limit(kind, amount):
    return lambda: resource.setrlimit(kind, (amount, amount))


def limits():
    crew = Crew(CREW, "1", preexec_fn=limit(resource.RLIMIT_AS, 300 << 20))
    refused("a small limit on address space", attempt(crew.pid), "its limit on address space is 300 MB")
    ok(int(crew.ask("go 7")) == 7 and crew.end() == 0, "it goes on")
    needed = int(re.search(r"needs (\d+) MB", attempt_with_little()).group(1))
    crew = Crew(CREW, "60", preexec_fn=limit(resource.RLIMIT_AS, (needed + 1) << 20))
    refused("a limit on address space that is used up", attempt(crew.pid), "too little memory", "Cannot allocate memory")
    ok(int(crew.ask("go 7")) == 420 and crew.end() == 0, "it goes on")
    crew = Crew(CREW, "1", preexec_fn=limit(resource.RLIMIT_NOFILE, 12))
    succeeds("a small limit on descriptors", attempt(crew.pid))
    ok(int(crew.ask("go 7")) == 7 and crew.end() == 0, "it goes on")
    process = Awkward("files", preexec_fn=limit(resource.RLIMIT_NOFILE, 12))
    refused("no descriptor is left", attempt(process.pid), "no descriptor left")
    process.goes_on()


def attempt_with_little():
    crew = Crew(CREW, "1", preexec_fn=limit(resource.RLIMIT_AS, 300 << 20))
    text = attempt(crew.pid).stderr
    crew.end()
    return text


class Awkward:
    """tests/prog/awkward.c"""

    def __init__(self, *arguments, **more):
        self.what = arguments[0]
        self.process = subprocess.Popen([os.path.join(PROGRAMS, "awkward"), *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=environment(), **more)
        self.pid = self.process.pid
        self.process.stdout.readline()
        time.sleep(0.2)

    def goes_on(self):
        """Ends the awkward state, and then the program, after another attempt."""
        self.process.stdin.write(b"x")
        self.process.stdin.flush()
        ok(self.process.stdout.readline() == b"still here\n", f"{self.what}: the program goes on")
        if self.what != "files":
            succeeds(f"{self.what}: and can be attached to then", attempt(self.pid))
        ok(self.process.communicate(b"x")[0] == b"still here\n" and self.process.returncode == 0, f"{self.what}: it ends")


def busy():
    process = Awkward("malloc")
    refused("malloc: the only thread waits in malloc()", attempt(process.pid), "always inside malloc()")
    process.goes_on()
    process = Awkward("linker", os.path.join(PROGRAMS, "libawkward_plugin.so"))
    refused("linker: a thread holds the linker's lock", attempt(process.pid), "lock; try again")
    process.goes_on()


def attempt_when_free(pid):
    """Attaches once nothing else traces the process or has the recording open: what gives everything back after a dwell that
    was killed does."""
    end = time.monotonic() + PATIENCE_S
    while True:
        answer = attempt(pid)
        is_free = "traces it already" not in answer.stderr and "another dwell is recording" not in answer.stderr
        if is_free or time.monotonic() > end:
            return answer
        time.sleep(0.05)


def deaths(via):
    """Either of the two is killed at any moment."""
    results = []
    for delay in DELAYS_MS[via]:
        crew = Crew(CREW, "2")
        dwell = subprocess.Popen([DWELL, "calls", "-p", str(crew.pid), "--via", via, "-d", "20", "-f", "*", "-q", "-o", DATA],
                                 stderr=subprocess.PIPE, text=True, env=environment())
        time.sleep(delay / 1000)
        crew.process.kill()
        text = dwell.communicate(timeout=PATIENCE_S)[1]
        crew.process.communicate()
        results.append((dwell.returncode in (0, 2) and text.count("\n") <= 1, delay, dwell.returncode, text))
    ok(all(result[0] for result in results), f"{via}: the process is killed meanwhile: dwell ends with a sentence or none")
    for result in results:
        if not result[0]:
            note(str(result))
    crew = Crew(CREW, "4")
    before, alive = crew.ask("sum"), []
    for delay in DELAYS_MS[via]:
        dwell = subprocess.Popen([DWELL, "calls", "-p", str(crew.pid), "--via", via, "-d", "20", "-f", "*", "-q", "-o", DATA],
                                 stderr=subprocess.DEVNULL, env=environment())
        time.sleep(delay / 1000)
        dwell.kill()
        dwell.wait()
        alive.append(int(crew.ask("go 5")) == 20)
    ok(all(alive), f"{via}: dwell is killed while it attaches: the process goes on")
    if not ok(wait_for(lambda: "memfd:dwell" not in crew.maps() and crew.ask("sum") == before), "and has everything back"):
        note("\n".join(line for line in crew.maps().splitlines() if "memfd" in line))
    succeeds("it can be attached to again", attempt_when_free(crew.pid))
    ok(crew.ask("eintr") == "0" and crew.ask("sum") == before and crew.end() == 0, "it has noticed nothing")


def other_cpu():
    """Checks a dwell for a CPU where nothing can be loaded into a process, and an emulator, where nothing can be watched."""
    crew = Crew(CREW, "2")
    sentence = "it is emulated" if machine_of(DWELL) in ENTERED else "has to start the program"
    for verb in (("calls", "-f", "*"), ("calls", "-f", "*", "--via", "entry"), ("record", "--calls", "*")):
        refused(f"{' '.join(verb)}: another CPU", attempt(crew.pid, verb=verb), sentence)
    if EMULATED:
        refused("record -p in an emulator", attempt(crew.pid, verb=("record",)), "has no perf_event_open()")
    ok(int(crew.ask("go 7")) == 14 and crew.end() == 0, "it goes on")


os.chmod(FOLDER, 0o755)
refused_options()
if EMULATED or machine_of(DWELL) not in ENTERED:
    other_cpu()
    shutil.rmtree(FOLDER)
    done()
which()
with_privileges()
kinds()
sealed()
filtered()
debugged()
elsewhere()
limits()
busy()
deaths("got")
deaths("entry")
shutil.rmtree(FOLDER)
done()
