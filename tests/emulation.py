# SPDX-License-Identifier: MIT
"""emulation.py - how tests run programs that are for another CPU: by the emulator that DWELL_EMULATOR names, as
`dwell calls` does. Without it, all programs are run as they are; then the kernel may know of an emulator."""
import os
import re
import struct
import sys

EMULATOR = os.environ.get("DWELL_EMULATOR", "").split()

# An emulator runs the programs, started by the kernel or by the command above.
EMULATED = "TESTS_EMULATED" in os.environ

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

OTHER_LINKER = "this machine's linker would complain of a preloaded library that is for another CPU when dwell starts"

# Reasons that do not hold if the kernel knows of the emulator.
UNKNOWN_TO_KERNEL = (OWN, NO_EXEC, OTHER_LINKER)

# Points that an emulator cannot carry, by what they are called, and why.
CANNOT = [(re.compile(pattern), why) for pattern, why in (
    # calls_data.py
    (r"^arguments of the command are its own|^the command (is looked for in PATH|may be a script)", OWN),
    (r"^(exec of another program|fork\(\) and exec), .*(what was counted|process\(es\))", NO_EXEC),
    (r"^--by process: (a program that was executed|so it does where)", NO_EXEC),
    (r", closed: .*are as without dwell$", NO_EXEC),
    (r"^fork\(\), --via \w+: 2 process", NO_WIPE),
    (r"^--by process: parent and child|^and pids of their own$|^--no-follow, fork\(\): only the first", NO_WIPE),
    # record_data.py
    (r"^abort\(\), timer: nothing is lost", "the emulator takes its time for a core file of the program"),
    (r"^threads that live for a tick|^all of them are in one recording, with their names",
     "a child's time is mostly that of the emulator, which begins anew in it"),
    (r"^signals and timers of the program's own", "the emulator keeps two of the real-time signals"),
    # gmon.py
    (r"^it ends by fault: exact, and status", "the emulator ends by itself when a handler sends a fault on"),
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
    (r"^calls_scarcity no_memory", "limits of memory are the emulator's own as well"),
    (r"^calls_loading closed_before_exec", NO_EXEC),
    (r"^calls_loading (interposed|constructors lib)", OTHER_LINKER),
    (r"^calls_(depth|threads one_after_another)|^calls_exceptions\w* (many|deep)",
     "the emulator takes minutes for that many calls"),
    (r"^calls_cancel cancel_anywhere",
     "a call counts as running if its thread is cancelled in the C part of the wrapper, where an emulator takes long"),
)]


def excuse(what):
    """Why a point cannot be tried; None: it can."""
    return next((why for pattern, why in CANNOT
                 if EMULATED and (EMULATOR or why not in UNKNOWN_TO_KERNEL) and pattern.search(what)), None)
