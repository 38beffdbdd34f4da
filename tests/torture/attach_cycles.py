#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""attach_cycles.py DWELL [CYCLES] PROGRAM... - attaches dwell calls to a server under load and detaches, CYCLES times
[1000]: no request fails, and the server has no more memory, mappings and descriptors afterwards. Not part of
./dev check: it takes some minutes, and the servers have to be installed.

PROGRAM is crew=PATH, which is tests/prog/crew.c, or nginx=PATH, which serves a file to 8 connections.
"""
import http.client
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

FOLDER = tempfile.mkdtemp()
PORT = 18081
WARM = 20  # cycles after which everything that is used again has been made


class Load:
    """Requests from several threads until it is stopped."""

    def __init__(self, request, threads):
        self.request, self.is_over, self.made, self.failed = request, False, 0, []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run) for _ in range(threads)]
        for thread in self.threads:
            thread.start()

    def run(self):
        while not self.is_over:
            error = self.request()
            with self.lock:
                self.made += 1
                if error:
                    self.failed.append(error)

    def stop(self):
        self.is_over = True
        for thread in self.threads:
            thread.join()


def fetch():
    try:
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=10)
        connection.request("GET", "/file")
        answer = connection.getresponse()
        return None if answer.status == 200 and len(answer.read()) == 20000 else f"status {answer.status}"
    except OSError as error:
        return str(error)


def start_nginx(path):
    with open(os.path.join(FOLDER, "file"), "w") as file:
        file.write("x" * 20000)
    with open(os.path.join(FOLDER, "nginx.conf"), "w") as file:
        file.write(f"daemon off; worker_processes 1; pid {FOLDER}/pid; error_log {FOLDER}/error.log; events {{ }}\n"
                   f"http {{ access_log off; server {{ listen 127.0.0.1:{PORT}; root {FOLDER}; }} }}\n")
    os.chmod(FOLDER, 0o755)
    master = subprocess.Popen([path, "-p", FOLDER, "-c", os.path.join(FOLDER, "nginx.conf")])
    time.sleep(1)
    with open(f"/proc/{master.pid}/task/{master.pid}/children") as children:
        worker = int(children.read().split()[0])
    return worker, Load(fetch, 8), lambda: (master.terminate(), master.wait())


def start_crew(path):
    crew = subprocess.Popen([path, "64"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    crew.stdout.readline()

    def request():
        crew.stdin.write("go 1000\n")
        crew.stdin.flush()
        return None if crew.stdout.readline() == "done 64000\n" else "wrong answer"
    return crew.pid, Load(request, 1), lambda: (crew.kill(), crew.wait())


def usage(pid):
    with open(f"/proc/{pid}/maps") as lines:
        maps = len(lines.readlines())
    with open(f"/proc/{pid}/status") as lines:
        size = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
    return maps, len(os.listdir(f"/proc/{pid}/fd")), size


def cycle(dwell, pid):
    run = subprocess.run([dwell, "calls", "-p", str(pid), "-d", "0.02", "-f", "*", "-o", os.path.join(FOLDER, "data"),
                          "--quiet"], capture_output=True, text=True, check=False)
    return run.stderr.strip() if run.returncode or run.stderr else None


def try_program(name, path, dwell, cycles):
    pid, load, end = {"nginx": start_nginx, "crew": start_crew}[name](path)
    begun, refused, warm = time.monotonic(), [], None
    for number in range(cycles):
        error = cycle(dwell, pid)
        if error:
            refused.append(error)
        if number == WARM:
            warm = usage(pid)
    seconds = time.monotonic() - begun
    after = usage(pid)
    load.stop()
    print(f"{name}: {cycles} cycles in {seconds:.0f} s, {len(refused)} refused; {load.made} requests, {len(load.failed)} "
          f"failed; mappings, descriptors, RSS (KB) {warm} after {WARM} cycles, {after} at the end")
    for line in sorted(set(refused + load.failed))[:5]:
        print("   ", line)
    end()
    return bool(load.failed)


def main():
    dwell, arguments = os.path.abspath(sys.argv[1]), sys.argv[2:]
    cycles = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 1000
    failed = [try_program(*argument.split("=", 1), dwell, cycles) for argument in arguments]
    shutil.rmtree(FOLDER)
    sys.exit(any(failed))


signal.signal(signal.SIGPIPE, signal.SIG_DFL)
main()
