# SPDX-License-Identifier: MIT
"""execution.py - runs a command in a folder of its own, one way or another, and keeps what came of it."""
import hashlib
import os
import pwd
import re
import shutil
import signal
import stat
import subprocess
import time
from dataclasses import dataclass, field

POLL_S = 0.01
GRACE_S = 5


@dataclass
class Outcome:
    """The result of a run."""

    status: int = 0  # as a shell has it
    stdout: bytes = b""
    stderr: bytes = b""
    files: dict = field(default_factory=dict)  # path in the folder: (kind and mode, content)
    cpu_s: float = 0.0  # of all processes that were waited for
    wall_s: float = 0.0
    trouble: str = ""  # what went wrong with the run itself: it hung, a server did not start
    failed_requests: int = 0
    rate: float = 0.0  # of servers: requests in a second


def clean_environment(**changes):
    """Returns our environment without variables that would change how a program is loaded or what it prints."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("LD_", "DWELL_", "PROFIL_", "MALLOC_", "PYTHON", "GIT_", "MAKE", "MFLAGS"))}
    env.update(LC_ALL="C.UTF-8", **changes)
    return env


def content_of(path):
    """Returns (kind and mode, content) of a file; the digest of a large one."""
    status = os.lstat(path)
    kind = stat.filemode(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return kind, os.readlink(path).encode()
    if not stat.S_ISREG(status.st_mode):
        return kind, b""
    with open(path, "rb") as file:
        content = file.read()
    return kind, content if len(content) < 1 << 20 else hashlib.sha256(content).hexdigest().encode()


def files_below(folder, ignored):
    found = {}
    for parent, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(parent, name)
            short = os.path.relpath(path, folder)
            if not any(re.fullmatch(pattern, short) for pattern in ignored):
                found[short] = content_of(path)
    return found


def as_user(user):
    """Returns arguments for Popen(); none where we are not root."""
    if not user or os.geteuid():
        return {}
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


def give(path, user):
    """Gives a whole folder to a user and its group."""
    if as_user(user):
        subprocess.run(["chown", "-R", f"{user}:", path], check=True)


class Running:
    """A process that was started by Launch.start()."""

    def __init__(self, argv, here, kept, env, stdin=None, user=""):
        self.out_path, self.err_path = os.path.join(kept, "stdout"), os.path.join(kept, "stderr")
        self.began = time.monotonic()
        # Files, not pipes: a process that keeps them open does not keep us waiting.
        with open(self.out_path, "wb") as out, open(self.err_path, "wb") as err, open(stdin or os.devnull, "rb") as given:
            # pylint: disable-next=consider-using-with
            self.process = subprocess.Popen(
                argv, cwd=here, env=env, stdin=given, stdout=out, stderr=err, start_new_session=True, **as_user(user))
        self.pid = self.process.pid
        self.outcome = None

    def poll(self):
        """Returns the outcome, or None while it runs."""
        if self.outcome:
            return self.outcome
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        if not pid:
            return None
        self.process.returncode = os.waitstatus_to_exitcode(status)
        code = self.process.returncode
        with open(self.out_path, "rb") as out, open(self.err_path, "rb") as err:
            self.outcome = Outcome(
                status=code if code >= 0 else 128 - code, stdout=out.read(), stderr=err.read(),
                cpu_s=usage.ru_utime + usage.ru_stime, wall_s=time.monotonic() - self.began)
        return self.outcome

    def wait(self, timeout_s):
        """Returns the outcome. Kills a process that does not end, with its group."""
        deadline = time.monotonic() + timeout_s
        while not self.poll() and time.monotonic() < deadline:
            time.sleep(POLL_S)
        if self.outcome:
            return self.outcome
        for number in (signal.SIGTERM, signal.SIGKILL):
            os.killpg(self.pid, number)
            end = time.monotonic() + GRACE_S
            while not self.poll() and time.monotonic() < end:
                time.sleep(POLL_S)
            if self.outcome:
                break
        self.outcome = self.outcome or Outcome(status=-1)
        self.outcome.trouble = f"did not end within {timeout_s:.0f} s"
        return self.outcome


class Launch:
    """How one run is started: by which way, under which circumstances, and in which folder."""

    def __init__(self, way, under, dwell, folder, program, part_s=0.0):
        self.way, self.under, self.dwell, self.program, self.part_s = way, under, dwell, program, part_s
        self.env = clean_environment(**program.environment())
        self.user = program.user or under.user
        self.here = os.path.join(folder, "here")  # the same for all runs, so that no path differs
        self.kept = os.path.join(folder, way.name)
        self.data = os.path.join(self.kept, "dwell.data")
        self.problems = []  # with what is around it
        self.seen = {}  # as Outcome.files, of what is around it
        for path, user in ((self.here, self.user), (self.kept, program.user)):
            shutil.rmtree(path, ignore_errors=True)
            os.makedirs(path)
            give(path, user)

    def hand_over(self):
        """Gives the contents of `here` to the user that the program is run as."""
        if self.under.user:
            give(self.here, self.user)

    def start(self, argv, stdin=None):
        argv, env = self.under.inner([str(word) for word in argv], dict(self.env), self)
        argv, env = self.under.outer(self.way.wrap(self.dwell, self.data, argv), env, self)
        return Running(argv, self.here, self.kept, env, stdin, "" if self.under.drops_rights else self.user)

    def attach(self, pid):
        """Begins to record a running process, if that is the way. Pass the result to wait_attached()."""
        if not self.way.attaches:
            return None
        verb, *options = self.way.options
        return subprocess.Popen([self.dwell, verb, "-q", "-o", self.data, *options, "-p", str(pid)], env=self.env,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **as_user(self.user))

    def run(self, argv, stdin=None, timeout_s=600):
        return self.start(argv, stdin).wait(timeout_s)

    def left(self):
        """Returns all files that are there after a run, and those that its surroundings have seen."""
        return {**files_below(self.here, self.program.ignored_files), **self.seen}


def wait_attached(recorder):
    """Waits for a recorder of attach(). Returns what went wrong with it, in words."""
    if not recorder:
        return ""
    said, _ = recorder.communicate(timeout=60)
    return f"recording it ended with {recorder.returncode}: {said.decode()}" if recorder.returncode or said else ""
