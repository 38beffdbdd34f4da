#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_data.py DWELL PROGRAMS STATIC - a recording contains all samples up to the last instant, however the
program ends; all of its processes are in it; the program's own signals and timers go on working; and programs that
cannot be recorded are refused in one sentence."""
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import EMULATED  # noqa: E402
from sampled import (CLOCKS, DWELL, PROGRAMS, Raw, Recording, environment, near, one_sentence, plain_name,  # noqa: E402
                     program, run, status_of, text, unharmed)
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

STATIC = os.path.abspath(sys.argv[3])
IS_MUSL = os.path.basename(PROGRAMS) == "musl"
# An emulator takes up to two tenths of a second to begin, and they must not be a tenth of it.
SECONDS = 2 if EMULATED else 0.2

# The time that the last tick of a process may leave out: one tick of ours, and on the timer clock the kernel's own,
# which is up to 10 ms and comes late on a busy machine.
LAST_TICK_S = {"perf": 0.005, "timer": 0.025}


def without_cpu(output):
    return b"".join(line for line in output.splitlines(True) if not line.startswith(b"cpu "))


def covers(recording, clock, wanted):
    """Returns true if a function has all samples up to the end."""
    due = sum(recording.cpu.values())
    note(f"{wanted} {recording.total(wanted):.4f} s, all {recording.seconds:.4f} s, of {due:.4f} s")
    # The start of an emulator is in its CPU time, and no clock of the program's runs yet.
    least = SECONDS if EMULATED else due
    return least - LAST_TICK_S[clock] <= recording.seconds <= due * 1.02 and near(recording.total(wanted), due, 0.1)


def ends(folder):
    for how, title in (("exit", "exit()"), ("_exit", "_exit()"), ("abort", "abort()"), ("kill", "SIGKILL")):
        command = (program("record_ends"), how, SECONDS)
        plain = run(*command[:2], "0.01")  # which prints the same, but for its CPU time
        for clock in CLOCKS:
            recording = Recording(*command, options=["--clock", clock])
            unharmed(plain, recording.run, f"{title}, {clock}", without_cpu)
            ok(covers(recording, clock, "before_the_end"), f"{title}, {clock}: nothing is lost")
    last = (program("record_load"), "one_thread", SECONDS)
    for clock in CLOCKS:
        recording = Recording(program("record_ends"), "exec", SECONDS, *last, options=["--clock", clock],
                              report=["--by", "process"], keep=f"{folder}/exec.data")
        by_process = [row["self_ns"] / 1e9 for row in recording.rows]
        note(by_process)
        ok(status_of(recording.run) == 0 and len(by_process) == 2
           and all(seconds >= SECONDS - LAST_TICK_S[clock] for seconds in by_process),
           f"exec, {clock}: what both programs did is there")
        ok(len({row["pid"] for row in recording.rows}) == 1, f"exec, {clock}: as two processes with one pid")
        _, recording.rows = recording.read((), "samples")
        ok(recording.total("before_the_end") > 0.175 and recording.total("burn_a") > 0.175,
           f"exec, {clock}: and each has its names")
        # The program has a _start as well, with a page fault at its first instruction.
        linker = [row for row in recording.rows if row["name"] == "_start" and row["object"].startswith("ld")]
        ok(recording.self_of(name="[exec and dynamic linking]") > 0 and not any(row["self_ns"] for row in linker),
           f"exec, {clock}: time before the first sample has a row of its own")


def from_outside():
    """Checks signals to dwell itself, and those that a terminal sends to both."""
    for number, to_all, title in ((signal.SIGTERM, False, "SIGTERM to dwell"), (signal.SIGINT, True, "Ctrl-C")):
        with tempfile.TemporaryDirectory() as folder:
            data = f"{folder}/data"
            process = subprocess.Popen([DWELL, "record", "-o", data, program("record_ends"), "wait", "0.3"],
                                       env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       start_new_session=True)
            line = process.stdout.readline()
            (os.killpg if to_all else os.kill)(process.pid, number)
            process.communicate(timeout=30)
            ok(line.startswith(b"cpu") and process.returncode == 128 + number,
               f"{title}: the command has it too, and its status is ours")
            samples = [ns for each in Raw(data).processes.values() for _, _, ns, _ in each.samples]
            ok(sum(samples) / 1e9 > 0.28, f"{title}: the recording is kept")


def without_perf():
    command = (program("record_load"), "one_thread", SECONDS)
    recording = Recording(*command, wrapper=[program("without_perf"), "EPERM"])
    if recording.run.returncode == 77:
        skip("where perf_event_open() is refused", "seccomp is not there")
        return
    ok(recording.meta.get("sample_clock") == "timer", "where perf_event_open() is refused the clock is the timer")
    ok(covers(recording, "timer", "burn_a"), "and everything is there")
    unharmed(run(*command[:2], "0.01"), recording.run, "without perf_event_open()", without_cpu)
    recording = Recording(*command, wrapper=[program("without_perf"), "EPERM"], options=["--clock", "perf"])
    ok(recording.run.returncode == 0 and "perf" in text(recording.run.stderr),
       "--clock perf there: the program runs, and dwell says why there are no samples")
    note(text(recording.run.stderr))


def signed():
    """Checks stacks of functions that sign their return addresses, and those between wrapped calls of such functions."""
    if not os.path.exists(program("record_load_signed")):
        skip("signed return addresses", "compilers for this CPU sign none")
        return
    plain = run(program("record_load_signed"), "one_thread", "0.01")
    for options in (["--clock", "itimer"], ["--clock", "timer"],
                    *(["--clock", "timer", "--calls", "*", "--via", via] for via in ("audit", "got", "entry"))):
        shown = f"signed return addresses, {' '.join(options)}"
        recording = Recording(program("record_load_signed"), "one_thread", SECONDS, options=options)
        unharmed(plain, recording.run, shown, without_cpu)
        burnt, below = recording.total("burn_a"), recording.total("main")
        note(f"burn_a {burnt:.4f} s, main {below:.4f} s, of {SECONDS} s")
        # main() has a little time of its own.
        ok(near(burnt, SECONDS, 0.1) and 0.98 * burnt <= below <= recording.seconds, f"{shown}: stacks are whole")


# ---- processes ----

def children(folder):
    command = (program("record_children"), "in_turn", 300, "-")
    recording = Recording(*command)
    due = sum(recording.cpu.values())
    ok(status_of(recording.run) == 0 and len(recording.cpu) == 301, "300 children, one after another: all run")
    note(f"{recording.meta.get('sampled_processes')} processes, {recording.seconds:.3f} s of {due:.3f} s, "
         f"{recording.size} bytes")
    ok(recording.meta.get("sampled_processes", 0) > 250 and recording.total("child_work") > 0.5 * due,
       "threads that live for a tick have samples and names")
    command = (program("record_children"), "at_once", 200, "-")
    recording = Recording(*command)
    due = sum(recording.cpu.values())
    ok(status_of(recording.run) == 0 and len(recording.cpu) == 201, "200 children at once: all run")
    ok(recording.meta.get("sampled_processes", 0) >= 200 and near(recording.total("child_work"), due, 0.2)
       and recording.meta["damaged"] == recording.meta["samples_stackless"] == 0,
       "all of them are in one recording, with their names")
    note(f"{recording.meta.get('sampled_processes')} processes, {recording.seconds:.3f} s of {due:.3f} s")
    loop = "i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done; echo $i"
    plain, recording = run("sh", "-c", loop), Recording("sh", "-c", loop, report=["--by", "program"])
    programs = {row["program"]: row["processes"] for row in recording.rows}
    ok(programs == {"sh": 1, "true": 300}, f"--by program has one row for all that ran a program: {programs}")
    unharmed(plain, recording.run, "a shell that runs 300 programs")
    ok(recording.meta.get("processes") == 301 and recording.meta["damaged"] == 0,
       f"301 processes are in the recording: {recording.meta.get('processes')}")
    ok(recording.size < 301 * 64 << 10, f"which has less than 64 KiB for each: {recording.size / 301:.0f}")
    recording = Recording(program("record_children"), "at_once", 3, "-", options=["--no-follow"])
    ok(len(recording.cpu) == 4 and recording.meta.get("processes") == 1 and recording.total("child_work") == 0,
       "--no-follow: the children run, and are not in it")
    recording = Recording("sh", "-c", f"{program('record_load')} one_thread 0.3; true", options=["--no-follow"])
    ok(recording.meta.get("processes") == 1 and recording.total("burn_a") == 0,
       "--no-follow: nor are programs that they execute")


def size_with(folder, count, end, options):
    """Returns the size of a recording while its command still runs, after a program has had that many children."""
    data = f"{folder}/forks.data"
    short = f"{program('record_short')} {end} 0 {count}"
    answer = run(DWELL, *options, "-o", data, "--", "sh", "-c", f"{short} > /dev/null && wc -c < {data}")
    if not answer.stdout:
        note(f"status {status_of(answer)}: {text(answer.stderr)}")
    return int(answer.stdout or 0)


def growth(folder):
    """Checks the size per child, for children that call nothing chosen, few of which live long enough for a
    sample."""
    few, many, most_each = 50, 250, 4096
    for options in (["calls", "-q", "-f", "wait"], ["record", "-F", "10"], ["record", "-F", "10", "--calls", "wait"]):
        for end in "exits", "_exits":
            first, last = (size_with(folder, count, end, options) for count in (few, many))
            each = (last - first) / (many - few)
            ok(first and each <= most_each,
               f"{' '.join(options)}: a child that {end} takes {most_each} bytes of the recording at most: {each:.0f}")


def daemon(folder):
    mark, data = f"{folder}/mark", f"{folder}/data"
    recording = Recording(program("record_children"), "daemon", 1, mark, keep=data)
    for _ in range(200):
        if os.path.exists(mark):
            break
        time.sleep(0.1)
    ok(status_of(recording.run) == 0 and os.path.exists(mark), "a daemon that closes all descriptors: it runs")
    _, rows = recording.read((), "samples")
    found = sum(row["total_ns"] for row in rows if plain_name(row["symbol"]) == "daemon_work") / 1e9
    ok(found > 0.45, f"its work after its parents have ended is in the recording, with its name: {found:.3f} s")


def left_behind(folder):
    """Checks a child that outlives its shell. The shell ends while the child is still executing a program, which
    has nothing mapped then: the recording may get packed just before it is opened, or meanwhile."""
    data, found = f"{folder}/left.data", []
    for _ in range(10):
        # Reads until no process has its output open any more.
        subprocess.run([DWELL, "record", "-q", "-o", data, "sh", "-c", f"{program('record_ends')} exit 0.05 &"],
                       stdout=subprocess.PIPE, env=environment(), check=True)
        found.append(max(sum(ns for _, _, ns, _ in process.samples) / 1e9 for process in Raw(data).processes.values()))
    note(found)
    ok(min(found) > 0.04, "a program that the command has left behind is recorded, whenever it comes")


# ---- programs that are left out ----

def left_out():
    """Checks that such programs run, and that the verb and its report list them as missing."""
    target = program("record_ends")
    bare = "1 program not recorded: executed in an environment without dwell's LD_PRELOAD and DWELL_DATA"
    cases = {"another LD_PRELOAD": (("env", "LD_PRELOAD=", target, "exit", "0.01"), bare),
             "no environment": (("env", "-i", target, "exit", "0.01"), bare),
             "posix_spawn() without one": (("/usr/bin/python3", "-c", f"import os; os.waitpid(os.posix_spawn({target!r}, "
                                            f"[{target!r}, 'exit', '0.01'], {{}}), 0)"), bare),
             "": (("sh", "-c", f"nosuch 2> /dev/null; PATH=/nosuch:/usr/bin:/bin; env {target} exit 0.01"), "")}
    namespace = ("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
    if shutil.which("bwrap") and run(*namespace, "true").returncode == 0:
        cases["bubblewrap"] = ((*namespace, target, "exit", "0.01"),
                               "1 program not recorded: cannot open")
    else:
        skip("left out by bubblewrap", "there is none that works here")
    with tempfile.TemporaryDirectory() as folder:
        for title, (command, words) in cases.items():
            answer = run(DWELL, "record", "-o", f"{folder}/data", "--", *command)
            said = text(answer.stderr)
            report = text(run(DWELL, "report", "--no-pager", f"{folder}/data").stdout)
            if words:
                fine = words in said and "LOST: programs " in report
            else:
                fine = "not recorded" not in said and "LOST: programs " not in report
            if not ok(b"cpu " in answer.stdout and fine, f"left out by {title}: it is run, and reported" if words else
                      "programs that are recorded are not said to be left out"):
                note(said + report)


# ---- threads ----

def names():
    """Checks that each of 30 threads gets its name when it has begun, and may have been interrupted before."""
    for clock in CLOCKS:
        for attempt in range(3):
            recording = Recording(program("record_short"), "names", 20, 30, options=["--clock", clock, "-F", "5000"],
                                  report=["--by", "thread"])
            found = {row["name"] for row in recording.rows} & {f"named-{i}" for i in range(30)}
            note(f"{clock}: {len(found)} of {len(recording.rows)} threads have their name")
            if len(found) != 30:
                break
        ok(len(found) == 30, f"{clock}: threads that are named when they begin have all their names")


# ---- what is the program's own ----

def own_signals():
    def counts(answer):
        return {words[1]: (words[0], int(words[2]), int(words[4]))
                for words in map(str.split, text(answer.stdout).splitlines()) if words[0] in ("exact", "about")}

    # musl's raise() blocks all signals meanwhile, so that a tick and the program's own SIGTRAP may be pending at
    # once, and the kernel keeps only one. A tick comes each ms, and raise() takes 3 us.
    tolerances = {"exact": 0, "about": 0.1, "SIGTRAP": 0.01 if IS_MUSL else 0}

    def wrong(answer):
        return {name: (got, due) for name, (how, got, due) in counts(answer).items()
                if not near(got, due, tolerances.get(name, tolerances[how]))}

    for clock in CLOCKS:
        def measure():
            recording = Recording(program("record_own"), "1", options=["--clock", clock])
            due = sum(recording.cpu.values())
            note(f"{counts(recording.run)}, {recording.seconds:.3f} s of {due:.3f} s {recording.meta.get('sample_clock')}")
            return (status_of(recording.run) == 0 and len(counts(recording.run)) == 4 and not wrong(recording.run)
                    and near(recording.seconds, due, 0.02))

        if not ok_in_three(measure, f"signals and timers of the program's own, {clock}: all arrive, and so do samples"):
            note(f"without dwell: {wrong(run(program('record_own'), '1'))}")


# ---- what is refused ----

def refusals(folder):
    command = program("record_ends"), "exit", "0"
    for options, words in ((("-F", "0"), "frequency"), (("-F", "20001"), "frequency"), (("-F", "fast"), "frequency"),
                           (("-F", "-1"), "frequency"), (("--clock", "sun"), "clock"), (("--clocks",), ""),
                           (("--via", "sea"), ""), (("-o", f"{folder}/no/such"), "no/such")):
        ok(one_sentence(run(DWELL, "record", *options, "--", *command, cwd=folder), words),
           f"record {' '.join(options).replace(folder, '')}: one sentence")
    ok(one_sentence(run(DWELL, "record", cwd=folder), "COMMAND"), "no command: one sentence")
    ok(one_sentence(run(DWELL, "record", "-o", f"{folder}/x", f"{folder}/nothing"), "nothing"), "no such command: one sentence")
    ok(one_sentence(run(DWELL, "record", "--engine", "inside", "-o", f"{folder}/x", STATIC)),
       "a static program from inside: one sentence")
    ok(os.listdir(folder) == [], "and none of them leaves a file behind")
    bad_place(folder, command)
    setuid(folder)
    for hz in (1, 20000):
        recording = Recording(program("record_ends"), "exit", "0.1", options=["-F", hz])
        ok(status_of(recording.run) == 4 and recording.meta.get("rate_asked") == hz, f"-F {hz} is taken")


def bad_place(folder, command):
    """Records without the permission to write there."""
    closed = f"{folder}/closed"
    os.mkdir(closed, 0o555)
    if os.geteuid():
        ok(one_sentence(run(DWELL, "record", *command, cwd=closed), "dwell.data"), "a directory that is read-only: one sentence")
    else:
        answer = run("unshare", "-m", "sh", "-c", f"mount -t tmpfs -o ro none {closed} && cd {closed} && "
                     f"exec {DWELL} record {' '.join(command)}")
        if "unshare" in text(answer.stderr) or "mount" in text(answer.stderr):
            skip("a directory that is read-only", text(answer.stderr).strip())
        else:
            ok(one_sentence(answer, "dwell.data"), "a directory that is read-only: one sentence")
    os.rmdir(closed)


def setuid(folder):
    path = f"{folder}/setuid"
    with open(program("record_ends"), "rb") as source, open(path, "wb") as copy:
        copy.write(source.read())
    if os.geteuid() == 0:
        os.chown(path, 1, 1)
    os.chmod(path, stat.S_ISUID | 0o755)
    if os.geteuid():
        skip("a setuid program", "only root can make one that is another's")
    else:
        ok(one_sentence(run(DWELL, "record", "--engine", "inside", "-o", f"{folder}/x", path, "exit", "0")),
           "a setuid program from inside: one sentence")
        for options in ([], ["--engine", "outside"], ["--clock", "wall"]):
            answer = run(DWELL, "record", *options, "-o", f"{folder}/x", path, "exit", "0")
            ok(one_sentence(answer, "setuid") and not os.path.exists(f"{folder}/x"),
               f"a setuid program {' '.join(options) or 'with neither engine named'}: one sentence, and nothing is run")
        answer = run(DWELL, "record", "--run-anyway", "-o", f"{folder}/x", path, "exit", "0")
        ok(status_of(answer) == 4 and text(answer.stderr).count("\n") == 1, "unless it is to be run anyway")
    os.unlink(path)


with tempfile.TemporaryDirectory() as scratch:
    refusals(scratch)
    ends(scratch)
    from_outside()
    without_perf()
    signed()
    children(scratch)
    growth(scratch)
    daemon(scratch)
    left_behind(scratch)
    left_out()
    names()
    own_signals()
done()
