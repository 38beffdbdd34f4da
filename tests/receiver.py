# SPDX-License-Identifier: MIT
"""receiver.py - starts tests/npm/receiver.js, and asks it what has arrived."""
import json
import subprocess
import urllib.request


class Receiver:
    """A receiver of profiles on loopback. plan() sets how it treats the next requests, log() returns what it found in
    those since then."""

    def __init__(self, packages, *tls):
        self.process = subprocess.Popen(["node", f"{packages}/receiver.js", packages, *tls], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.port, *self.tls_port = json.loads(self.process.stdout.readline())

    def ask(self, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", data, timeout=60) as answer:
            return json.loads(answer.read())

    def plan(self, *steps, wire="1.10"):
        self.ask("/plan", {"plan": steps, "wire": wire})

    def log(self):
        return self.ask("/log")

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
