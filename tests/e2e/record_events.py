#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_events.py DWELL PROGRAMS WITHOUT_PERF WITHOUT_PERFMON - `dwell record -e`: samples count an event in place of CPU
time, from inside and from outside, and every report and export has their unit.

The event is page faults, which every machine has; the program touches known numbers of new pages.
"""
import csv
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from emulation import EMULATED, NO_PERF  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

DWELL, PROGRAMS, WITHOUT_PERF, WITHOUT_PERFMON = (os.path.abspath(path) for path in sys.argv[1:5])
TARGET = f"{PROGRAMS}/event_target"
TIMEOUT_S = 120

# New pages that the program's functions touch. A function may have a page fault of its own: its code, or its stack.
PAGES = {"touch_in_main": 3000, "touch_in_thread": 2000, "touch_in_child": 1000}
KERNEL_PAGES = 500
MORE = 8
PERIOD = 20  # from outside
MANY = 4  # a period whose samples have no room in the rings of two CPUs


def dwell(*words, before=(), **more):
    return subprocess.run([*before, DWELL, *words], capture_output=True, text=True, timeout=TIMEOUT_S, check=False, **more)


def record(data, *words, before=()):
    return dwell("record", "-o", data, *words, "--", TARGET, before=before)


def totals(data):
    """Returns the events of each function with its callees, and what the report says about all."""
    answer = json.loads(dwell("report", "--format", "json", data).stdout)
    return {row["name"]: row["total_events"] for row in answer["samples"]}, answer["meta"]


def are_counted(found, period, expected=None):
    """Returns whether functions have their page faults: each of them where each is a sample. With a period, a sample more or less,
    which is the part of a period at either end; on a busy machine perf record has a sample less in one run of 6 as well."""
    expected = PAGES if expected is None else expected
    note({name: found.get(name) for name in expected})
    slack = period if period > 1 else 0
    return all(pages - slack <= found.get(name, 0) <= pages + slack + MORE for name, pages in expected.items())


def every_event(folder, engine, period):
    """Checks a period: from inside, each event can be a sample. From outside, so many would not fit into the kernel's rings. They
    also fill if dwell waits for a CPU in these milliseconds: then it says so, and is run again."""
    data = f"{folder}/{engine}.data"
    for _ in range(5):
        ran = record(data, "--engine", engine, "-e", "page-faults", "-c", str(period))
        if not totals(data)[1]["lost_samples"]:
            break
    ok(ran.returncode == 0 and " page-faults in '" in ran.stderr, f"{engine}: a recording of page faults, and its summary")
    found, meta = totals(data)
    ok(are_counted(found, period), f"{engine}: the page faults of threads and children")
    ok(meta["sample_time"] == "events" and meta["sample_event"] == "page-faults" and "samples_ns" not in meta,
       f"{engine}: for programs, they are events")
    ok(meta["samples_events"] == sum(row["self_events"] for row in
                                     json.loads(dwell("report", "--format", "json", data).stdout)["samples"]),
       f"{engine}: rows add up to all")
    if "user code only" in ran.stderr:
        skip(f"{engine}: page faults in a system call", "the kernel's events are not permitted here")
    else:
        ok(are_counted(found, period, {"fill_by_kernel": KERNEL_PAGES}), f"{engine}: page faults in a system call, as many as there are")
    return data


def periods(folder):
    data = f"{folder}/period.data"
    record(data, "-e", "page-faults", "-c", "50")
    found, meta = totals(data)
    ok(are_counted(found, 50), "-c N: each sample stands for N events")
    ok(meta["samples_events"] % 50 == 0 and meta["samples"] * 50 <= meta["samples_events"], "or for several times N")
    text = dwell("report", data).stdout
    ok("page-faults; one sample every 50" in text and " ms" not in text.split("\n\n")[0], "people read numbers, not times")


def frequencies(folder, engine):
    """Checks a frequency: the kernel chooses periods, and those that have begun at the end of a thread are not sampled. So the
    sum is no larger than the number of events."""
    data = f"{folder}/frequency.data"
    record(data, "--engine", engine, "-e", "page-faults", "-F", "20000")
    _, meta = totals(data)
    whole = sum(PAGES.values()) + KERNEL_PAGES
    note(f"{meta['samples']} samples of {meta['samples_events']} page faults")
    ok(whole * 0.3 < meta["samples_events"] < whole * 1.1 and meta["samples"] < meta["samples_events"],
       f"{engine}: -F HZ: samples stand for different numbers of events")


def running(folder, period, is_stopped=False):
    """Records a process that runs already. is_stopped: dwell cannot empty the rings meanwhile."""
    data = f"{folder}/running.data"
    with subprocess.Popen([TARGET, "wait"], stdin=subprocess.PIPE, text=True) as target:
        with subprocess.Popen([DWELL, "record", "-e", "page-faults", "-c", str(period), "-p", str(target.pid), "-o", data],
                              stderr=subprocess.PIPE, text=True) as watching:
            # There is a ring for each CPU, and then a counter of the target's thread.
            while watching.poll() is None and events_of(watching.pid) < 2 * os.cpu_count():
                time.sleep(0.01)
            if is_stopped:
                watching.send_signal(signal.SIGSTOP)
            target.communicate("\n")
            watching.send_signal(signal.SIGCONT)
            said = watching.communicate(timeout=TIMEOUT_S)[1]
    note(said)
    return totals(data)


def on_a_busy_machine(folder):
    """Checks that a report has what the rings had no room for: all but the last part of a period, and up to 2 % more: the
    program's own page faults, some 40 each time, and other lost events, which the kernel counts as well, such as the child's start."""
    if int(os.uname().release.split(".")[0]) < 6:
        skip("-p: lost events are counted, all of them", "the kernel counts them since Linux 6.0")
        return
    _, meta = running(folder, MANY, is_stopped=True)
    whole, found = sum(PAGES.values()) + KERNEL_PAGES, meta["samples_events"] + meta["lost_samples_events"]
    note(f"{meta['samples_events']} in samples, {meta['lost_samples_events']} lost, of {whole}")
    ok(meta["lost_samples"] > 0 and whole - MANY * (len(PAGES) + 1) <= found <= whole * 1.02, "-p: lost events are counted, all of them")


def events_of(pid):
    """Returns the number of the kernel's events that a process has open."""
    try:
        return sum("perf_event" in os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def exports(folder, data):
    def export(name, *words):
        path = f"{folder}/{name}.out"
        ran = dwell("export", "-f", name, *words, "-o", path, data)
        if ran.returncode:
            return ran.stderr.encode()
        with open(path, "rb") as file:
            return file.read()

    found, meta = totals(data)
    whole = meta["samples_events"]
    folded = export("folded").decode()
    ok(sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()) == whole, "folded: the amounts are events")
    ok(export("folded", "--unit", "events").decode() == folded, "as --unit events says")
    ok("leave out --unit" in dwell("export", "-f", "folded", "--unit", "ns", data).stderr, "and --unit ns is refused")
    pprof = gzip.decompress(export("pprof"))
    ok(b"page-faults" in pprof and b"nanoseconds" not in pprof, "pprof: a type of its own, in counts")
    otlp = export("otlp")
    ok(b"page-faults" in otlp and b"nanoseconds" not in otlp, "otlp: the same")
    speedscope = json.loads(export("speedscope"))
    ok({profile["unit"] for profile in speedscope["profiles"]} == {"none"} and
       sum(profile["endValue"] for profile in speedscope["profiles"]) == whole, "speedscope: no unit of time")
    firefox = json.loads(export("firefox"))
    samples = [thread["samples"] for thread in firefox["threads"]]
    ok({one["weightType"] for one in samples} == {"samples"} and sum(sum(one["weight"]) for one in samples) == whole and
       not any("threadCPUDelta" in one for one in samples), "firefox: weights are counts")
    callgrind = export("callgrind").decode()
    ok("\nevents: page_faults Samples\n" in callgrind and f"\nsummary: {whole} " in callgrind, "callgrind: an event of its own")
    ok(" page-faults: \n" in export("perf-script").decode(), "perf script: the name of the event")
    ok("gmon contains time" in export("gmon").decode(), "gmon has nothing but time, and is refused")
    rows = list(csv.DictReader(io.StringIO(dwell("report", "--format", "csv", data).stdout)))
    ok(rows and "self_events" in rows[0] and "self_ns" not in rows[0], "csv: columns of events")
    return found


