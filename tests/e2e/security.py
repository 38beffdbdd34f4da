#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""security.py DWELL PROGRAMS LIBPROFIL - attacks that must fail: files in folders that all users may write to,
programs with more rights than the user who starts them, pages that are writable and executable, and names that a
terminal would obey."""
import os
import re
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import EMULATED  # noqa: E402
from sampled import DWELL, TIMEOUT_S, environment, one_sentence, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

LIBPROFIL = os.path.abspath(sys.argv[3])
NOBODY = 65534
IS_ROOT = os.geteuid() == 0
COMMAND = (program("record_ends"), "exit", "0")


def record(data, *command, options=(), **settings):
    return run(DWELL, "record", "-q", "-o", data, *options, "--", *(command or COMMAND), **settings)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def put(path, what):
    with open(path, "wb") as file:
        file.write(what)


# ---- files ----

def data(folder):
    """Checks that the recording is a new file, for its owner alone, whatever is there and whatever the umask is."""
    victim = f"{folder}/victim"
    put(victim, b"precious")
    kinds = {"a link": lambda path: os.symlink(victim, path), "a link to nothing": lambda path: os.symlink(f"{folder}/made", path),
             "a FIFO": os.mkfifo, "a link to itself": lambda path: os.symlink(path, path)}
    for number, (what, make) in enumerate(kinds.items()):
        path = f"{folder}/data{number}"
        make(path)
        before = os.lstat(path)
        ok(one_sentence(record(path)) and os.lstat(path).st_ino == before.st_ino, f"DATA is {what}: one sentence, and it stays")
    ok(content(victim) == b"precious" and not os.path.exists(f"{folder}/made"), "nothing is written through a link")
    for verb, options in (("record", []), ("calls", ["-f", "getpid"])):
        path = f"{folder}/{verb}.data"
        run("sh", "-c", f"umask 0; exec {DWELL} {verb} -q -o {path} {' '.join(options)} -- {' '.join(COMMAND)}")
        ok(stat.S_IMODE(os.stat(path).st_mode) == 0o600, f"{verb} without an umask: DATA is for its owner alone")
    run("sh", "-c", f"umask 0; exec {DWELL} archive -q -o {folder}/archive {folder}/record.data")
    ok(stat.S_IMODE(os.stat(f"{folder}/archive").st_mode) == 0o600, "so is an archive")


def flags(folder):
    """Checks the flags that the file is created with."""
    if not shutil.which("strace"):
        skip("O_EXCL, O_NOFOLLOW, O_CLOEXEC and 0600", "strace is not installed")
        return
    path = f"{folder}/flags.data"
    answer = run("strace", "-f", "-qq", "-e", "trace=open,openat,creat", DWELL, "record", "-q", "-o", path, "--", *COMMAND)
    made = [line for line in text(answer.stderr).splitlines() if "O_CREAT" in line and "flags.data" in line]
    if not made and "ptrace" in text(answer.stderr):
        skip("O_EXCL, O_NOFOLLOW, O_CLOEXEC and 0600", "nothing can be traced here")
        return
    note("\n".join(made))
    names = [re.search(r'flags\.data(\.\w{6})?"', line) for line in made]
    ok([bool(name and name[1]) for name in names] in ([False], [False, True]),
       "DATA is made once, and perhaps a packed one by an unpredictable name")
    ok(all(word in line for line in made for word in ("O_EXCL", "O_NOFOLLOW", "O_CLOEXEC", ", 0600)")),
       "with O_EXCL, O_NOFOLLOW, O_CLOEXEC and 0600")


def race(folder):
    """Checks a link that is put in DATA's place and removed again, as fast as possible."""
    victim, path = f"{folder}/victim", f"{folder}/raced"
    put(victim, b"precious")
    over = threading.Event()

    def plant():
        while not over.is_set():
            try:
                os.symlink(victim, path)
            except FileExistsError:
                pass
            if os.path.islink(path):
                os.unlink(path)

    planter = threading.Thread(target=plant)
    planter.start()
    answers = [record(path) for _ in range(12)]
    over.set()
    planter.join()
    note(f"{sum(answer.returncode == 2 for answer in answers)} of {len(answers)} were refused")
    ok(content(victim) == b"precious", "a link that comes and goes is never written through")


