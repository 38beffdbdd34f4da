# SPDX-License-Identifier: MIT
"""emulation.py - how tests run programs that are for another CPU: by the emulator that DWELL_EMULATOR names, as
`dwell calls` does. Without it, all programs are run as they are; then the kernel may know of an emulator."""
import functools
import mmap
import os
import re
import struct
import sys

EMULATOR = os.environ.get("DWELL_EMULATOR", "").split()

# An emulator runs the programs, started by the kernel or by the command above.
EMULATED = "TESTS_EMULATED" in os.environ

# Programs may take so many times as long as elsewhere: ./dev ports tells Meson the same.
PATIENCE = 10 if EMULATED else 1

# Variables that dwell needs even in tests that clear the environment.
SETTINGS = ("DWELL_EMULATOR", "DWELL_LIBDIR")


def machine_of(path):
    """Returns the machine of an ELF file, or None for another file."""
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError:
        return None
    return struct.unpack("<H", head[18:20])[0] if head[:4] == b"\x7fELF" and len(head) == 20 else None


MADV_WIPEONFORK = 18  # mmap does not name it


@functools.lru_cache(maxsize=None)
def wipes_on_fork():
    """Returns whether memory that `dwell calls` advises so is zeroed in a child, by which it detects a fork(). qemu-user does so
    since 8.0. Where this test itself is not emulated, it cannot tell."""
    if not EMULATED or EMULATOR:
        return not EMULATED
    with mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as page:
        page[0] = 1
        page.madvise(MADV_WIPEONFORK)
        child = os.fork()
        if not child:
            os._exit(page[0])
        return os.waitpid(child, 0)[1] == 0


# The vdso's function that reads a clock, as each kernel names it.
VDSO_CLOCK = "__kernel_clock_gettime" if os.uname().machine == "aarch64" else "__vdso_clock_gettime"


NO_VDSO = "the emulator has no vdso, or one whose build-id cannot be read"


