#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""debuginfod.py DWELL PROGRAMS - names from servers: only if asked for, within a time limit, and in one sentence if
they are not available. The servers belong to this test."""
import ctypes
import http.server
import os
import pty
import re
import shutil
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import DWELL, environment, one_sentence, program, run, status_of, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

BUILD_ID = re.compile(r"Build ID: ([0-9a-f]+)")
NAME = "parent_work"  # not exported
OBJECT = "record_plugins"


class Server(http.server.ThreadingHTTPServer):
    """A server that has some debug files, or never replies."""

    daemon_threads = True

    def __init__(self, files, hangs=False):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.hangs = files, hangs
        self.asked = []
        self.over = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def close(self):
        self.over.set()
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):  # noqa: N802 - the name is of the library
        self.server.asked.append(self.path)
        if self.server.hangs:
            self.server.over.wait(50)
            return
        content = self.server.files.get(self.path)
        self.send_response(200 if content else 404)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_):
        pass


class Case:
    """A recording of a program whose debug file only a server has."""

    def __init__(self, folder):
        self.folder, self.data = folder, f"{folder}/data"
        self.program = shutil.copy(program(OBJECT), folder)
        self.caches = 0
        match = BUILD_ID.search(text(run("readelf", "-n", self.program).stdout))
        self.path = f"/buildid/{match[1]}/debuginfo" if match else None
        run("objcopy", "--only-keep-debug", self.program, f"{folder}/debug")
        run("objcopy", "--strip-all", self.program)
        sides = [program(f"librecord_plugin_{side}.so") for side in ("left", "right")]
        run(DWELL, "record", "-q", "-o", self.data, self.program, "fork", *sides)
        with open(f"{folder}/debug", "rb") as file:
            self.debug = file.read()

    def environment(self, url):
        """Returns an environment with an empty cache."""
        self.caches += 1
        cache = f"{self.folder}/cache{self.caches}"
        return environment(DEBUGINFOD_URLS=url, DEBUGINFOD_CACHE_PATH=cache)

    def report(self, url, *options, verb="report"):
        return run(DWELL, verb, *options, self.data, env=self.environment(url))


def unasked(case):
    server = Server({case.path: case.debug})
    results = [case.report(server.url), case.report(server.url, verb="info"),
               case.report(server.url, "--by", "line"), case.report(server.url, "-q", verb="archive")]
    ok(all(status_of(result) == 0 for result in results) and NAME not in text(results[0].stdout),
       "without the option, what is not on this machine has no name")
    ok(not server.asked, f"and no server is asked, though one is named: {server.asked}")
    server.close()


def asked(case):
    server = Server({case.path: case.debug})
    answer = case.report(server.url, "--debuginfod")
    ok(status_of(answer) == 0 and NAME in text(answer.stdout) and not answer.stderr, "with it, there is the name")
    ok(server.asked.count(case.path) == 1, "the server is asked once")
    others = {path for path in server.asked if path != case.path}
    ok(all(re.fullmatch(r"/buildid/[0-9a-f]+/debuginfo", path) for path in others),
       f"it says that it has not those of {len(others)} others, which is not an error")
    archive = f"{case.folder}/carried"
    made = run(DWELL, "archive", "-q", "--debuginfod=20", "-o", archive, case.data, env=case.environment(server.url))
    server.close()
    ok(status_of(made) == 0 and NAME in text(run(DWELL, "report", archive).stdout),
       "an archive has what servers had, when they are gone")


def not_there(case):
    server = Server({})
    answer = case.report(server.url, "--debuginfod")
    ok(status_of(answer) == 0 and case.path in server.asked and NAME not in text(answer.stdout),
       "a server that has nothing: the report is as without")
    server.close()
    answer = case.report(server.url, "--debuginfod")
    ok(status_of(answer) == 0 and text(answer.stdout) == text(case.report("").stdout), "nor does one that is off matter")


def hangs(case):
    server = Server({}, hangs=True)
    answer = case.report(server.url, "--debuginfod=1")
    said = text(answer.stderr)
    note(said.strip())
    ok(status_of(answer) == 0 and "were not downloaded in time" in said and NAME not in text(answer.stdout),
       "a server that does not answer is given up, and that is said")
    ok(server.asked and len(server.asked) == len(set(server.asked)), "no file is asked for twice")
    server.close()


def damaged(case):
    server = Server({case.path: b"\x7fELF" + bytes(1000)})
    answer = case.report(server.url, "--debuginfod")
    ok(status_of(answer) == 0 and case.path in server.asked, "a server that sends rubbish does no harm")
    server.close()


def refusals(case):
    ok(one_sentence(case.report("", "--debuginfod"), "DEBUGINFOD_URLS"), "no server is named")
    for value in ("0", "x", "-1", "99999"):
        ok(one_sentence(case.report("http://127.0.0.1:1", f"--debuginfod={value}"), "seconds"), f"no seconds: {value}")


def shown_on(case, kind):
    """Returns what a terminal of that kind shows while a file is fetched, or None if dwell failed."""
    server = Server({case.path: case.debug})
    master, slave = pty.openpty()
    pid = os.fork()
    if pid == 0:
        os.dup2(slave, 2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.execve(DWELL, [DWELL, "report", "--debuginfod", case.data], {**case.environment(server.url), "TERM": kind})
    _, status = os.waitpid(pid, 0)
    os.set_blocking(master, False)
    try:
        shown = os.read(master, 65536).decode(errors="replace")
    except BlockingIOError:
        shown = ""
    os.close(slave)
    os.close(master)
    server.close()
    return shown if status == 0 else None


def terminal(case):
    shown = shown_on(case, "xterm")
    ok(shown and "debug file of " in shown and shown.endswith("\r\033[K"),
       "on a terminal, one sees what is waited for, and then it is gone")
    ok(shown_on(case, "dumb") == "", "but not on one where it would stay")


def library_is_there():
    try:
        return bool(ctypes.CDLL("libdebuginfod.so.1"))
    except OSError:
        return False


def main():
    with tempfile.TemporaryDirectory() as folder:
        case = Case(folder)
        if not case.path:
            skip("debuginfod", "the linker makes no build-ids")
            return
        unasked(case)
        if not library_is_there():
            ok(one_sentence(case.report("http://127.0.0.1:1", "--debuginfod"), "libdebuginfod1"),
               "without the library, its package is named")
            skip("servers", "libdebuginfod.so.1 is not installed")
            return
        asked(case)
        not_there(case)
        hangs(case)
        damaged(case)
        refusals(case)
        terminal(case)


main()
done()
