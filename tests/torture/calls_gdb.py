# SPDX-License-Identifier: MIT
"""calls_gdb.py - runs inside gdb, for calls_debugger.py. Steps through calls an instruction at a time, and requests
a backtrace at each instruction in dwell's libraries. Prints for each call the number of steps, the number of those
inside, and where the backtrace did not reach main()."""
import gdb  # only there inside gdb

STEPS_MAX = 20000
DEPTH_MAX = 30

# Instructions with their stack pointers and callers whose backtrace was good: the same frames are there again.
good = set()

# The calls that calls_stepped makes, and how often.
KINDS = ("lib_add()", "lib_call()", "setjmp(), only counted")
TIMES = 3
LANDINGS = 3


def names_of_frames():
    names = []
    frame = gdb.newest_frame()
    while frame is not None and len(names) < DEPTH_MAX:
        names.append(frame.name())
        frame = frame.older()
    return names


def is_inside(pc):
    return "libdwell" in (gdb.solib_name(pc) or "")


def walk(title, caller, is_over):
    """Steps until is_over() returns true for a frame that is not dwell's."""
    inside, steps, bad, places = 0, 0, [], set()
    while True:
        frame = gdb.newest_frame()
        pc, sp = frame.pc(), int(frame.read_register("sp"))
        if is_inside(pc):
            inside += 1
            places.add(pc)
            if (pc, sp, caller) not in good:
                names = names_of_frames()
                if names[-1] == "main" and caller in names:
                    good.add((pc, sp, caller))
                else:
                    bad.append(f"{frame.name()} {pc:#x}: {names}")
        elif is_over(frame):
            break
        gdb.execute("stepi", to_string=True)
        steps += 1
        if steps > STEPS_MAX:
            bad.append("it never came back")
            break
    print(f"{title}: {steps} steps, {inside} inside, {len(places)} places, {len(bad)} bad")
    for place in bad[:10]:
        print(f"bad {place}")


def start():
    for setting in ("pagination off", "confirm off", "debuginfod enabled off", "breakpoint pending on",
                    "follow-fork-mode child"):
        gdb.execute(f"set {setting}", to_string=True)
    gdb.execute("catch exec", to_string=True)
    gdb.execute("run", to_string=True)  # dwell starts the program
    gdb.execute("delete", to_string=True)


def go_on(function):
    gdb.execute(f"break {function}", to_string=True)
    gdb.execute("continue", to_string=True)
    gdb.execute("delete", to_string=True)


def end():
    gdb.execute("continue")


def calls():
    """Steps through all calls of stepped() in calls_stepped."""
    start()
    for number in range(len(KINDS) * TIMES):
        go_on("stepped")
        caller_sp = int(gdb.newest_frame().older().read_register("sp"))
        walk(f"{KINDS[number // TIMES]} {number % TIMES + 1}", "stepped",
             lambda frame, end=caller_sp: int(frame.read_register("sp")) >= end)
    end()


def landings():
    """Steps through the landing of an exception that the caller of the wrapped function catches."""
    start()
    go_on("main")
    go_on("*arch_landing")  # the first time, it reads all of /proc/self/maps: that takes too long
    for number in range(LANDINGS):
        go_on("*arch_landing")
        walk(f"landing {number + 1}", "main", lambda frame: True)
    end()
