# SPDX-License-Identifier: MIT
"""gmon_gdb.py - runs inside gdb, for gmon_torture.py: steps through mcount, instruction by instruction, both where
an arc is new and where it is known, and checks at each whether the backtrace reaches main(). Prints "steps N lost
N"."""
import gdb  # only there inside gdb

CALLS = 4  # each of them
STEPS_MAX = 2000  # of one call
STACK_BYTES = 1 << 20  # more than a call takes


def reaches_main():
    frame = gdb.newest_frame()
    while frame and frame.name() != "main":
        frame = frame.older()
    return frame is not None


def stack_pointer():
    return int(gdb.parse_and_eval("(unsigned long)$sp"))


def step_through(back):
    """Steps through one call, up to its return address; returns the number of steps, and of those without main() in
    the backtrace. A tick may lead into its handler, which has a stack of its own: gdb takes some places there for a
    broken stack."""
    steps = lost = 0
    start = stack_pointer()
    while gdb.newest_frame().pc() != back and steps < STEPS_MAX:
        lost += abs(stack_pointer() - start) < STACK_BYTES and not reaches_main()
        gdb.execute("stepi", to_string=True)
        steps += 1
    return steps, lost


def calls_from_here():
    """Steps through a few calls, the first of which the program has just made; returns the sums of step_through()."""
    total = missed = 0
    for _ in range(CALLS):
        steps, lost = step_through(int(gdb.parse_and_eval("*(unsigned long *)$sp")))
        total += steps
        missed += lost
        gdb.execute("continue", to_string=True)
    return total, missed


def go_two_rounds_on(place):
    """Runs until all arcs are known: two rounds later. The caller's own place is met once in a round, and mcount
    10,000 times."""
    caller = gdb.newest_frame().older().older().pc()
    place.enabled = False
    there = gdb.Breakpoint(f"*{caller:#x}")
    there.ignore_count = 2
    gdb.execute("continue", to_string=True)
    there.delete()
    place.enabled = True
    gdb.execute("continue", to_string=True)


def main():
    gdb.execute("set pagination off")
    gdb.execute("break many", to_string=True)
    gdb.execute("run", to_string=True)
    place = gdb.Breakpoint("*mcount")
    gdb.execute("continue", to_string=True)
    new = calls_from_here()
    go_two_rounds_on(place)
    known = calls_from_here()
    print(f"steps {new[0] + known[0]} lost {new[1] + known[1]}")
    gdb.execute("kill", to_string=True)


main()
