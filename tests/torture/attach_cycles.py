#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""attach_cycles.py DWELL VIA [CYCLES] [-f SPEC] PROGRAM... - attaches dwell calls --via VIA to a server under load and
detaches, CYCLES times [1000], with the functions of SPEC chosen [*]: no request fails; the server has its code back, and no
more memory, mappings and descriptors afterwards; and the calls that dwell counts are those that the server logs while dwell
is attached. SIGINT ends the cycles early, with the results so far.

PROGRAM is crew=PATH, which is tests/prog/crew.c; nginx=PATH; or postgres=FOLDER, which has initdb, postgres and psql.
./dev check runs a few cycles with crew, and with nginx if that is installed; a thousand with all three take half an hour.

Every server has clients that ask without a pause, and one whose requests the server logs. Each of those requests makes
one call of a function that the other clients' requests do not call: random() in crew, write() of the access log in
nginx, sin() in postgres, by dsin(). They are made while dwell is attached, so that their number is exact.
"""
import http.client
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from attached import code_of, is_attached, read_text  # noqa: E402
from emulation import EMULATED  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

FOLDER = tempfile.mkdtemp()
LOGGED = 5  # requests in each cycle
PATIENCE_S = 60 * int(os.environ.get("TESTS_SLOWER", "1"))
IS_STOPPED = threading.Event()
ANON_KB = 512  # private memory that may be more: what one more arena of malloc() may touch


def wait_for(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.002)
    return condition()


class Load:
    """Requests from several threads until it is stopped."""

    def __init__(self, request, threads):
        self.request, self.is_over, self.made, self.failed = request, False, 0, []
        self.lock, self.may_go = threading.Lock(), threading.Event()
        self.may_go.set()
        self.threads = [threading.Thread(target=self.run) for _ in range(threads)]
        for thread in self.threads:
            thread.start()

    def run(self):
        while not self.is_over:
            self.may_go.wait()
            error = self.request()
            with self.lock:
                self.made += 1
                if error:
                    self.failed.append(error)

    def pause(self):
        self.may_go.clear()
        time.sleep(0.2)

    def resume(self):
        self.may_go.set()

    def stop(self):
        self.is_over = True
        for thread in self.threads:
            thread.join()


class Crew:
    """A program of ours with 64 threads; the numbers that it prints are its log."""
    functions = {"got": "random", "entry": "note"}

    def __init__(self, path):
        self.process = subprocess.Popen([path, "64"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.pids, self.lock = [self.process.pid], threading.Lock()
        self.load = Load(lambda: None if self.ask("go 1000") == "done 64000\n" else "wrong answer", 1)

    def ask(self, line):
        with self.lock:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            return self.process.stdout.readline()

    def log(self):
        return int(self.ask(f"log {LOGGED}").split()[1])

    def end(self):
        self.load.stop()
        self.process.stdin.close()
        return self.load.made, self.load.failed + (["it has failed"] if self.process.wait(PATIENCE_S) else [])


def fetch(port, path):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        connection.request("GET", path)
        answer = connection.getresponse()
        return None if answer.status == 200 and len(answer.read()) == 20000 else f"status {answer.status}"
    except (OSError, http.client.HTTPException) as error:
        return repr(error)


class Nginx:
    """One worker, which serves a file to 8 clients."""
    functions = {"got": "write", "entry": "write"}

    def __init__(self, path):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        for name in ("file", "logged"):
            with open(os.path.join(FOLDER, name), "w") as file:
                file.write("x" * 20000)
        with open(os.path.join(FOLDER, "nginx.conf"), "w") as file:
            file.write(f"daemon off; worker_processes 1; pid {FOLDER}/pid; error_log {FOLDER}/error.log; events {{ }}\n"
                       f"http {{ access_log off; server {{ listen 127.0.0.1:{self.port}; root {FOLDER};\n"
                       f"location /logged {{ access_log {FOLDER}/access.log; }} }} }}\n")
        os.chmod(FOLDER, 0o755)
        self.master = subprocess.Popen([path, "-p", FOLDER, "-c", os.path.join(FOLDER, "nginx.conf")])
        wait_for(lambda: fetch(self.port, "/file") is None)
        self.pids = [int(read_text(f"/proc/{self.master.pid}/task/{self.master.pid}/children").split()[0])]
        self.load = Load(lambda: fetch(self.port, "/file"), 8)

    def lines(self):
        return read_text(os.path.join(FOLDER, "access.log")).count("\n")

    def log(self):
        before = self.lines()
        self.load.failed += [error for error in (fetch(self.port, "/logged") for _ in range(LOGGED)) if error]
        wait_for(lambda: self.lines() - before >= LOGGED)
        return self.lines() - before

    def end(self):
        self.load.stop()
        self.master.terminate()
        self.master.wait(PATIENCE_S)
        return self.load.made, self.load.failed + read_text(os.path.join(FOLDER, "error.log")).splitlines()


class Postgres:
    """Two processes that serve pgbench, and one that serves psql, in one recording."""
    functions = {"got": "sin", "entry": "dsin"}

    def __init__(self, path):
        self.path, self.data, self.log_file = path, os.path.join(FOLDER, "cluster"), os.path.join(FOLDER, "log")
        os.chmod(FOLDER, 0o777)
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "tester", "--no-sync")
        with open(self.log_file, "w") as log:
            self.server = self.start("postgres", "-D", self.data, "-k", FOLDER, "-c", "listen_addresses=",
                                     "-c", "fsync=off", stderr=log)
        wait_for(lambda: "ready to accept connections" in read_text(self.log_file))
        self.run("pgbench", "-h", FOLDER, "-U", "tester", "-i", "-q", "postgres")
        self.bench = self.start("pgbench", "-h", FOLDER, "-U", "tester", "-n", "-c", "2", "-R", "200", "-T", "36000",
                                "postgres", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.client = self.start("psql", "-h", FOLDER, "-U", "tester", "-At", "postgres", stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE)
        self.pids, self.load = [], Load(lambda: None, 0)
        wait_for(lambda: self.find_backends() == 3)
        self.client.stdin.write("SET log_statement = 'all';\n")
        self.ask("SELECT 'ready'")

    def as_user(self):
        """initdb refuses root."""
        if os.getuid() == 0:
            user = pwd.getpwnam("nobody")
            return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        return {}

    def start(self, name, *arguments, **more):
        return subprocess.Popen([os.path.join(self.path, name), *arguments], text=True, cwd="/", **self.as_user(), **more)

    def run(self, name, *arguments):
        subprocess.run([os.path.join(self.path, name), *arguments], check=True, cwd="/", stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, **self.as_user())

    def ask(self, query):
        self.client.stdin.write(query + ";\n")
        self.client.stdin.flush()
        line = "SET"
        while line == "SET":
            line = self.client.stdout.readline().strip()
        return line

    def find_backends(self):
        found = self.ask("SELECT string_agg(pid::text, ',') FROM pg_stat_activity WHERE backend_type = 'client backend'")
        self.pids = [int(pid) for pid in found.split(",")]
        return len(self.pids)

    def lines(self):
        return read_text(self.log_file).count("statement: SELECT sin")

    def log(self):
        before = self.lines()
        for number in range(LOGGED):
            self.ask(f"SELECT sin({number})")
        return self.lines() - before

    def end(self):
        made, undone = self.ask("SELECT xact_commit, xact_rollback FROM pg_stat_database WHERE datname = 'postgres'"
                                ).split("|")
        errors = ["pgbench has ended"] if self.bench.poll() is not None else []
        errors += ["transactions were rolled back"] if int(undone) else []
        self.client.stdin.close()
        self.client.wait(PATIENCE_S)
        self.bench.send_signal(signal.SIGINT)
        self.bench.communicate(timeout=PATIENCE_S)
        errors += [line for line in read_text(self.log_file).splitlines() if "ERROR" in line or "PANIC" in line]
        self.server.send_signal(signal.SIGINT)
        self.server.wait(PATIENCE_S)
        return int(made), errors


def usage(server):
    """Mappings, descriptors and private memory in KB, of all processes."""
    pids = server.pids
    server.load.pause()  # clients' connections come and go
    maps = sum(read_text(f"/proc/{pid}/maps").count("\n") for pid in pids)
    size = sum(int(line.split()[1]) for pid in pids for line in read_text(f"/proc/{pid}/status").splitlines()
               if line.startswith("RssAnon"))
    opened = [os.readlink(f"/proc/{pid}/fd/{fd}") for pid in pids for fd in os.listdir(f"/proc/{pid}/fd")]
    server.load.resume()
    # postgres opens more and more of its own files.
    return maps, len([path for path in opened if not path.startswith(FOLDER)]), size


def cycle(dwell, via, spec, server):
    """Returns None, or what is wrong."""
    before = {pid: code_of(pid) for pid in server.pids}
    run = subprocess.Popen([dwell, "calls", "-p", ",".join(map(str, server.pids)), "--via", via, "-f", spec, "--limit", "0",
                            "--format", "json", "-o", os.path.join(FOLDER, "data")], stderr=subprocess.PIPE, text=True)
    wait_for(lambda: run.poll() is not None or all(is_attached(pid, via, before[pid]) for pid in server.pids))
    logged = server.log() if run.poll() is None else 0
    run.send_signal(signal.SIGINT)
    text = run.communicate(timeout=PATIENCE_S)[1]
    if run.returncode or not text.startswith("{"):
        return text.strip()
    counted = sum(row["calls"] for row in json.loads(text)["calls"] if row["symbol"] == server.functions[via])
    if any(code_of(pid) != before[pid] for pid in server.pids):
        return "its code is not as before"
    return None if counted == logged == LOGGED else f"the server has logged {logged}, dwell has counted {counted}"


def stop_early(*_):
    """Ends the cycles of the program at hand, and those of others after one."""
    IS_STOPPED.set()


def try_program(name, path, dwell, via, spec, cycles):
    server = {"crew": Crew, "nginx": Nginx, "postgres": Postgres}[name](path)
    begun, wrong, warm = time.monotonic(), [], None
    # Everything that is used again has been made after some.
    for number in range(cycles):
        if IS_STOPPED.is_set() and warm:
            cycles = number
            break
        error = cycle(dwell, via, spec, server)
        if error:
            wrong.append(f"cycle {number}: {error}")
        if number == min(cycles // 4, 50):
            warm = usage(server)
        if number % 100 == 99:
            note(f"{name}: {number + 1} cycles, {time.monotonic() - begun:.0f} s, {len(wrong)} wrong")
    seconds, after = time.monotonic() - begun, usage(server)
    made, failed = server.end()
    note(f"{name}: {cycles} cycles in {seconds:.0f} s, {made} requests; mappings, descriptors, private KB {warm} at first, "
         f"{after} at the end")
    for line in (wrong + failed)[:10]:
        note(line)
    ok(not wrong, f"{name}, {via}: attached to {cycles} times, and what dwell counts is what the server logs")
    ok(made and not failed, f"{name}: no request fails")
    ok(after[:2] == warm[:2] and after[2] - warm[2] <= ANON_KB, f"{name}: no mapping, descriptor or memory more")


def main():
    dwell, via, arguments = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    cycles = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 1000
    spec = arguments[1] if arguments[:1] == ["-f"] else "*"
    signal.signal(signal.SIGINT, stop_early)
    for argument in arguments[2 if arguments[:1] == ["-f"] else 0:]:
        if EMULATED:
            skip(argument.split("=", 1)[0], "the emulator has no ptrace()")
            continue
        try_program(*argument.split("=", 1), dwell, via, spec, cycles)
    shutil.rmtree(FOLDER)
    done()


main()
