#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""conditions.py DWELL PROGRAMS PART - under hard conditions, programs do under dwell what they do without it, and
are recorded; or they are refused with one sentence. Losses are reported."""
import collections
import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, Raw, environment, one_sentence, program, run, status_of, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

WAYS = {"calls": ["calls", "-f", "*"], "record": ["record"], "both": ["record", "--calls", "*"]}
SAMPLED = ("record", "both")
COUNTED = ("calls", "both")
TARGET = program("conditions")
NOBODY = 65534
PARALLEL = 100


def differences(plain, answer):
    """Returns the lines that only one of the two has printed."""
    plain, answer = text(plain).splitlines(), text(answer).splitlines()
    return "\n".join([f"-{line}" for line in plain if line not in answer] +
                     [f"+{line}" for line in answer if line not in plain])


class Condition:
    """How and where commands are started. says: there may be no stdout, so the target writes to a file."""

    def __init__(self, what, *wrapper, says=False, data="data", target=TARGET, **settings):
        self.what, self.wrapper, self.says, self.data, self.target = what, wrapper, says, data, target
        self.folder = tempfile.mkdtemp(prefix="dwell-conditions.")
        os.chmod(self.folder, 0o777)
        self.settings = {"cwd": self.folder, "env": environment(), **settings}

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *command):
        says = self.path("says")
        settings = dict(self.settings)
        if self.says:
            settings["env"] = {**settings["env"], "SAYS": says}
        answer = run(*self.wrapper, *command, **settings)
        if os.path.exists(says):
            with open(says, "rb") as file:
                answer.stdout += file.read()
            os.unlink(says)
        return answer

    def dwell(self, way, *scenario):
        return self.run(DWELL, *WAYS[way], "-q", "-o", self.data, "--", self.target, *scenario)

    def unharmed(self, *scenario, ways=WAYS, refused=None, lost=None, recorded=True):
        """Checks a point for each way. refused: a refusal with these words is accepted too. lost: dwell reports
        losses by these."""
        plain = self.run(self.target, *scenario)
        for way in ways:
            what = f"{self.what}, {way}"
            answer = self.dwell(way, *scenario)
            if refused and status_of(answer) == 2:
                ok(one_sentence(answer, refused), f"{what}: {text(answer.stderr).strip()}")
                continue
            problems = self.problems(plain, answer, lost)
            if recorded:
                problems += self.missing(way, lost)
            if not ok(not problems, f"{what}: as without dwell, status {status_of(answer)}"):
                note("\n".join(problems))

    @staticmethod
    def problems(plain, answer, lost):
        """Returns the differences between the program's two runs."""
        said = text(answer.stderr)
        if lost and lost in said and said.count("\n") == text(plain.stderr).count("\n") + 1:
            said = text(plain.stderr)
        found = []
        if status_of(answer) != status_of(plain):
            found.append(f"status {status_of(answer)}, not {status_of(plain)}")
        if answer.stdout != plain.stdout:
            found.append(differences(plain.stdout, answer.stdout))
        if said != text(plain.stderr):
            found.append(said)
        return found

    def missing(self, way, lost):
        """Returns what is missing in the recording, and losses that were not reported."""
        answer = run(DWELL, "report", "--format", "json", self.path(self.data))
        if answer.returncode:
            return [text(answer.stderr)]
        os.unlink(self.path(self.data))
        meta = json.loads(answer.stdout)["meta"]
        found = []
        if way in SAMPLED and not (meta.get("samples") or lost):
            found.append("there are no samples")
        if way in COUNTED and not (meta.get("calls") or lost):
            found.append("there are no calls")
        losses = {name: value for name, value in meta.items() if name.startswith("lost") and value}
        if bool(losses) != bool(lost) or meta.get("damaged"):
            found.append(f"lost {losses}, damaged {meta.get('damaged')}")
        return found


def limited(**limits):
    def set_limits():
        for name, (soft, hard) in limits.items():
            resource.setrlimit(getattr(resource, "RLIMIT_" + name), (soft, hard))
    return set_limits


