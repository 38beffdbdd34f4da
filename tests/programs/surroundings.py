# SPDX-License-Identifier: MIT
"""surroundings.py - contexts of a whole run: another disk for DATA, other recordings at the same time, libraries of the
user's that leave traces. Each is a context of a Launch; it may change where launch.data is, and adds what went wrong to
launch.problems."""
import ctypes
import os
import shutil
import signal
import subprocess
import threading
import time

from execution import as_user

DISK = "64k"
COMPANY = 100
CLONE_NEWNS = 0x00020000


def no_root(dwell):  # pylint: disable=unused-argument
    return "" if os.geteuid() == 0 else "it takes root"


def cannot_mount(dwell):
    """Returns why disks cannot be mounted here: in a container, root may lack that right."""
    if no_root(dwell):
        return "it takes root to mount something"
    tried = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
    return tried.stderr.decode().strip() if tried.returncode else ""


def mount_alone():
    """Hides later mounts from all other processes, so that none is left, however we end. Where that is impossible, as in a
    root that is not a mount point, cannot_mount() says so."""
    if ctypes.CDLL(None).unshare(CLONE_NEWNS) == 0:
        subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True, check=False)


class Disk:
    """A disk for DATA alone."""

    options = ""

    def __init__(self, launch):
        self.launch, self.kept = launch, launch.data
        self.folder = os.path.join(launch.kept, "disk")

    def __enter__(self):
        os.mkdir(self.folder)
        subprocess.run(["mount", "-t", "tmpfs", "-o", self.options, "none", self.folder], check=True)
        self.launch.data = os.path.join(self.folder, "dwell.data")

    def __exit__(self, *unused):
        if os.path.exists(self.launch.data):
            shutil.copy(self.launch.data, self.kept)
        self.launch.data = self.kept
        # A process that has outlived the run may still have it open.
        subprocess.run(["umount", "-l", self.folder], check=True)


class SmallDisk(Disk):
    options = f"mode=1777,size={DISK}"


class ReadOnly(Disk):
    options = "mode=1777,ro"


class Company:
    """Others that are recorded to the same folder, all at once, each to a file of its own."""

    def __init__(self, launch):
        self.launch, self.command = launch, launch.program.version_command
        self.settings = {"env": launch.env, "cwd": launch.kept, "stdin": subprocess.DEVNULL, **as_user(launch.user)}
        self.thread = threading.Thread(target=self.run)

    def data(self, i):
        return os.path.join(self.launch.kept, f"version.{i}.data")

    def __enter__(self):
        self.thread.start()

    def run(self):
        words = [self.launch.way.wrap(self.launch.dwell, self.data(i), self.command) for i in range(COMPANY)]
        started = [subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **self.settings) for argv in words]
        answers = [(*process.communicate(), process.returncode) for process in started]
        plain = subprocess.run(self.command, capture_output=True, check=False, **self.settings)
        expected = (plain.stdout, plain.stderr, plain.returncode)
        unlike = [answer for answer in answers if answer != expected]
        if unlike:
            self.launch.problems.append(f"{len(unlike)} of {COMPANY} runs of {self.command} are not as plainly: {unlike[0]}")

    def unreadable(self, i):
        answer = subprocess.run([self.launch.dwell, "info", self.data(i)], capture_output=True, check=False)
        if os.path.exists(self.data(i)):
            os.unlink(self.data(i))
        return answer.stderr.decode() if answer.returncode or answer.stderr else ""

    def __exit__(self, *unused):
        self.thread.join()
        sentences = [sentence for sentence in map(self.unreadable, range(COMPANY)) if sentence]
        if sentences:
            self.launch.problems.append(f"{len(sentences)} of {COMPANY} recordings cannot be read: {sentences[0]}")


class Interruptions:
    """Stops and continues the program all the time, from a process that dwell does not see."""

    def __init__(self, launch):
        self.path, self.is_over = Interruptions.path_of(launch), threading.Event()
        self.thread = threading.Thread(target=self.run)

    @staticmethod
    def path_of(launch):
        return os.path.join(launch.kept, "pid")

    @staticmethod
    def pass_pid(argv, env, launch):
        return ["sh", "-c", 'echo $$ >"$0" && exec "$@"', Interruptions.path_of(launch), *argv], env

    def read_pid(self):
        """0 until it is there."""
        try:
            with open(self.path, encoding="ascii") as file:
                return int(file.read() or 0)
        except FileNotFoundError:
            return 0

    def run(self):
        while not self.is_over.wait(0.05):
            pid = self.read_pid()
            if pid:
                try:
                    os.kill(pid, signal.SIGSTOP)
                    time.sleep(0.005)
                    os.kill(pid, signal.SIGCONT)
                except ProcessLookupError:
                    return

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *unused):
        self.is_over.set()
        self.thread.join()


def library(dwell, name):
    return os.path.join(os.path.dirname(dwell), "tests", "prog", f"lib{name}.so")


class Traces:
    """Programs that have loaded libraries of the user's, by their names; compared as if they were files of the run."""

    def __init__(self, launch):
        self.launch = launch

    @staticmethod
    def missing(dwell):
        absent = [name for name in ("trace_preload", "trace_auditor") if not os.path.exists(library(dwell, name))]
        return f"{', '.join(absent)} was not built" if absent else ""

    @staticmethod
    def variables(launch):
        return {name: os.path.join(launch.kept, name.lower()) for name in ("TRACE_PRELOAD", "TRACE_AUDIT")}

    def __enter__(self):
        for path in self.variables(self.launch).values():
            with open(path, "wb"):
                os.chmod(path, 0o666)

    def __exit__(self, *unused):
        for name, path in self.variables(self.launch).items():
            with open(path, "rb") as file:
                # dwell is where plainly there is nothing.
                found = set(file.read().split(b"\n")) - {b"dwell"}
            self.launch.seen[f"programs seen by {name}"] = ("", b"\n".join(sorted(found)))
