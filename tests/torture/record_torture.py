#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_torture.py DWELL PROGRAMS - programs that a sampler may stumble over do what they do without it, and
losses are reported: deep stacks, stacks that are switched, tiny threads, scarce descriptors, memory and disks,
thousands of threads."""
import functools
import os
import re
import resource
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import EMULATED  # noqa: E402
from sampled import CLOCKS, DWELL, Recording, environment, near, program, run, status_of, text, unharmed  # noqa: E402
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

HZ = 10000
# The kernel reserves 4 KiB for registers in a signal frame of aarch64.
FRAME_BYTES = 5000 if os.uname().machine == "aarch64" else 4096
GROWN = re.compile(r"grown (-?\d+) (-?\d+) KiB")
IN_TURN = 40000
GROWTH_KIB = 3 << 10  # tables of frames and rules, as far as they are used; three segments of samples


def command(what, count=0):
    return program("record_torture"), what, count


NO_ROOM = b"dwell record: not everything was recorded, because there was no room in "


def without_figures(output):
    return b"".join(line for line in output.splitlines(True) if not line.startswith((b"cpu ", b"grown ", NO_ROOM)))


@functools.lru_cache(maxsize=None)
def plain_run(*words, preexec_fn=None):
    """Runs a command without dwell, once for all clocks, and without the work that nothing samples."""
    return run(*words, preexec_fn=preexec_fn, env=environment(WITHOUT_WORK="1"))


def torture(what, count, title, clock=CLOCKS[0], **settings):
    """Returns the recording of a scenario, which has to do what it does without dwell."""
    plain = plain_run(*command(what, count), preexec_fn=settings.get("preexec_fn"))
    recording = Recording(*command(what, count), options=["-F", HZ, "--clock", clock], **settings)
    unharmed(plain, recording.run, f"{title}, {clock}", without_figures)
    return recording


def share(recording, key):
    return recording.meta.get(key, 0) / (recording.meta.get("samples") or 1)


def tiny_threads(clock):
    """Checks 16 threads that burn 50 ms each. Where a tick of the kernel's weighs 4 ms of that, the result depends
    on chance."""
    recording = torture("tiny", 16, "threads with the smallest stack and all signals blocked", clock)
    found = recording.total("in_tiny_thread")
    note(f"{found:.3f} s of 0.8 s, {recording.seconds:.3f} s of {sum(recording.cpu.values()):.3f} s in all")
    return near(recording.seconds, sum(recording.cpu.values()), 0.05) and near(found, 0.8, 0.1)


def small_stacks(clock):
    """Checks that ticks use no more of an alternate stack than the kernel needs. 2,048 bytes are too few where CPUs
    have large registers: there, nothing is sampled."""
    torture("small_altstack", 2048, "an alternate stack of 2,048 bytes", clock)
    for size in (4096, 5000, 8192):
        recording = torture("small_altstack", size, f"an alternate stack of {size:,} bytes", clock)
        if size >= FRAME_BYTES:
            ok(near(recording.total("at_the_bottom"), 0.15, 0.1), f"an alternate stack of {size:,} bytes, {clock}: is sampled")
    for size in (6000, 8192):
        recording = torture("tight_altstack", size, f"handlers that fill a stack of {size:,} bytes", clock)
        ok(near(recording.seconds, sum(recording.cpu.values()), 0.05),
           f"handlers that fill a stack of {size:,} bytes, {clock}: their time is there")


def is_whole(recording, title):
    """Checks that all CPU time is either recorded or lost, and none is both."""
    lost = (recording.meta.get("unwatched_ns", 0) + recording.meta.get("unsampled_ns", 0)) / 1e9
    due = sum(recording.cpu.values())
    ok(near(recording.seconds + lost, due, 0.05),
       f"{title}: of {due:.2f} s, {recording.seconds:.2f} s recorded and {lost:.2f} s lost")


def gone_stacks(clock):
    """Checks that a thread whose alternate stack was unmapped is not sampled until it has another one. Its time is
    billed then, or lost: 5 % are for the few ticks that each thread may owe."""
    recording = torture("gone_altstack", 2, "alternate stacks that are unmapped", clock)
    is_whole(recording, f"alternate stacks that are unmapped, {clock}")
    if clock in CLOCKS:
        ok(recording.total("in_thread") > 0.125, f"alternate stacks that are unmapped, {clock}: without them, threads are sampled")


def crashes():
    """Checks that SIGSEGV does what it does without dwell, in programs that have an alternate stack."""
    plain = run(program("record_crash"))
    for options in (*(["--clock", clock] for clock in CLOCKS), ["--calls=*"]):
        recording = Recording(program("record_crash"), options=["-F", HZ, *options])
        unharmed(plain, recording.run, f"63 ways to receive SIGSEGV, {' '.join(options)}")
    for clock in (*CLOCKS, "itimer"):
        gone_stacks(clock)
    recording = Recording(*command("late_bill", 1), options=["-F", HZ, "--clock", CLOCKS[0]])
    is_whole(recording, "a thread without ticks ends late")
    plain = plain_run(*command("gone_altstack", 2))
    recording = Recording(*command("gone_altstack", 2), options=["-F", HZ, "--calls=*"])
    unharmed(plain, recording.run, "alternate stacks that are unmapped, --calls", without_figures)


def split_stacks(clock):
    """Checks that segments of -fsplit-stack, too small for a signal frame, are sampled on an alternate stack, or
    not at all."""
    if not os.path.exists(program("record_split")):
        skip("stacks of segments", "this compiler has no -fsplit-stack")
        return
    for title, *arguments in (("stacks of segments",), ("stacks of segments, and an alternate one", "altstack")):
        plain = plain_run(program("record_split"), *arguments)
        recording = Recording(program("record_split"), *arguments, options=["-F", HZ, "--clock", clock])
        unharmed(plain, recording.run, f"{title}, {clock}")
        if arguments:
            ok(near(recording.seconds, 0.15, 0.1), f"{title}, {clock}: are sampled")
        else:
            lost = (recording.meta.get("unwatched_ns", 0) + recording.meta.get("unsampled_ns", 0)) / 1e9
            ok(near(recording.seconds + lost, 0.15, 0.1), f"{title}, {clock}: what is not sampled is lost, and told")


def stacks():
    for clock in CLOCKS:
        split_stacks(clock)
        recording = torture("deep", 10000, "10,000 frames", clock)
        ok(share(recording, "samples_truncated") > 0.95, f"10,000 frames, {clock}: stacks are cut, and counted")
        recording = torture("altstack", 20, "handlers on a stack of their own", clock)
        ok(near(recording.total("main"), recording.seconds, 0.02) and recording.total("in_handler") > 0.175,
           f"handlers on a stack of their own, {clock}: are followed to main")
        small_stacks(clock)
        recording = torture("swap", 100, "coroutines", clock)
        ok(share(recording, "samples_broken") < 0.01 and recording.total("coroutine") > 0.9 * recording.total("in_coroutine"),
           f"coroutines, {clock}: are followed to where they begin")
        ok_in_three(lambda clock=clock: tiny_threads(clock), f"tiny threads, {clock}: are sampled all the same")
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        Recording(*command("deep", 10000), keep=data)
        shown = text(run(DWELL, "report", data).stdout)
        ok("too deep and are cut" in shown, "dwell report says that stacks were cut")


def limit(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


def scarcity():
    for clock in CLOCKS:
        recording = torture("close_all", 0, "all descriptors closed", clock)
        ok(near(recording.total("without_descriptors"), 0.15, 0.1), f"all descriptors closed, {clock}: samples go on")
    few = limit(resource.RLIMIT_NOFILE, 64)
    recording = torture("close_all", 0, "64 descriptors", preexec_fn=few)
    ok(near(recording.total("without_descriptors"), 0.15, 0.1), "64 descriptors: all samples are there")
    recording = torture("tiny", 16, "64 descriptors and threads", preexec_fn=few)
    ok(near(recording.total("in_tiny_thread"), 0.8, 0.1), "64 descriptors and threads: all samples are there")
    little = limit(resource.RLIMIT_AS, 64 << 20)
    recording = torture("close_all", 0, "64 MiB of address space", preexec_fn=little)
    ok(near(recording.total("without_descriptors"), 0.15, 0.1), "64 MiB of address space: all samples are there")
    small = limit(resource.RLIMIT_FSIZE, 96 << 10)
    recording = torture("growth", 1, "files of 96 KiB at most", preexec_fn=small)
    due = sum(recording.cpu.values())
    lost = recording.meta.get("lost_samples_ns", 0) / 1e9
    ok(recording.size <= 96 << 10 and lost > 0 and near(recording.seconds + lost, due, 0.02),
       f"files of 96 KiB at most: {recording.seconds:.2f} s recorded and {lost:.2f} s lost are {due:.2f} s")
    ok(NO_ROOM in recording.run.stderr and b"File too large" in recording.run.stderr, "files of 96 KiB at most: it is said")
    small_stack()
    full_disk()


def small_stack():
    """Checks that dwell itself goes on, and passes the limit on to the command."""
    small = limit(resource.RLIMIT_STACK, 48 << 10)
    with tempfile.TemporaryDirectory() as folder:
        data, page = f"{folder}/data", f"{folder}/page"
        answer = run(DWELL, "record", "-q", "-o", data, "sh", "-c", "ulimit -s", preexec_fn=small)
        ok(status_of(answer) == 0 and answer.stdout == b"48\n", "48 KiB of stack: a command is recorded, with its limit")
        run(DWELL, "record", "-q", "-o", data, program("record_load"), "one_thread", "0.2")
        for verb in (["report"], ["report", "--tree"], ["info"], ["html", "-o", page], ["export", "-f", "folded", "-o", page],
                     ["diff", data]):
            ok(status_of(run(DWELL, *verb, data, preexec_fn=small)) == 0, f"48 KiB of stack: dwell {' '.join(verb[:2])}")


def full_disk():
    """Records on a filesystem of 144 KiB, in a namespace of its own."""
    script = ("mount -t tmpfs -o size=144k none /mnt && cd /mnt && "
              f"{DWELL} record -q -F {HZ} {' '.join(map(str, command('growth', 1)))} && "
              f"{DWELL} report && rm dwell.data && dd if=/dev/zero of=full bs=4096 2>/dev/null; "
              f"{DWELL} record {' '.join(map(str, command('close_all')))}; echo status $?")
    answer = run("unshare", "-m", "sh", "-c", script)
    said = text(answer.stdout)
    if "fine" not in said:
        skip("a disk that is full", f"there is no namespace for it: {text(answer.stderr).strip()}")
        return
    filled, full = (*text(answer.stderr).splitlines(), "", "")[:2]
    ok("LOST: samples without room in the recording" in said, "a disk that fills up: the program goes on, and losses are shown")
    ok(filled.startswith(text(NO_ROOM)), "a disk that fills up: one sentence")
    ok("status 2" in said and "cannot write" in full and text(answer.stderr).count("\n") == 2, "a disk that is full: one sentence")
    note(text(answer.stderr))


def threads():
    def in_turn():
        recording = Recording(*command("many_in_turn", IN_TURN), timeout=120)
        note(f"{recording.size >> 10} KiB, {recording.seconds:.2f} s of {sum(recording.cpu.values()):.2f} s")
        return status_of(recording.run) == 0 and b"fine" in recording.run.stdout and recording.size < IN_TURN * 40

    recording = torture("many_at_once", 2000, "2000 threads at once")
    note(f"{recording.size >> 10} KiB, {recording.seconds:.2f} s of {sum(recording.cpu.values()):.2f} s, "
         f"lost {recording.meta.get('lost_samples')}, unwatched {recording.meta.get('unwatched_ns', 0) / 1e9} s")
    ok(recording.size < 2001 * 32 << 10 and recording.meta.get("lost_samples") == 0
       and recording.meta.get("sampled_threads", 0) > 1900, "2000 threads at once: less than 32 KiB for each")
    what = f"{IN_TURN:,} threads one after another: the recording has less than 40 bytes for each"
    if EMULATED:
        skip(what, "the emulator takes minutes for that many threads")
    else:
        ok(in_turn(), what)


def memory():
    recording = Recording(*command("growth", 3), options=["-F", 20000])
    match = GROWN.search(text(recording.run.stdout))
    note(match and match[0])
    ok(match and int(match[2]) < GROWTH_KIB, f"at 20 kHz the program grows by less than {GROWTH_KIB} KiB")
    ok(recording.size / (recording.meta.get("samples") or 1) < 20, "a sample costs less than 20 bytes of the recording")


for part in {"stacks": [stacks], "crashes": [crashes], "scarcity": [scarcity], "many": [threads, memory]}[sys.argv[3]]:
    part()
done()