def planted(folder):
    """Checks files of another user in a folder that all may write to."""
    path = f"{folder}/shared.data"
    record(path)
    shared, victim = f"{folder}/shared", f"{folder}/shared_victim"
    os.mkdir(shared)
    os.chmod(shared, 0o1777)
    put(victim, b"precious")
    writers = (("html", ["html"]), ("export", ["export", "-f", "folded"]))
    for verb, words in writers:
        page = f"{shared}/{verb}"
        os.symlink(victim, page)
        answer = run(DWELL, *words, "-o", page, path)
        ok(answer.returncode == 0 and os.path.islink(page) and content(victim) != b"precious",
           f"{verb}: a link of our own is followed")
        put(victim, b"precious")
        if not IS_ROOT:
            skip(f"{verb}: a link of another user", "it takes root to make one")
            continue
        os.lchown(page, NOBODY, NOBODY)
        ok(one_sentence(run(DWELL, *words, "-o", page, path), "another user") and content(victim) == b"precious",
           f"{verb}: a link of another user is not")
        os.unlink(page)
        put(page, b"open to read")
        os.chown(page, NOBODY, NOBODY)
        ok(one_sentence(run(DWELL, *words, "-o", page, path), "another user") and content(page) == b"open to read",
           f"{verb}: a file of another user is left alone")
    ok(sorted(os.listdir(shared)) == sorted(verb for verb, _ in writers), "and nothing else is left there")
    recorded = f"{shared}/data"
    record(recorded)
    if not IS_ROOT:
        skip("record: a recording of another user", "it takes root to make one")
        return
    os.chown(recorded, NOBODY, NOBODY)
    before = content(recorded)
    ok(one_sentence(run(DWELL, "record", "-o", recorded, "true"), "another user") and content(recorded) == before
       and not os.path.exists(f"{recorded}.old"), "record: a recording of another user is left alone")
    os.rename(recorded, f"{recorded}.old")
    record(recorded)
    ok(one_sentence(run(DWELL, "record", "-o", recorded, "true"), "another user") and content(f"{recorded}.old") == before,
       "record: and so is an older one")


def jit_maps(folder):
    """Checks perf-PID.map, which lies in a folder that all may write to: a file of another user is ignored."""
    if not IS_ROOT:
        skip("perf-PID.map of another user", "it takes root to make one")
        return
    path, said = f"{folder}/jit.data", f"{folder}/pid"
    record(path, "sh", "-c", f"echo $$ >{said}; exec {program('record_load')} 0.05")
    with open(said, encoding="ascii") as file:
        name = f"/tmp/perf-{file.read().strip()}.map"
    put(name, b"0 ffffffffffffffff planted\n")
    try:
        os.chown(name, NOBODY, NOBODY)
        ok(b"planted" not in run(DWELL, "report", path).stdout, "perf-PID.map of another user is not believed")
    finally:
        os.unlink(name)


# ---- rights ----

def copy(folder, name, mode, uid):
    path = f"{folder}/{os.path.basename(name)}.{uid}"
    shutil.copy(name, path)
    os.chown(path, uid, uid)
    os.chmod(path, mode)
    return path


def no_setuid(folder):
    """Returns why there are no setuid programs here, or None."""
    if not IS_ROOT or os.statvfs(folder).f_flag & os.ST_NOSUID:
        return "it takes root to make one that is another's, in a file system that knows them"
    probe = copy(folder, program("secure"), 0o4755, NOBODY)
    if EMULATED and "secure 0" in text(run(probe, env=environment()).stdout):
        return "the kernel starts an emulator, which has no more rights than the user"
    return None


