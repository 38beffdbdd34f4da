# SPDX-License-Identifier: MIT
"""under.py - circumstances that programs can be run under, `--under NAME`: what they are, and what they may change.

`outer` is around dwell, or around the program if it runs plainly; `inner` is between dwell and the program. Each makes
of (argv, env, launch) another (argv, env). `around` is a context that a whole run happens in: see surroundings.py."""
import contextlib
import pwd
from dataclasses import dataclass
from typing import Callable

from surroundings import Company, Interruptions, ReadOnly, SmallDisk, Traces, cannot_mount, library, no_root

# The demands on a recording.
WHOLE = "all that must be in it anyway"
NAMELESS = "the same, but no names of what was sampled"
READABLE = "whatever has come to be in it; it can be read"

PARTS = (2, 4, 8)  # the machine may be faster than it was


def as_it_is(argv, env, launch):  # pylint: disable=unused-argument
    return argv, env


def nowhere_else(launch):  # pylint: disable=unused-argument
    return contextlib.nullcontext()


def nothing_missing(dwell):  # pylint: disable=unused-argument
    return ""


@dataclass
class Under:
    name: str
    what: str
    outer: Callable = as_it_is
    inner: Callable = as_it_is
    around: Callable = nowhere_else
    missing: Callable = nothing_missing  # of the path of dwell: why it cannot be had here, in words
    is_plainly_unseen: bool = False  # what runs plainly cannot notice it: so it is not run plainly for this once more
    says: str = ""  # a pattern of lines that dwell may add to stderr
    refused: str = ""  # words of the sentence by which dwell must refuse
    ends_early: tuple = ()  # after which parts of its time, to be tried; what was done by then is not compared, how it ended is
    recording: str = WHOLE
    user: str = ""  # user that runs the program, unless it asks for another one
    drops_rights: bool = False  # outer or inner becomes launch.user, and is root's until then


def by_shell(line):
    """Runs `line`, a piece of shell that ends in `exec "$@"`."""
    return lambda argv, env, launch: (["sh", "-c", line, "sh", *argv], env)


def with_variables(**variables):
    return lambda argv, env, launch: (argv, {**env, **variables})


def without_environment(argv, env, launch):  # pylint: disable=unused-argument
    """Leaves PATH alone, by which programs are found."""
    return argv, {"PATH": env["PATH"]}


def with_libraries(argv, env, launch):
    """Any auditor leaves too little room for what is thread-local in some libraries, jemalloc to begin with."""
    return argv, {**env, "LD_PRELOAD": library(launch.dwell, "trace_preload"), "LD_AUDIT": library(launch.dwell, "trace_auditor"),
                  "GLIBC_TUNABLES": "glibc.rtld.optional_static_tls=8192", **Traces.variables(launch)}


def in_bare_root(argv, env, launch):
    """Runs argv in the root without the mounts below it, but with /dev; in a mount namespace that ends with it."""
    line = ('mount --bind / /mnt && mount --rbind /dev /mnt/dev && here=$1 && shift && '
            'exec chroot ${USERSPEC:+"--userspec=$USERSPEC"} /mnt sh -c \'cd "$0" && unset USERSPEC && exec "$@"\' "$here" "$@"')
    user = {"USERSPEC": f"{launch.user}:"} if launch.user else {}
    return ["unshare", "-m", "sh", "-c", line, "sh", launch.here, *argv], {**env, **user}


def as_other(argv, env, launch):
    who = pwd.getpwnam(launch.user)
    words = ["setpriv", f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--clear-groups", "--"]
    return ["env", f"HOME={who.pw_dir}", *words, *argv], env


def killed_halfway(argv, env, launch):
    return ["timeout", "-s", "KILL", f"{launch.part_s:.2f}", *argv], env


def ended_halfway(argv, env, launch):
    return ["timeout", "--preserve-status", f"{launch.part_s:.2f}", *argv], env


NOTHING = Under("", "nothing special")
ALL = (
    Under("read-only", "DATA in a folder that cannot be written", around=ReadOnly, missing=cannot_mount,
          is_plainly_unseen=True, refused="Read-only file system"),
    Under("full-disk", "DATA on a disk of 64 KB", around=SmallDisk, missing=cannot_mount, is_plainly_unseen=True,
          says=r"dwell record: (nothing|not everything) was recorded, because there was no room in '.*': No space left on device"),
    Under("parallel", "recorded to a folder that 100 runs of the program with --version, or so, are recorded to meanwhile",
          around=Company, is_plainly_unseen=True),
    Under("preloaded", "LD_PRELOAD and LD_AUDIT name libraries of the user's, which have to be at work in the same programs",
          with_libraries, around=Traces, missing=Traces.missing),
    Under("no-proc", "in a root without /proc", in_bare_root, missing=cannot_mount, recording=NAMELESS, drops_rights=True,
          # The second of what the linker could not load without it.
          says="dwell record: (samples have no names and no callers: /proc is not mounted|"
               r"--calls '\*' matched nothing that the program used)"),
    Under("other-user", "dwell is root's, and the command becomes another user before it executes the program",
          inner=as_other, missing=no_root, user="nobody", drops_rights=True),
    Under("killed", "SIGKILL by timeout, halfway", inner=killed_halfway, ends_early=PARTS, recording=READABLE),
    Under("ended", "SIGTERM by timeout around dwell, halfway", ended_halfway, ends_early=PARTS, recording=READABLE),
    Under("cpu-limit", "a second of CPU time for each process", by_shell('ulimit -c 0; ulimit -St 1; exec "$@"'), ends_early=(1,),
          recording=READABLE),
    Under("ended-late", "a limit of CPU time that is not reached", by_shell('ulimit -t 600; exec timeout 600 "$@"')),
    Under("nofile64", "64 descriptors at most", by_shell('ulimit -n 64; exec "$@"')),
    Under("closed-stdio", "stdin, stdout and stderr closed", by_shell('exec "$@" <&- >&- 2>&-')),
    Under("empty-environment", "nothing in the environment but PATH", without_environment),
    Under("interrupted", "stopped and continued 18 times a second", inner=Interruptions.pass_pid, around=Interruptions),
    Under("slow-clock", "a CPU whose counter cannot be trusted", with_variables(DWELL_CLOCK="ns"), is_plainly_unseen=True),
    Under("no-locked-memory", "no memory may be locked", by_shell('exec prlimit --memlock=0 -- "$@"')),
)


def by_names(names):
    """Returns the circumstances named in a comma-separated list; all of them for "all"."""
    wanted = [each.name for each in ALL] if names == "all" else names.split(",")
    known = {each.name: each for each in ALL}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise ValueError(f"there is no {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in wanted]
