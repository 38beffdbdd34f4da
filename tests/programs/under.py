# SPDX-License-Identifier: MIT
"""under.py - circumstances that programs can be run under, `--under NAME`: the plain run and all others alike.

`outer` is around dwell, or around the program if it runs plainly; `inner` is between dwell and the program. Each makes
of (argv, env) another such pair."""
from dataclasses import dataclass
from typing import Callable


def as_it_is(argv, env):
    return argv, env


def by_shell(line):
    """Runs `line`, a piece of shell that ends in `exec "$@"`."""
    return lambda argv, env: (["sh", "-c", line, "sh", *argv], env)


@dataclass
class Under:
    name: str
    what: str
    outer: Callable = as_it_is
    inner: Callable = as_it_is


def with_variables(**variables):
    return lambda argv, env: (argv, {**env, **variables})


def without_environment(argv, env):
    """What programs are found by is left."""
    return argv, {"PATH": env["PATH"]}


# Stops the process and lets it go on, for as long as it is there; by somebody who is not its child.
INTERRUPTED = """
pid=$$
( ( while kill -STOP $pid 2>/dev/null; do sleep 0.005; kill -CONT $pid; sleep 0.05; done ) </dev/null >/dev/null 2>&1 & )
exec "$@"
"""

NOTHING = Under("", "nothing special")
ALL = (
    Under("nofile64", "64 descriptors at most", by_shell('ulimit -n 64; exec "$@"')),
    Under("closed-stdio", "stdin, stdout and stderr closed", by_shell('exec "$@" <&- >&- 2>&-')),
    Under("empty-environment", "nothing in the environment but PATH", without_environment),
    Under("preloaded", "a library that the user has preloaded", with_variables(LD_PRELOAD="libm.so.6")),
    Under("interrupted", "stopped and continued 18 times a second", inner=by_shell(INTERRUPTED)),
    Under("slow-clock", "a CPU whose counter cannot be trusted", with_variables(DWELL_CLOCK="ns")),
    Under("no-locked-memory", "no memory may be locked", by_shell('exec prlimit --memlock=0 -- "$@"')),
    Under("ended-late", "a limit of CPU time that is not reached", by_shell('ulimit -t 600; exec timeout 600 "$@"')),
)


def by_name(name):
    return next((each for each in (NOTHING, *ALL) if each.name == name), None)