def secure(folder):
    """Checks that programs with more rights than their user ignore his environment."""
    why = no_setuid(folder)
    if why:
        skip("setuid programs", why)
        return
    path = f"{folder}/secure.data"
    record(path, options=("--calls", "*"))
    os.chmod(path, 0o666)
    plain, setuid = copy(folder, program("secure"), 0o755, 0), copy(folder, program("secure"), 0o4755, NOBODY)
    orders = environment(DWELL_DATA=path, PROFIL_HZ="none")
    platform = os.uname().machine
    libraries = os.path.realpath(os.path.join(os.path.dirname(DWELL), "runtime", platform))
    for what, source, default in (("attach", f"{libraries}/libdwell-record.so", 0), ("attach", f"{libraries}/libdwell-calls.so", 0),
                                  ("audit", f"{libraries}/libdwell-audit.so", 0), ("profil", LIBPROFIL, 1)):
        name = os.path.basename(source)
        library = copy(folder, source, 0o755, 0)  # in a directory that all users may enter
        # Where the program itself opens it, libdwell-calls.so waits for orders of dwell calls -p.
        preloaded = {"LD_PRELOAD": library} if name == "libdwell-calls.so" else {}
        obeys = text(run(plain, what, library, path, env={**orders, **preloaded}).stdout)
        resists = text(run(setuid, what, library, path, env=orders).stdout)
        note(f"{name}: {obeys!r} {resists!r}")
        ok("secure 0" in obeys and f"does {1 - default}" in obeys, f"{name} does what the environment says")
        ok("secure 1" in resists and f"does {default}" in resists, "but not in a setuid program")
    for options in (["record"], ["record", "--calls", "*"], ["calls", "-f", "*"], ["calls", "-f", "*", "--via", "got"]):
        made = f"{folder}/{'_'.join(options).replace('*', '')}"
        answer = run(DWELL, *options, "-q", "-o", made, "--", "sh", "-c", f"{plain}; {setuid}; exit 3")
        said = text(answer.stdout)
        ok(answer.returncode == 3 and "secure 0 loaded 1" in said and "secure 1 loaded 0" in said,
           f"{' '.join(options)}: a setuid program that is started by another runs as ever, without us")
    capable = copy(folder, program("secure"), 0o755, 1)
    os.setxattr(capable, "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 13, 0, 0, 0))
    os.chmod(folder, 0o755)
    if not as_nobody(DWELL, "--version"):
        skip("a program with capabilities", "another user cannot run this dwell")
    else:
        os.chmod(folder, 0o777)
        ok(one_sentence(run(DWELL, "record", "--engine", "inside", "-o", f"{folder}/capable.data", "--", capable, user=NOBODY,
                            group=NOBODY, extra_groups=[]), "capabilities"), "a program with capabilities: one sentence")


def as_nobody(*command):
    try:
        return run(*command, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/").returncode == 0
    except PermissionError:
        return False


def gmon_out(folder):
    """Checks that gmon.out of a setuid program is written neither where the environment says nor through a link."""
    target = program("gmon_static")
    if not os.path.exists(target):
        skip("gmon.out", "there is no gprof runtime here")
        return
    os.mkdir(f"{folder}/gmon")
    os.chmod(f"{folder}/gmon", 0o777)
    victim = f"{folder}/gmon/victim"
    put(victim, b"precious")
    os.symlink(victim, f"{folder}/gmon/gmon.out")
    run(target, "arguments", "10", cwd=f"{folder}/gmon", env=environment())
    ok(content(victim) == b"precious", "gmon.out is a link: it is not followed")
    os.unlink(f"{folder}/gmon/gmon.out")
    why = no_setuid(folder)
    if why:
        skip("GMON_OUT_PREFIX of a setuid program", why)
        return
    setuid = copy(folder, target, 0o4755, NOBODY)
    os.mkdir(f"{folder}/gmon/prefix")
    os.chmod(f"{folder}/gmon/prefix", 0o777)
    orders = environment(GMON_OUT_PREFIX=f"{folder}/gmon/prefix/file")
    run(target, "arguments", "10", cwd=f"{folder}/gmon", env=orders)
    ok(len(os.listdir(f"{folder}/gmon/prefix")) == 1 and not os.path.exists(f"{folder}/gmon/gmon.out"), "GMON_OUT_PREFIX is obeyed")
    run(setuid, "arguments", "10", cwd=f"{folder}/gmon", env=orders)
    ok(len(os.listdir(f"{folder}/gmon/prefix")) == 1 and os.path.exists(f"{folder}/gmon/gmon.out"), "but not in a setuid program")


# ---- memory ----

def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def dangerous(pid):
    """Returns the pages of a process and its children that are writable and executable now, and the number of
    processes."""
    found, seen = set(), 0
    for child in children_of(pid):
        try:
            with open(f"/proc/{child}/maps", encoding="utf-8", errors="replace") as file:
                maps = file.read()
        except OSError:
            continue
        seen += "libdwell-" in maps
        found |= {line for line in maps.splitlines() if re.match(r"\S+ .wx", line)}
    return found, seen


def pages(folder):
    """Checks the pages from the first moment to the last."""
    if EMULATED:
        skip("pages that are writable and executable", "the emulator has such pages for code that it makes")
        return
    ways = {"record": ["record"], "calls --via audit": ["calls", "-f", "*", "--via", "audit"],
            "calls --via got": ["calls", "-f", "*", "--via", "got"], "record --calls": ["record", "--calls", "*"]}
    for bits, name in (("64 bits", "crossing"), ("32 bits", "crossing_i686")):
        if not os.path.exists(program(name)):
            skip(f"pages of programs of {bits}", "there are none here")
            continue
        for what, words in ways.items():
            found, looks = set(), 0
            with subprocess.Popen([DWELL, *words, "-q", "-o", f"{folder}/pages.data", "--", program(name)], env=environment(),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
                end = time.monotonic() + TIMEOUT_S
                while running.poll() is None and time.monotonic() < end:
                    more, seen = dangerous(running.pid)
                    found |= more
                    looks += seen
                    time.sleep(0.0005)
            note(f"{looks} looks; {found}")
            ok(looks > 5 and not found, f"{what}, {bits}: no page is writable and executable, at any time")


# ---- names ----

# An escape sequence, the same with one character beyond ASCII, and one that reverses the direction of text.
ODD = b"odd;\x1b]0;gone\x07\xc2\x9b31m\xe2\x80\xae=1+1"
CONTROLS = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
RAW = re.compile(CONTROLS.pattern + rb"|\xe2\x80\xae")


def named(folder):
    """Builds a program with such a function, in a folder of such a name, and returns a recording of it."""
    if not shutil.which("objcopy"):
        return None, None
    names, home = f"{folder}/names", os.path.join(folder.encode(), b"in\x1b[7m\xc2\x9b7m")
    put(names, b"odd_name " + ODD + b"\n")
    os.mkdir(home)
    target = os.path.join(home, b"target\x1b[2J")
    subprocess.run(["objcopy", f"--redefine-syms={names}", program("page_target"), target], check=True)
    path = f"{folder}/odd.data"
    answer = subprocess.run([DWELL, "record", "-q", "-F", "2000", "--calls", "libc.so*:qsort", "-o", path, "--", target, "0.4",
                             b"\x1b[2J\xc2\x9b2J"], capture_output=True, check=False, env=environment())
    if answer.returncode:
        note(text(answer.stderr))
    return path, target


def terminal(folder):
    """Checks that output for people contains no byte of a name that a terminal obeys."""
    path, target = named(folder)
    if not path:
        skip("names of functions", "objcopy is not installed")
        return
    archive = f"{folder}/odd.archive"
    run(DWELL, "archive", "-q", "-o", archive, path)
    verbs = [["report"], ["report", "--tree", "--min", "0"], ["report", "--by", "line"], ["report", "--by", "process"],
             ["report", "--by", "object"], ["info"], ["annotate", "*odd*"], ["annotate", "--asm", "*odd*"], ["annotate", "*"],
             ["diff", path], ["diff", "--by", "stack", path], ["report", "--format", "json"], ["info", "--format", "json"]]
    for data_of in (path, archive):
        for words in verbs:
            answer = run(DWELL, *words, data_of)
            raw = (CONTROLS if "json" in words else RAW).findall(answer.stdout + answer.stderr)
            if not ok(answer.returncode == 0 and not raw, f"{' '.join(words).replace(path, 'DATA')} of {os.path.basename(data_of)}: "
                      "names are harmless"):
                note(f"{raw} {answer.stderr[:300]}")
    os.unlink(target)
    gone = run(DWELL, "report", path)
    ok(b"is missing or cannot be read" in gone.stdout and not RAW.search(gone.stdout), "nor is the path of a program that is gone")
    answer = subprocess.run([DWELL, "list", target], capture_output=True, check=False, env=environment())
    ok(answer.returncode == 2 and answer.stderr and not RAW.search(answer.stderr), "nor are sentences about it")
    shown = run(DWELL, "report", archive).stdout
    ok(rb"odd;\x1b]0;gone\x07\xc2\x9b31m\xe2\x80\xae=1+1" in shown, "they are shown as what they are")


def formats(folder):
    """Checks that a name cannot add a frame to a format that has no quotes."""
    path = f"{folder}/odd.archive"
    if not os.path.exists(path):
        skip("formats of other tools", "objcopy is not installed")
        return
    folded = run(DWELL, "export", "-f", "folded", path).stdout
    ok(b"odd:" in folded and b"odd;" not in folded and b"\x1b" not in folded, "folded: a name is one frame")


with tempfile.TemporaryDirectory() as scratch:
    os.chmod(scratch, 0o755)
    data(scratch)
    flags(scratch)
    race(scratch)
    planted(scratch)
    jit_maps(scratch)
    secure(scratch)
    gmon_out(scratch)
    pages(scratch)
    terminal(scratch)
    formats(scratch)
done()
