#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""conditions_surroundings.py DWELL PROGRAMS - unusual descriptors, environments and names of files, and other tools at
work."""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from conditions import TARGET, WAYS, Condition, plain, with_children  # noqa: E402
from sampled import DWELL, environment, one_sentence, program, text  # noqa: E402
from tap import done, ok  # noqa: E402


def descriptors():
    for closed in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
        def close(closed=closed):
            for number in closed:
                os.close(number)
        with Condition(f"without descriptors {' '.join(map(str, closed))}", says=True, preexec_fn=close) as condition:
            condition.unharmed("sees", ways=("both",) if len(closed) < 3 else WAYS)


def surroundings():
    with Condition("nothing in the environment", env={}) as condition:
        condition.unharmed("sees")
    with Condition("100 KB in the environment and as an argument", env=environment(LARGE="x" * 100000)) as condition:
        condition.unharmed("sees", "y" * 100000)
    with Condition("a folder that is gone", "sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh") as condition:
        condition.data = condition.path("data")
        condition.unharmed("sees")
    with Condition("a folder that is gone, for the recording", "sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"',
                   "sh") as condition:
        condition.unharmed("sees", refused="cannot create 'data': No such file")
    with Condition("nothing to put temporary files in", env=environment(TMPDIR="/no/such/folder")) as condition:
        condition.unharmed("work")
    with Condition("signals that are ignored and blocked", preexec_fn=deaf) as condition:
        condition.unharmed("sees")


def deaf():
    for number in (signal.SIGCHLD, signal.SIGPROF, signal.SIGTRAP, signal.SIGXFSZ, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGPROF, signal.SIGTRAP, signal.SIGRTMAX})


def names():
    """Checks unusual names of files."""
    for name in ("a blank", "a\nline", "%s%n", "a 'quote\" $x `y`", "-o", "\udcff\udcfe", "a:colon", "\x1b[31mred", "x" * 255):
        data = f"./{name}"
        with Condition(f"DATA is {name[:20]!r}", data=data) as condition:
            condition.unharmed("small", ways=("both",))
            answer = condition.run(DWELL, "record", "-o", plain(data), "--", TARGET, "small")
            ok(text(answer.stderr).count("\n") == 1 and "\x1b" not in text(answer.stderr),
               f"DATA is {name[:20]!r}: one line, {text(answer.stderr).strip()[:60]}")
    with Condition("no file") as condition:
        os.mkfifo(condition.path("fifo"))
        os.mkdir(condition.path("folder"))
        os.symlink("nowhere", condition.path("link"))
        for data in ("fifo", "folder", "link", "/dev/null", "/dev/full", "/dev/stdout", "/proc/self/x", "no/such", "", "x" * 256):
            condition.data = data
            for way in WAYS:
                ok(one_sentence(condition.dwell(way, "small")), f"DATA is '{data[:20]}', {way}: refused by one sentence")
        ok(sorted(os.listdir(condition.folder)) == ["fifo", "folder", "link"], "and nothing is left behind")


def composed():
    """Checks that the user's preloaded libraries and auditors work, in this order, in the program and in its
    children."""
    user = environment(LD_PRELOAD=program("libsees_preload.so"), LD_AUDIT=program("libsees_auditor.so"))
    for way in WAYS:
        with Condition("", env=user) as condition:
            plain = condition.run("sh", "-c", f'echo "$LD_PRELOAD $LD_AUDIT"; {program("sees_guest")}')
            condition.target = "sh"
            answer = condition.dwell(way, "-c", f'echo "$LD_PRELOAD $LD_AUDIT"; {program("sees_guest")}')
            (_, *said), (variables, *others) = (text(each.stdout).splitlines() for each in (plain, answer))
            preload, audit = variables.split(" ")
            ok(preload.split(":")[-1] == program("libsees_preload.so") and audit.split(":")[-1] == program("libsees_auditor.so"),
               f"LD_PRELOAD and LD_AUDIT of the user, {way}: ours are put in front")
            seen = {line for line in text(answer.stderr).splitlines() if line.startswith("auditor sees ")}
            ok(others == said and "result 4057" in said and answer.returncode == plain.returncode
               and "auditor sees libsees_basic.so" in seen, f"LD_PRELOAD and LD_AUDIT of the user, {way}: both are at work")
            ok(not condition.missing(way, None), f"LD_PRELOAD and LD_AUDIT of the user, {way}: and so are ours")


def counters():
    """Forbids the CPU's counter, by which calls are timed: samples and counts go on."""
    for clock in ("ticks", "ns"):
        with Condition(f"without the CPU's counter, DWELL_CLOCK={clock}", env=environment(DWELL_CLOCK=clock)) as condition:
            condition.unharmed("without_counter")


def nested():
    for outer in with_children("dwell around it"):
        with Condition(f"dwell {outer} around it", DWELL, *WAYS[outer], "-q", "-o", "outer", "--") as condition:
            condition.unharmed("work")


descriptors()
surroundings()
names()
composed()
counters()
nested()
done()