def has_vdso():
    """Returns whether programs have one that can be read: qemu-user gives them one since 8.1. In that of aarch64, the note with the
    build-id is not aligned as its headers say."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return "[vdso]" in maps.read() and not (EMULATED and os.uname().machine == "aarch64")


PATCHED = (62, 183)  # x86-64, aarch64


def patches_entries(dwell, program):
    """Returns whether this dwell can patch the entries of functions of a program: it has glibc, and is of this CPU."""
    if EMULATOR or machine_of(dwell) not in PATCHED or machine_of(program) != machine_of(dwell):
        return False
    with open(program, "rb") as file:
        return b"ld-musl" not in file.read(4096)


def runnable(command):
    """The command with its emulator in front, if it needs one."""
    if EMULATOR and machine_of(command[0]) not in (None, machine_of(sys.executable)):
        return [*EMULATOR, *command]
    return list(command)


OWN = "it is about programs of this machine, which are tested by its own build"
NO_EXEC = "the kernel does not run programs for another CPU: only dwell and the test know of the emulator"
NO_WIPE = "the emulator takes MADV_WIPEONFORK and forgets it, so that a child counts as its parent"
NO_PERF = "the emulator has no perf_event_open()"
BEGINS_ANEW = "a child's time is mostly that of the emulator, which begins anew in it"
COARSE = "no clock of an emulator ticks more often than the kernel does, 100 to 1,000 times a second"
IN_STEP = "on a busy machine a thread's turn begins with a tick of the kernel, and the emulator's clocks sample it at the next"
NO_UNDELIVERED = "the emulator has blocked a signal before it finds that it cannot deliver it"
TWO_KEPT = "the emulator keeps two of the real-time signals"
NO_FAULTS_SENT = "the emulator ends by itself when a process sends itself a fault"
LATE_START = "a good part of a short run is the start of the program, which takes long in an emulator"
FULL = "the emulator's own memory is on both sides of the libraries, and too little is left in reach of a branch"
OWN_LIMITS = "limits of memory are the emulator's own as well"
NO_LIMITS = "the emulator takes limits of memory and forgets them"

OTHER_LINKER = "this machine's linker would complain of a preloaded library that is for another CPU when dwell starts"

BY_KERNEL = "a program that the kernel starts by an emulator has its variables reversed, and its file on the lowest free descriptor"

# Reasons that do not hold if the kernel knows of the emulator.
UNKNOWN_TO_KERNEL = (OWN, NO_EXEC, OTHER_LINKER)

# Points that an emulator cannot carry, by what they are called, and why.
CANNOT = [(re.compile(pattern), why) for pattern, why in (
    # calls_data.py
    (r"^arguments of the command are its own|^the command (is looked for in PATH|may be a script)", OWN),
    (r"^(exec of another program|fork\(\) and exec), .*(what was counted|process\(es\))", NO_EXEC),
    (r"^--by process: (a program that was executed|so it does where)", NO_EXEC),
    (r", closed: .*are as without dwell$", NO_EXEC),
    (r"(^|, )--via \w+(, closed: .*)?: arguments, environment, descriptors, signals and limits are as without dwell$",
     BY_KERNEL),
    (r"^fork\(\), --via \w+: 2 process", NO_WIPE),
    (r"^--by process: parent and child|^and pids of their own$|^--no-follow, fork\(\): only the first", NO_WIPE),
    # record_data.py
    (r"^abort\(\), timer: nothing is lost", "the emulator takes its time for a core file of the program"),
    (r"^threads that live for a tick|^all of them are in one recording, with their names",
     BEGINS_ANEW),
    (r"^signals and timers of the program's own", TWO_KEPT),
    # gmon.py
    (r"^it ends by fault: exact, and status", NO_FAULTS_SENT),
    (r"^it ends by exec: exact, and status",
     "without dwell, the timer of glibc's gprof ends what is executed: the emulator needs more than a tick to begin"),
    # record_gmon.py
    (r"^each process has one sampler --calls fork", NO_WIPE),
    # joined.py
    (r"^a thread that was sampled and has made calls is one thread", NO_WIPE),
    # calls_sees.py
    (r"^sees_copied has the relocations", "compilers for this CPU let no program have a copy of a variable"),
    (r"^opened again, --via entry: the recording does not grow|^closed and opened again, -f '\*' --via entry",
     "the emulator gives memory that was unmapped another address the next time"),
    # calls_entry.py
    (r"^without an auditor, 1 threads: a library opened later",
     "the emulator has a thread of its own, so that no process has one alone"),
    # calls.py
    (r"^calls_children (vfork|spawn|shell|exec)", NO_EXEC),
    (r"^calls_children ", NO_WIPE),
    (r"^\w+: as many calls on each path as the program has made", NO_WIPE),
    (r"^calls_endings exec_itself", NO_EXEC),
    (r"^calls_scarcity no_memory", OWN_LIMITS),
    (r"^calls_loading closed_before_exec", NO_EXEC),
    (r"^calls_loading (interposed|constructors lib)", OTHER_LINKER),
    (r"^calls_loading (again_and_again|in_threads): .*beside samples",
     "the emulator crashes where a system call gets memory of a library that is half loaded"),
    (r"^calls_(depth|threads one_after_another)|^calls_exceptions\w* (many|deep)",
     "the emulator takes minutes for that many calls"),
    (r"^calls_cancel\w* main_exits: .*beside samples", "the emulator crashes if a signal meets the end of its first thread"),
    (r"^calls_children clone_blank", "a child of its own crashes there without dwell as well"),
    (r"^calls_cancel cancel_anywhere",
     "a call counts as running if its thread is cancelled in the C part of the wrapper, where an emulator takes long"),
    # annotate.py: it needs 500 samples
    (r"^the time at each line is what the program has spent there", COARSE),
    # calls_crowd.py
    (r"^\d\d libraries, --via entry: (each has one call|none is lost)", FULL),
    # conditions_limits.py
    (r"^timeout\(1\), both", "timeout(1) ends it before the emulator has started dwell"),
    # conditions_processes.py
    (r"^dwell has ended, record", COARSE),
    # conditions_users.py
    (r"^another user, .*, record: all is recorded$", COARSE),
    (r"^a root without /proc, /dev and /tmp, from outside", NO_PERF),
    # diff.py
    (r"^half as much again in one function|^the same in another build|^--min 50: growth|^three runs of each"
     r"|^one recording a side does not fail|^--normalize: of 1", COARSE),
    # doctor.py
    (r"^perf events with perf_event_paranoid", NO_PERF),
    (r"^dwell calls fails where there is little address space", NO_LIMITS),
    # record_maps.py: the first sample in a library that was just opened may lack callers
    (r"^their stacks are followed to the end, in at least 99 %|^and callers$", COARSE),
    # record_paused.py: no tick has hit it
    (r"^paused time is not lost$", LATE_START),
    # record_outside.py
    (r"^one sentence: -p 999999999$", NO_PERF),
    # record_regions.py
    (r"^a child is in the regions of its parent: the time agrees", BEGINS_ANEW),
    (r"^regions of each thread: the time agrees", "the emulator takes milliseconds to start a thread, in a region of its creator"),
    # report_schema.py
    (r"^every property of \w+ is in some report: not (\w+_events(, )?)+$", NO_PERF),
    # record_programs.py
    (r"^xz .*: which is where a thread starts", "the function that threads start in has a name in libc's debug file alone"),
    # record_torture.py
    (r"^10,000 frames, timer: stacks are cut|^handlers on a stack of their own, timer: are followed", LATE_START),
    (r"^handlers that fill a stack of [0-9,]+ bytes, timer: their time is there", LATE_START),
    (r"^tiny threads, timer|^64 descriptors and threads: all samples", TWO_KEPT),
    (r"^63 ways to receive SIGSEGV", NO_FAULTS_SENT),
    (r"^alternate stacks that are unmapped|^a thread without ticks ends late", NO_UNDELIVERED),
    (r"^files of 96 KiB at most: |^2000 threads at once: |^a sample costs less than", COARSE),
    (r"^48 KiB of stack: a command", NO_LIMITS),
    # top.py
    (r"^the hottest function first$", IN_STEP),
)]


def holds(why):
    """Returns whether a reason holds for this emulator."""
    if why in UNKNOWN_TO_KERNEL:
        return bool(EMULATOR)
    if why == BY_KERNEL:
        return not EMULATOR
    return why != NO_WIPE or not wipes_on_fork()


def excuse(what):
    """Why a point cannot be tried; None: it can."""
    return next((why for pattern, why in CANNOT if EMULATED and pattern.search(what) and holds(why)), None)
