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


NOTHING = Under("", "nothing special")
ALL = (
    Under("nofile64", "64 descriptors at most", by_shell('ulimit -n 64; exec "$@"')),
    Under("closed-stdio", "stdin, stdout and stderr closed", by_shell('exec "$@" <&- >&- 2>&-')),
)


def by_name(name):
    return next((each for each in (NOTHING, *ALL) if each.name == name), None)