def limits():
    for count in (64, 16, 8):
        with Condition(f"{count} descriptors", preexec_fn=limited(NOFILE=(count, count))) as condition:
            condition.unharmed("sees")
    for what, settings in (("no signal may be queued", {"SIGPENDING": (0, 0)}), ("no memory may be locked", {"MEMLOCK": (0, 0)}),
                           ("64 KiB of stack", {"STACK": (65536, 65536)})):
        with Condition(what, preexec_fn=limited(**settings)) as condition:
            condition.unharmed("sees")
    for megabytes in (16, 60, 100):
        size = megabytes << 20
        with Condition(f"{megabytes} MiB of data", preexec_fn=limited(DATA=(size, size))) as condition:
            condition.unharmed("work", refused="the limit on data")
        with Condition(f"{megabytes} MiB of address space", preexec_fn=limited(AS=(size, size))) as condition:
            condition.unharmed("work", refused="the limit on address space")


def time_limits():
    with Condition("a second of CPU time, of which a handler is told", preexec_fn=limited(CPU=(1, 2))) as condition:
        condition.unharmed("busy", ways=("both",))
    with Condition("timeout(1)", "timeout", "0.3") as condition:
        condition.unharmed("endless", ways=("both",))
    with Condition("SIGALRM 2000 times a second") as condition:
        condition.unharmed("alarmed")


def sizes():
    """Limits the size of files. No process gets a signal."""
    for kib, refused, lost in ((4, "File too large", None), (40, None, "nothing was recorded, because there was no room"),
                               (72, None, "not everything was recorded, because there was no room")):
        size = kib << 10
        with Condition(f"files of {kib} KiB", preexec_fn=limited(FSIZE=(size, size))) as condition:
            condition.unharmed("work", refused=refused, lost=lost)


def disks():
    """Checks a disk that is full from the start, or after a while; in a namespace of its own."""
    where = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size="$0" none /mnt && cp data /mnt/ 2>/dev/null; "$@"; '
             'status=$?; cp /mnt/data . 2>/dev/null; exit $status']
    if run("unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt").returncode:
        skip("a full disk", "it takes root to mount a small one")
        return
    for size, refused, lost in (("16k", "No space left", None), ("36k", None, "nothing was recorded, because there was no room"),
                                ("64k", None, "not everything was recorded, because there was no room")):
        with Condition(f"a disk of {size}", *where, size) as condition:
            plain = condition.run(TARGET, "work")
            for way, verb in WAYS.items():
                answer = condition.run(DWELL, *verb, "-q", "-o", "/mnt/data", "--", TARGET, "work")
                what = f"a disk of {size}, {way}"
                if refused:
                    ok(one_sentence(answer, refused), f"{what}: {text(answer.stderr).strip()}")
                    continue
                problems = condition.problems(plain, answer, lost) + condition.missing(way, lost)
                if not ok(not problems, f"{what}: as without dwell, which says: {text(answer.stderr).strip()}"):
                    note("\n".join(problems))


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
            answer = condition.run(DWELL, "record", "-o", data, "--", TARGET, "small")
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


def at_once(condition, way, data):
    """Returns the number of each (status, stdout, sentence) in PARALLEL runs; data(i) returns the recording's
    name."""
    started = [subprocess.Popen([DWELL, *WAYS[way], "-q", "-o", data(i), "--", TARGET, "small"], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **condition.settings) for i in range(PARALLEL)]
    answers = collections.Counter()
    for process in started:
        stdout, stderr = process.communicate()
        answers[process.returncode, text(stdout), re.sub("^dwell [a-z]+: ", "", text(stderr))] += 1
    return answers


def parallel():
    """Runs many at once in one folder: each with a recording of its own, or all with the same, which one gets at a
    time."""
    for way, data in (("record", "data.{}"), ("calls", "data")):
        with Condition("") as condition:
            answers = at_once(condition, way, data.format)
            worked = answers.pop((3, "small\n", ""), 0)
            busy = answers.pop((2, "", "another dwell is recording to 'data'\n"), 0)
            fine = worked + busy == PARALLEL and (worked == PARALLEL or data == "data" and worked >= 1)
            found = sorted(os.listdir(condition.folder))
            # The previous recording is kept when another one replaces it.
            one = ["data", "data.old"] if worked > 1 else ["data"]
            wrong = [problem for name in found for problem in Named(condition, name).missing(way, None)]
            if not ok(fine and (found == one if data == "data" else len(found) == PARALLEL) and not wrong,
                      f"{PARALLEL} at once, {way}, to {data}: {worked} run, {busy} are refused, {len(found)} recordings"):
                note(f"{answers} {wrong[:5]}")


class Named(Condition):
    """Another recording in the same folder."""

    def __init__(self, condition, data):
        vars(self).update(vars(condition), data=data)


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


AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


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
        for way in WAYS:
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
    for way in WAYS:
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
    for way in WAYS:
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
        for way in WAYS:
            answer = condition.dwell(way, "work")
            problems = condition.problems(plain, answer, "samples have no names and no callers: /proc is not mounted")
            os.rename(f"{root}/data", condition.path("data"))
            problems += Named(condition, "data").missing(way, None)
            if not ok(not problems, f"{condition.what}, {way}: as without dwell"):
                note("\n".join(problems))
        answer = condition.run(DWELL, "record", "--engine", "outside", "-o", "/data", "--", TARGET, "small")
        ok(one_sentence(answer, "/proc is not mounted") and not os.path.exists(f"{root}/data"), f"{condition.what}, from outside: refused")


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
    for outer in WAYS:
        with Condition(f"dwell {outer} around it", DWELL, *WAYS[outer], "-q", "-o", "outer", "--") as condition:
            condition.unharmed("work")


class Started:
    """A target that runs under dwell until it is killed; with the ids of both."""

    def __init__(self, condition, way, *scenario):
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen([DWELL, *WAYS[way], "-q", "-o", "data", "--", TARGET, *scenario], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                        **condition.settings)
        self.pid = self.process.pid
        self.process.stdout.readline()
        with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as file:
            self.target = int(file.read().split()[0])

    def end(self):
        """Returns status and stderr, when all have ended."""
        _, stderr = self.process.communicate(timeout=30)
        return self.process.returncode, text(stderr)


def stopped(condition, way):
    """Stops first the program, then dwell."""
    started = Started(condition, way, "endless")
    for _ in range(10):
        for pid in (started.target, started.pid):
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.002)
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.002)
    os.kill(started.pid, signal.SIGTERM)
    return started.end() == (128 + signal.SIGTERM, "") and not condition.missing(way, None)


def interrupted(condition, way):
    """Sends signals as a terminal does: the program's reaction is what counts."""
    started = Started(condition, way, "endless")
    os.killpg(started.pid, signal.SIGTSTP)
    time.sleep(0.01)
    os.killpg(started.pid, signal.SIGCONT)
    os.killpg(started.pid, signal.SIGINT)
    return started.end() == (128 + signal.SIGINT, "") and not condition.missing(way, None)


def killed(condition, way):
    """Kills dwell itself by a signal that it cannot catch: the program goes on, and so does its recording."""
    def recorded():
        answer = run(DWELL, "report", "--format", "json", condition.path("data"))
        meta = json.loads(answer.stdout)["meta"]
        return meta["samples" if way in SAMPLED else "calls"]

    started = Started(condition, way, "endless")
    os.kill(started.pid, signal.SIGKILL)
    started.process.wait()
    before = recorded()
    deadline = time.monotonic() + 10
    while recorded() <= before and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(started.target, signal.SIGKILL)
    started.end()
    return recorded() > before


def outlived(condition, way):
    """Checks that processes which the command has left behind go on after dwell has ended, and are recorded."""
    says, mark = condition.path("says"), condition.path("mark")
    condition.settings["env"] = {**condition.settings["env"], "SAYS": says}
    status = subprocess.run([DWELL, *WAYS[way], "-q", "-o", "data", "--", TARGET, "stays", mark], stdout=subprocess.DEVNULL,
                            timeout=30, check=False, **condition.settings).returncode
    with open(mark, "wb"):
        pass
    deadline = time.monotonic() + 30
    said = ""
    while not said.endswith("stayed\n") and time.monotonic() < deadline:
        time.sleep(0.01)
        if os.path.exists(says):
            with open(says, encoding="ascii") as file:
                said = file.read()
    answer = run(DWELL, "report", "--format", "json", condition.path("data"))
    return status == 3 and "thread: Success\n" in said and json.loads(answer.stdout)["meta"]["processes"] == 4


def signals():
    for what, happens in (("stopped and continued", stopped), ("interrupted by a terminal", interrupted),
                          ("dwell is killed", killed), ("dwell has ended", outlived)):
        for way in WAYS:
            with Condition(what) as condition:
                ok(happens(condition, way), f"{what}, {way}: the program does what it would, and is recorded")


PARTS = {
    "limits": [limits, time_limits, sizes, disks],
    "surroundings": [descriptors, surroundings, names, composed, counters, nested],
    "others": [signals, parallel, users, roots],
}
for part in PARTS[sys.argv[3]]:
    part()
done()
