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


def main():
    total = missed = 0
    gdb.execute("set pagination off")
    # First each arc is new; then, after as many calls as there are places, all are known.
    gdb.execute("break many", to_string=True)
    gdb.execute("run", to_string=True)
    place = gdb.Breakpoint("*mcount")
    for ignored in (0, 20000):
        place.ignore_count = ignored
        gdb.execute("continue", to_string=True)
        for _ in range(CALLS):
            back = int(gdb.parse_and_eval("*(unsigned long *)$sp"))
            steps, lost = step_through(back)
            total += steps
            missed += lost
            gdb.execute("continue", to_string=True)
    print(f"steps {total} lost {missed}")
    gdb.execute("kill", to_string=True)


main()