def other_reports(folder, data):
    tree = json.loads(dwell("report", "--tree", "--format", "json", data).stdout)["tree"]
    ok(any(row["name"] == "touch_in_main" and row["total_events"] >= PAGES["touch_in_main"] for row in tree), "--tree: events")
    ok("of CPU time" not in dwell("annotate", "touch_in_main", data).stdout, "annotate: no times")
    cpu = f"{folder}/cpu.data"
    dwell("record", "-o", cpu, TARGET)
    refused = dwell("diff", cpu, data)
    ok(refused.returncode == 2 and "one counts time, the other page-faults" in refused.stderr,
       "events are not compared with time")
    same = json.loads(dwell("diff", "--format", "json", data, data).stdout)
    ok(same["meta"]["old_events"] == same["meta"]["new_events"] > 0 and "old_self_events" in same["samples"][0],
       "but with each other")
    refused = dwell("merge", "-o", f"{folder}/merged.data", cpu, data)
    ok(refused.returncode == 2 and "count time" in refused.stderr and "page-faults" in refused.stderr, "nor merged with it")
    page = f"{folder}/page.html"
    ok(dwell("html", "-o", page, data).returncode == 0 and os.path.getsize(page) > 0, "a page")


def scheduler(folder):
    data = f"{folder}/switches.data"
    ran = dwell("record", "-e", "context-switches", "-c", "1", "-o", data, "--", sys.executable, "-c",
                "import time\nfor i in range(40): time.sleep(0.001)")
    if "not permitted" in ran.stderr:
        skip("context switches", ran.stderr.strip())
        return
    _, meta = totals(data)
    note(f"{meta['samples_events']} context switches of 40 sleeps")
    ok(meta["samples_events"] >= 40, "context switches, which happen in the kernel")


