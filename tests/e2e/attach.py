#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""attach.py DWELL PROGRAMS PART - processes that are sampled from outside (src/attach): the recording
contains what they did, and they do not notice. PART is lives, which needs CPUs for itself, or rest.

The program prints how much CPU time its functions have really used, by the clock of its own thread, and the
samples' weights are settled by the kernel's account of the same time. So sums do not depend on chance, and 2 % is
for the time between two readings of a clock. Shares of functions do depend on chance: at 2000 Hz, 400 samples of a
function are off by 5 % in one of a hundred runs where two threads share a CPU. Both are tried three times.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from surroundings import cleared, read_debug_files  # noqa: E402
from tap import done, note, ok, ok_in_three, skip  # noqa: E402

DWELL, PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:3])
HZ = 2000
read_debug_files()
REFUSED = 3  # the driver's exit status where perf_event_open() is refused


def program(name):
    return os.path.join(PROGRAMS, name)


class Target:
    """A program that waits for a line before it begins."""

    def __init__(self, mode, name="attach_target"):
        self.process = subprocess.Popen([program(name), mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=cleared())
        self.pid = int(self.process.stdout.readline().split()[1])
        self.used = {}
        self.lived = {}
        self.total = 0.0

    def work(self):
        """Runs all of its work, up to the last line of its output."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            words = line.split()
            if words[0] == "used":
                self.used[words[1]] = self.used.get(words[1], 0) + float(words[2])
            elif words[0] == "lived":
                self.lived[words[1]] = self.lived.get(words[1], 0) + float(words[2])
            elif words[0] == "total":
                self.total = float(words[1])
                return

    def end(self):
        """Lets it end, and returns the rest of its output."""
        self.process.stdin.close()
        said = self.process.stdout.read()
        self.process.wait(60)
        return said


class Recording:
    """The driver's recording, as dwell report and dwell info print it."""

    def __init__(self, data):
        self.data = data
        self.answers = {}

    def ask(self, *words):
        if words not in self.answers:
            self.answers[words] = self.answer(*words)
        return self.answers[words]

    def answer(self, *words):
        answer = subprocess.run([DWELL, *words, self.data, "--format", "json"], capture_output=True, check=False)
        if answer.returncode:
            note(answer.stderr.decode())
            return {"meta": {}, "samples": [], "processes": [], "threads": [], "objects": []}
        return json.loads(answer.stdout)

    def functions(self, *options):
        return {row["name"]: row for row in self.ask("report", *options)["samples"]}

    def seconds(self):
        return self.ask("report")["meta"].get("samples_ns", 0) / 1e9


class Driver:
    def __init__(self, folder, *arguments):
        self.data = os.path.join(folder, f"{time.monotonic_ns()}.data")
        self.process = subprocess.Popen([program("attach_driver"), "--hz", str(HZ), *arguments[:-1], self.data, *arguments[-1:][0]],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=cleared())
        self.is_attached = self.process.stdout.readline() == "attached\n"
        self.status = {}

    def end(self, stop=True):
        if stop:
            self.process.send_signal(signal.SIGTERM)
        out, self.said = self.process.communicate(timeout=120)
        words = out.split()
        self.status = dict(zip(words[-12::2], words[-11::2]))
        return Recording(self.data)


RECORDED = {}  # (mode, options, name): the last recording of it that record() has made


def record(folder, mode, *options, name="attach_target"):
    """Returns the target, which has done its work, and its recording."""
    RECORDED[mode, options, name] = recorded = record_anew(folder, mode, *options, name=name)
    return recorded


def recorded_before(folder, mode, *options, name="attach_target"):
    """Returns what record() has returned for the same target, for another look at it. Each is returned once, so that
    a point that is tried again gets another recording."""
    return RECORDED.pop((mode, options, name), None) or record_anew(folder, mode, *options, name=name)


def record_anew(folder, mode, *options, name="attach_target"):
    target = Target(mode, name)
    driver = Driver(folder, *options, [str(target.pid)])
    target.work()
    recording = driver.end()
    target.end()
    recording.status = driver.status
    return target, recording


def near(value, wanted, tolerance):
    return abs(value - wanted) <= tolerance * wanted


def shares(folder):
    def measure():
        target, recording = record(folder, "two")
        rows = recording.functions()
        for name, seconds in target.used.items():
            seen = rows.get(name, {}).get("self_ns", 0) / 1e9
            note(f"{name}: {seen:.4f} s of {seconds:.4f} s")
            if not near(seen, seconds, 0.05):
                return False
        threads = {row["thread"]: row["samples_ns"] / 1e9 for row in recording.ask("info")["threads"]}
        note(f"threads: {threads}")
        left = target.used["first_work"] + target.used["second_work"]
        return near(threads.get("left", 0), left, 0.02) and near(threads.get("right", 0), target.used["third_work"], 0.02)

    ok_in_three(measure, "two threads: each function has its time within 5 %, each thread within 2 %")


def totals(folder):
    def measure(mode, *options):
        target, recording = record(folder, mode, *options)
        note(f"{mode} {' '.join(options)}: {recording.seconds():.4f} s recorded of {target.total:.4f} s; {recording.status}")
        return near(recording.seconds(), target.total, 0.02)

    ok_in_three(lambda: measure("plain"), "the sum is the CPU time of the process within 2 %")
    ok_in_three(lambda: measure("mixed"), "so it is with much of it in the kernel")
    ok_in_three(lambda: measure("shorts"), "and of many short threads")
    ok_in_three(lambda: measure("two", "--hz", "97"), "and at 97 Hz")
    ok_in_three(lambda: measure("two", "--hz", "20000"), "and at 20000 Hz, whatever gets lost")


def kernel_time(folder):
    def measure():
        target, recording = recorded_before(folder, "mixed")
        rows = recording.functions()
        seen = rows.get("kernel_work", {}).get("total_ns", 0) / 1e9
        note(f"kernel_work: {seen:.4f} s of {target.used['kernel_work']:.4f} s; {recording.status}")
        return near(seen, target.used["kernel_work"], 0.05 if recording.status.get("user_only") == "0" else 0.4)

    ok_in_three(measure, "time in the kernel is that of the function that made the call")


def reach(folder):
    for name, modes in (("attach_target", ("two", "plain", "deep", "births")), ("attach_static", ("two", "plain"))):
        for mode in modes:
            _, recording = recorded_before(folder, mode, name=name)
            samples = recording.ask("report")["meta"].get("samples", 0)
            rows = recording.functions()
            ends = sum(rows.get(last, {}).get("total", 0) for last in ("_start", "clone3", "__clone3", "clone", "start_thread"))
            broken = recording.ask("report")["meta"]
            note(f"{name} {mode}: {samples} samples, broken {broken.get('samples_broken')}, truncated "
                 f"{broken.get('samples_truncated')}")
            if mode in ("plain", "deep"):
                ends = rows.get("main", {}).get("total", 0)
                ok(samples and ends >= 0.99 * samples, f"{name} {mode}: {ends} of {samples} stacks reach main()")
            else:
                whole = samples - broken.get("samples_broken", 0) - broken.get("samples_truncated", 0)
                ok(samples and whole >= 0.99 * samples and ends >= 0.99 * samples,
                   f"{name} {mode}: {whole} of {samples} stacks reach their end")


def honest(folder):
    _, recording = record(folder, "returns")
    meta = recording.ask("report")["meta"]
    whole = recording.functions().get("main", {}).get("total", 0)
    cut, broken = meta.get("samples_truncated"), meta.get("samples_broken")
    note(f"{meta.get('samples')} samples, {whole} reach main(), truncated {cut}, broken {broken}")
    ok(whole and meta.get("samples") == whole + cut + broken,
       "a stack that is deeper than its copy, and gone by now: it reaches main(), or is said not to")
    _, recording = record(folder, "plain", "--no-stacks")
    rows = recording.functions()
    ok("first_work" in rows and "main" not in rows, "no stacks if none are wanted")


def followed(folder):
    for mode, function in (("births", "late_work"), ("forks", "child_work"), ("execs", "exec_work"),
                           ("thread_execs", "exec_work"), ("opens", "plugin_work")):
        def measure(mode=mode, function=function):
            target, recording = record(folder, mode)
            seen = recording.functions().get(function, {}).get("self_ns", 0) / 1e9
            wanted = target.used.get(function, 0)
            note(f"{mode}: {function} {seen:.4f} s of {wanted:.4f} s")
            return wanted and near(seen, wanted, 0.05)

        ok_in_three(measure, f"{mode}: {function} is named, and has its time")
    _, recording = record(folder, "forks", "--no-follow")
    info = recording.ask("info")
    ok("child_work" not in recording.functions() and len(info["processes"]) == 1, "forks: not followed if not wanted")
    _, recording = recorded_before(folder, "execs")
    ok(len(recording.ask("info")["processes"]) == 2, "exec() makes another process of it")
    _, recording = recorded_before(folder, "opens")
    ids = {os.path.basename(row["path"]): row["build_id"] for row in recording.ask("info")["objects"]}
    ok(ids.get("libattach_plugin.so"), "a library that was opened later has its build-id")


def launched(folder):
    for name in ("attach_target", "attach_static"):
        def measure(name=name):
            driver = Driver(folder, "--run", [program(name), "now"])
            if not driver.is_attached:
                note(driver.process.stderr.read())
                return False
            recording = driver.end(stop=False)
            rows = recording.functions()
            meta = recording.ask("report")["meta"]
            seen = rows.get("first_work", {}).get("self_ns", 0) / 1e9
            note(f"{name}: first_work {seen:.4f} s; {driver.status}; {meta.get('exit_status')}")
            return near(seen, 0.25, 0.05) and meta["exit_status"] == 0 and meta["samples_broken"] == 0

        ok_in_three(measure, f"{name}: recorded from its start to its end")


def waiting(folder):
    """Checks threads that wait 50 ms at a time. Missing from two seconds are the time before the first look, and a
    look or two in which a thread was just about to wait again."""
    def measure():
        target = Target("server")
        driver = Driver(folder, "--blocked-hz", "99", "--seconds", "2", [str(target.pid)])
        recording = driver.end(stop=False)
        target.work()
        target.end()
        meta, rows = recording.ask("report")["meta"], recording.functions()
        seen = {name: rows.get(name, {}).get("total_ns", 0) / 1e9
                for name in ("in_epoll", "in_poll", "in_sleep", "in_accept", "wait_for_line")}
        note(f"{seen}; {meta.get('samples')} samples, {meta.get('samples_blocked')} blocked, broken "
             f"{meta.get('samples_broken')}")
        return (meta["sample_time"] == "wall" and meta["samples_blocked"] > 0.9 * meta["samples"]
                and meta["samples_broken"] == 0 and all(near(value, 2, 0.1) for value in seen.values()))

    ok_in_three(measure, "wall time: five threads that wait, each has its two seconds within 10 %, with its stack")

    def both():
        target, recording = record(folder, "two", "--blocked-hz", "198")
        rows = recording.functions()
        for name, seconds in target.used.items():
            seen = rows.get(name, {}).get("self_ns", 0) / 1e9
            note(f"{name}: {seen:.4f} s of {seconds:.4f} s")
            if not near(seen, seconds, 0.08):
                return False
        return True

    ok_in_three(both, "wall time: threads that run have their CPU time, and no time that they waited for a CPU")


def lives(folder):
    """Checks that all wall-clock time of a thread is recorded: naps that are over before the next look, and the
    time that it waited for a CPU, are in its samples too. They add up by the kernel's figures: 1 % is for the time
    from the last output of a thread to its end. CPU time behind the last look is known only for all threads together:
    hence half of the time between two looks, 5 ms, in addition; and 15 % for waiting for a CPU, which is
    distinguished only once per look. No other test runs beside this one."""
    def has_run(ran, wanted):
        return abs(ran - wanted) <= 0.01 * wanted + 0.005

    def measure():
        target, recording = record(folder, "lives", "--blocked-hz", "99")
        threads = {row["thread"]: row["samples_ns"] / 1e9 for row in recording.ask("info")["threads"]}
        good = True
        for name, seconds in target.lived.items():
            note(f"{name}: {threads.get(name, 0):.4f} s of {seconds:.4f} s")
            good = good and near(threads.get(name, 0), seconds, 0.01)
        for name, seconds in target.used.items():
            rows = recording.functions("--thread", name)
            waited = rows.get("[waiting for a CPU]", {}).get("self_ns", 0) / 1e9
            ran = rows.get("work_until", {}).get("self_ns", 0) / 1e9
            below = rows.get("work_until", {}).get("total_ns", 0) / 1e9
            wanted = target.lived[name] - seconds
            note(f"{name}: ran {ran:.4f} s of {seconds:.4f} s, waited {waited:.4f} s of {wanted:.4f} s")
            good = good and has_run(ran, seconds) and near(waited, wanted, 0.15) and below > 0.9 * target.lived[name]
        napped = recording.functions("--thread", "naps").get("nap_often", {}).get("total_ns", 0) / 1e9
        note(f"nap_often: {napped:.4f} s")
        return good and len(target.lived) == 3 and napped > 0.9 * target.lived["naps"]

    ok_in_three(measure, "wall time: a thread that naps and two that share a CPU: each has its life within 1 %")

    def measure_briefs():
        target, recording = record(folder, "briefs", "--blocked-hz", "20")
        threads = {"brief": 0}
        for row in recording.ask("info")["threads"]:
            threads[row["thread"]] = threads.get(row["thread"], 0) + row["samples_ns"] / 1e9
        life, lived, used = threads["brief"], target.lived["brief"], target.used["brief"]
        rows = recording.functions("--thread", "brief")
        ran = rows.get("short_work", {}).get("self_ns", 0) / 1e9
        note(f"brief: {life:.4f} s of {lived:.4f} s, ran {ran:.4f} s of {used:.4f} s")
        return near(life, lived, 0.02) and near(ran, used, 0.08)

    ok_in_three(measure_briefs, "wall time: threads that start and end between two looks have their lives within 2 %")


def lossy(folder):
    """Stops the recorder while the program works: most samples find no room."""
    target = Target("two")
    driver = Driver(folder, [str(target.pid)])
    driver.process.send_signal(signal.SIGSTOP)
    target.work()
    driver.process.send_signal(signal.SIGCONT)
    time.sleep(0.5)
    recording = driver.end()
    target.end()
    meta = recording.ask("report")["meta"]
    note(f"{recording.seconds():.4f} s of {target.total:.4f} s, {meta.get('samples')} samples, {meta.get('lost_samples')} lost")
    ok(meta.get("lost_samples", 0) > 0, "samples that do not fit into a ring are counted")
    ok(near(recording.seconds(), target.total, 0.03), "its time is not lost")


def unnoticed(folder):
    target = Target("server")
    for options in ((), ("--blocked-hz", "500"), ("--hz", "10000"), ("--no-stacks",), ("--blocked-hz", "99")):
        driver = Driver(folder, "--seconds", "0.3", *options, [str(target.pid)])
        driver.end(stop=False)
    target.work()
    said = target.end().split()
    note(" ".join(said))
    ok(said[0] == "waits" and int(said[1]) > 20 and said[3] == "0",
       "a thread that waits in epoll_wait(), poll(), nanosleep() or accept() is never interrupted")


def killed(folder):
    target = Target("plain")
    driver = Driver(folder, [str(target.pid)])
    target.work()
    time.sleep(0.3)
    driver.process.kill()
    driver.process.wait()
    recording = Recording(driver.data)
    target.end()
    note(f"{recording.seconds():.4f} s of {target.total:.4f} s")
    ok(near(recording.seconds(), target.total, 0.1), "the samples up to then remain if the recorder is killed")


def several(folder):
    targets = [Target("plain"), Target("plain")]
    driver = Driver(folder, [",".join(str(target.pid) for target in targets)])
    for target in targets:
        target.work()
    recording = driver.end()
    for target in targets:
        target.end()
    rows = {row["pid"]: row["samples_ns"] / 1e9 for row in recording.ask("info")["processes"]}
    note(rows)
    ok(all(near(rows.get(target.pid, 0), target.total, 0.05) for target in targets), "two processes at once")


def errors(folder):
    def sentence(pid):
        answer = subprocess.run([program("attach_driver"), os.path.join(folder, "none"), str(pid)],
                                capture_output=True, text=True, check=False)
        return answer.returncode, answer.stderr.strip()

    code, said = sentence(999999)
    ok(code == 1 and said == "attach_driver: no such process: 999999", said)
    code, said = sentence(2)
    if "no such process" in said:
        skip("a thread of the kernel", "there is none here")
    else:
        ok(code == 1 and "it is a kernel thread" in said, said)
    ended = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    code, said = sentence(ended.pid)
    ok(code == 1 and said.endswith(f"process {ended.pid} has already exited"), said)
    ended.wait()


def is_refused(folder):
    target = Target("plain")
    driver = Driver(folder, "--seconds", "0", [str(target.pid)])
    driver.end(stop=False)
    target.end()
    if driver.process.returncode == REFUSED:
        return driver.said.strip()
    return None


PARTS = {
    "rest": (shares, totals, kernel_time, followed, reach, honest, launched, waiting, lossy, unnoticed, killed, several, errors),
    "lives": (lives,),
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        refusal = is_refused(folder)
        if refusal:
            skip("sampling from outside", refusal)
            done()
        for part in PARTS[sys.argv[3]]:
            part(folder)
    done()


if __name__ == "__main__":
    main()
