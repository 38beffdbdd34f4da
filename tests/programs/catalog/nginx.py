# SPDX-License-Identifier: MIT
"""nginx.py - two workers under load, replaced by a reload in the middle, and a graceful end."""
import os
import re
import signal
import tempfile
import time
import urllib.request

from program import Program, write
from server import Server, ask

PORT = 18080
CONFIGURATION = """
daemon off;
worker_processes 2;
pid nginx.pid;
error_log error.log warn;
events {{ worker_connections 512; }}
http {{
    access_log access.log;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    gzip on;
    gzip_types *;
    server {{ listen 127.0.0.1:{port}; root {root}; }}
}}
"""


def failures(said):
    """Returns how many requests failed, from the output of wrk."""
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", said)
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    return sum(int(count) for match in (errors, refused) if match for count in match.groups())


def rate(said):
    return float(re.search(r"Requests/sec:\s+([\d.]+)", said).group(1))


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return set(file.read().split())


class Nginx(Server, Program):
    name = "nginx"
    what = "wrk: small pages, packed and not, reload in between, SIGQUIT"
    packages = ("nginx-light", "wrk")
    version_command = ("nginx", "-v")
    port = PORT
    stop_signal = signal.SIGQUIT
    objects = ("nginx",)
    libraries = ("libc.so", "libz.so")
    ignored_files = ("access.log",)
    root = ""

    def prepare(self, given):
        # Workers are another user, who may not get into the folder of the build.
        self.root = tempfile.mkdtemp()
        os.chmod(self.root, 0o755)
        write(os.path.join(self.root, "page.html"), "<p>a small page</p>\n" * 100)
        write(os.path.join(self.root, "large.bin"), bytes(range(256)) * 8192)
        write(os.path.join(given, "nginx.conf"), CONFIGURATION.format(port=PORT, root=self.root))

    def command(self, given):
        return ["nginx", "-p", os.path.join(os.path.dirname(given), "here"), "-e", "error.log",
                "-c", os.path.join(given, "nginx.conf")]

    def reload(self, here):
        """Returns when the old workers are gone: wrk counts connections that they close as failures."""
        with open(os.path.join(here, "nginx.pid"), encoding="ascii") as file:
            master = int(file.read())
        before = children(master)
        os.kill(master, signal.SIGHUP)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            now = children(master)
            if not now & before and len(now) == len(before):
                return
            time.sleep(0.05)
        raise ValueError("no reload")

    def load(self, here):
        page = f"http://127.0.0.1:{PORT}/page.html"
        packed = ask("wrk", "-t1", "-c16", "-d3", "-H", "Accept-Encoding: gzip", page)
        self.reload(here)
        plain = ask("wrk", "-t1", "-c16", "-d3", page)
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/large.bin", timeout=60) as answer:
            is_right = answer.read() == bytes(range(256)) * 8192
        return failures(packed) + failures(plain), rate(packed) + rate(plain), f"large file: {is_right}\n".encode()

    def stop(self, running):
        # dwell leaves SIGQUIT to the command, as terminals send it to both.
        with open(os.path.join(os.path.dirname(os.path.dirname(running.out_path)), "here", "nginx.pid"),
                  encoding="ascii") as file:
            os.kill(int(file.read()), self.stop_signal)
