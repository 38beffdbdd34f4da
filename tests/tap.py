# SPDX-License-Identifier: MIT
"""tap.py - the few functions a test driver in Python is written with; see tap.h."""
import signal
import sys

from emulation import excuse

# Programs that a test starts have the default actions, even if the test itself was started by nohup(1) or in the
# background of a shell, where these signals are ignored.
for sig in (signal.SIGHUP, signal.SIGQUIT):
    signal.signal(sig, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_points = 0
_failures = 0


def ok(holds, what):
    """Prints one point: the condition, and its meaning in words. Returns the condition."""
    global _points, _failures
    why = excuse(what)
    if why:
        skip(what, why)
        return True
    _points += 1
    _failures += not holds
    print(f"{'ok' if holds else 'not ok'} {_points} - {what}", flush=True)
    return bool(holds)


def skip(what, why):
    """A point that cannot be tried here, and why."""
    global _points
    _points += 1
    print(f"ok {_points} - {what} # SKIP {why}", flush=True)


def note(text):
    """Something to read beside the points."""
    for line in str(text).splitlines():
        print(f"# {line}", flush=True)


def ok_in_three(measure, what):
    """A statistical point: measured up to three times before it fails, the tolerance never widened."""
    for attempt in (1, 2, 3):
        if measure():
            return ok(True, what)
        note(f"attempt {attempt} of 3 missed: {what}")
    return ok(False, what)


def done():
    print(f"1..{_points}")
    sys.exit(1 if _failures else 0)