def refusals(folder):
    data = f"{folder}/refused.data"

    def refused(*words, before=()):
        ran = record(data, *words, before=before)
        return ran.stderr if ran.returncode == 2 and ran.stderr.count("\n") == 1 and not ran.stdout else f"unexpected: {ran}"

    ok("unknown event 'nothing'" in refused("-e", "nothing"), "an unknown event: one sentence")
    ok("several events" in refused("-e", "page-faults,cs"), "two events")
    ok("-c needs -e" in refused("-c", "5"), "a period without an event")
    ok("-c needs -e" in refused("-e", "task-clock", "-c", "5"), "a period of CPU time")
    ok("not both" in refused("-e", "page-faults", "-c", "5", "-F", "9"), "a period and a frequency")
    ok("not both" in refused("-e", "page-faults", "--clock", "wall"), "an event and a clock")
    ok("--calls needs CPU time" in refused("-e", "page-faults", "--calls", "libz*:*"), "an event and calls")
    ok("invalid period '0'" in refused("-e", "page-faults", "-c", "0"), "a period of nothing")
    ok("not permitted here: see kernel.perf_event_paranoid" in refused("-e", "page-faults", before=[WITHOUT_PERF, "EPERM"]),
       "no permission: one sentence that names the setting")
    ran = record(data, "-e", "page-faults", "-c", "1", before=[WITHOUT_PERFMON])
    ok(ran.returncode == 0 and "counted in user code only: kernel.perf_event_paranoid 1" in ran.stderr,
       "no permission for the kernel: one line that names the setting")
    ok(are_counted(totals(data)[0], 1), "and the events of user code")
    hardware = refused("-e", "cycles")
    if "unexpected" in hardware:
        found, meta = totals(data)
        ok(meta["sample_event"] == "cycles" and meta["samples_events"] > 0, "cycles of a machine that counts them")
    else:
        ok("cannot sample 'cycles': this machine has no such counter" in hardware, "a machine without a PMU: one sentence")
    ran = record(data, "-e", "cpu-clock")
    ok(ran.returncode == 0 and "sample_event" not in dwell("report", "--format", "json", data).stdout,
       "the kernel's own clocks are CPU time")


def main():
    if EMULATED:
        skip("samples by events", NO_PERF)
        done()
    with tempfile.TemporaryDirectory() as folder:
        inside = every_event(folder, "inside", 1)
        every_event(folder, "outside", PERIOD)
        periods(folder)
        frequencies(folder, "inside")
        frequencies(folder, "outside")
        ok(are_counted(running(folder, PERIOD)[0], PERIOD), "-p: page faults of a running process, its threads and its children")
        on_a_busy_machine(folder)
        exports(folder, inside)
        other_reports(folder, inside)
        scheduler(folder)
        refusals(folder)
    done()


if __name__ == "__main__":
    main()
