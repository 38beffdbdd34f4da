#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""conditions_users.py DWELL PROGRAMS - other users, and other roots."""
import os
import shutil
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from conditions import TARGET, WAYS, Condition, Named, with_children  # noqa: E402
from sampled import DWELL, Raw, one_sentence, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

NOBODY = 65534
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def users():
    if os.geteuid():
        skip("other users", "it takes root to become another")
        return
    other = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    try:
        run(DWELL, "--version", **other)
    except PermissionError:
        skip("other users", "they cannot run what was built here")
        return
    with Condition("as another user", **other) as condition:
        condition.unharmed("work")
    with Condition("a folder that is another's", **other) as condition:
        os.chmod(condition.folder, 0o755)
        condition.unharmed("work", refused="Permission denied")
    with Condition("a program that becomes another user") as condition:
        condition.unharmed("drops")
    with Condition("a program that is started as another user") as condition:
        condition.target = "setpriv"
        condition.unharmed(f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", TARGET, "work", ways=("both",))
    becomes_another()
    is_sent()
    is_elsewhere()


def commands(condition):
    """Returns the commands of all processes in a recording, in the order of their segments."""
    raw = Raw(condition.path(condition.data))
    heads = (raw.bytes[offset + 64:] for offset in sorted(raw.processes))
    return [text(head[80:80 + 304]).rstrip("\0").split("\0") for head in heads]


def becomes_another():
    """Checks that programs executed after rights are given up are recorded too, if no other process keeps those
    rights."""
    for what, *command in (("at once", *AS_NOBODY, TARGET, "work"),
                           ("after others have ended", "sh", "-c", f'{TARGET} small; exec "$@"', "sh", *AS_NOBODY, TARGET, "work")):
        for way in with_children(f"another user, {what}"):
            with Condition(f"another user, {what}") as condition:
                plain = condition.run(*command)
                answer = condition.run(DWELL, *WAYS[way], "-q", "-o", "data", "--", *command)
                found = commands(condition)
                owner = os.stat(condition.path("data")).st_uid
                problems = condition.problems(plain, answer, None) + condition.missing(way, None)
                # Itself, its child and the program that the child executes.
                if not ok(not problems and found[-4:].count([TARGET, "work"]) >= 2 and found[-1] == [TARGET, "small"]
                          and owner == NOBODY, f"{condition.what}, {way}: all is recorded"):
                    note("\n".join([*problems, str(found), str(owner)]))


def is_sent():
    """Checks that such programs are reported as not recorded while another process keeps the rights; no other user
    can write to the recording."""
    lost = "5 programs not recorded: cannot open 'data': Permission denied"
    for way in with_children("another user, sent by one who waits"):
        with Condition("another user, sent by one who waits") as condition:
            plain = condition.run(TARGET, "sends")
            answer = condition.dwell(way, "sends")
            status = os.stat(condition.path("data"))
            found = commands(condition)
            said = text(run(DWELL, "report", condition.path("data")).stdout)
            problems = condition.problems(plain, answer, lost) + condition.missing(way, lost)
            if not ok(not problems and status.st_uid == 0 and stat.S_IMODE(status.st_mode) == 0o600
                      and "LOST: programs that could not open the recording: 5: Permission denied" in said
                      and "LOST: not everything" not in said and found[-1] == [TARGET, "small"], f"{condition.what}, {way}: is said"):
                note("\n".join([*problems, str(status), said, str(found)]))


def is_elsewhere():
    """Checks the same if the processes that keep the rights are not visible from where they are given up."""
    command = ["unshare", "--pid", "--fork", *AS_NOBODY, TARGET, "small"]
    if run(*command).returncode != 3:
        skip("another user, in a namespace of its own", "there is none to be had")
        return
    lost = "1 program not recorded: cannot open 'data': Permission denied"
    for way in with_children("another user, in a namespace of its own"):
        with Condition("another user, in a namespace of its own") as condition:
            plain = condition.run(*command)
            answer = condition.run(DWELL, *WAYS[way], "-q", "-o", "data", "--", *command)
            owner = os.stat(condition.path("data")).st_uid
            problems = condition.problems(plain, answer, lost) + condition.missing(way, lost)
            if not ok(not problems and owner == 0, f"{condition.what}, {way}: is said"):
                note("\n".join([*problems, str(owner)]))


def needed(path):
    """Returns the files that a program is linked with."""
    return [word for line in text(run("ldd", path).stdout).splitlines() for word in line.split() if word.startswith("/")]


def make_root(condition):
    """Makes a root without /proc, /dev and /tmp, but with dwell."""
    root = condition.path("root")
    folder = os.path.dirname(DWELL)
    for path in {DWELL, TARGET, *needed(DWELL), *needed(TARGET)}:
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        shutil.copy(path, root + path)
        # The linker of a separate namespace looks for itself where libraries are.
        if "/ld-" in path:
            for library in needed(DWELL):
                if "/libc." in library:
                    os.makedirs(root + os.path.dirname(library), exist_ok=True)
                    shutil.copy(path, f"{root}{os.path.dirname(library)}/{os.path.basename(path)}")
    for name in os.listdir(f"{folder}/runtime"):
        if os.path.exists(f"{folder}/runtime/{name}/libdwell-audit.so"):
            os.makedirs(f"{root}{folder}/runtime/{name}")
            for library in ("audit", "calls", "record"):
                file = f"{folder}/runtime/{name}/libdwell-{library}.so"
                shutil.copy(file, root + file)
    return root


def roots():
    if os.geteuid():
        skip("a root without /proc", "it takes root to go there")
        return
    with Condition("a program that goes to an empty root") as condition:
        os.mkdir(condition.path("empty"))
        condition.unharmed("goes", "empty")
    with Condition("a program that goes to a root without dwell") as condition:
        for path in {TARGET, *needed(TARGET)}:
            os.makedirs(condition.path("root") + os.path.dirname(path), exist_ok=True)
            shutil.copy(path, condition.path("root") + path)
        condition.unharmed("moves", "root", lost="3 programs not recorded: cannot open 'data': No such file")
    with Condition("a root without /proc, /dev and /tmp") as condition:
        root = make_root(condition)
        condition.wrapper = ("chroot", root)
        condition.data = "/data"
        plain = condition.run(TARGET, "work")
        for way in with_children(condition.what):
            answer = condition.dwell(way, "work")
            problems = condition.problems(plain, answer, "samples have no names and no callers: /proc is not mounted")
            os.rename(f"{root}/data", condition.path("data"))
            problems += Named(condition, "data").missing(way, None)
            if not ok(not problems, f"{condition.what}, {way}: as without dwell"):
                note("\n".join(problems))
        answer = condition.run(DWELL, "record", "--engine", "outside", "-o", "/data", "--", TARGET, "small")
        ok(one_sentence(answer, "/proc is not mounted") and not os.path.exists(f"{root}/data"), f"{condition.what}, from outside: refused")


users()
roots()
done()
