# SPDX-License-Identifier: MIT
"""server.py - a program that serves: it is started one way or another, something plain loads it, and then it is
stopped."""
import os
import signal
import socket
import subprocess
import time

from execution import Outcome, wait_attached
from program import Program

READY_S = 60
STOP_S = 60


def accepts(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


class Server(Program):
    """command() is the server, in the foreground. load() has to count what failed."""

    port = 0
    stop_signal = signal.SIGTERM

    def is_ready(self):
        return accepts(self.port)

    def load(self, here):
        """Sends requests to the server, plainly. Returns (failed requests, requests per second, the part of the replies
        that is to be compared)."""
        raise NotImplementedError

    def stop(self, running):
        """Stops the server as an administrator would. `running.pid` is dwell, which passes SIGTERM and SIGHUP on, or the server."""
        os.kill(running.pid, self.stop_signal)

    def perform(self, launch, given):
        running = launch.start(self.command(given), stdin=self.stdin)
        deadline = time.monotonic() + READY_S
        while not running.poll() and not self.is_ready() and time.monotonic() < deadline:
            time.sleep(0.05)
        failed, rate, answers, trouble = 0, 0.0, b"", ""
        if running.poll() is None and self.is_ready():
            recorder = launch.attach(running.pid)
            try:
                failed, rate, answers = self.load(launch.here)
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                trouble = f"the load failed: {error}"
            trouble = wait_attached(recorder) or trouble
        else:
            trouble = "the server did not get ready"
        try:
            if running.poll() is None:
                self.stop(running)
        except (OSError, subprocess.SubprocessError) as error:
            trouble = trouble or f"it could not be stopped: {error}"
        outcome = running.wait(STOP_S)
        return Outcome(status=outcome.status, stdout=outcome.stdout + answers, stderr=outcome.stderr, cpu_s=outcome.cpu_s,
                       wall_s=outcome.wall_s, trouble=trouble or outcome.trouble, failed_requests=failed, rate=rate)


def ask(*command, timeout=300, **options):
    """Runs a load generator, or anything else, plainly. Returns its output as text."""
    answer = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            timeout=timeout, check=False, **options)
    text = answer.stdout.decode(errors="replace")
    if answer.returncode:
        raise ValueError(f"{command[0]} ended with {answer.returncode}: {text.strip()[-300:]}")
    return text
