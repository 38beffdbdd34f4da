#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""push_faults.py DWELL PROGRAMS NPM BUILD - receivers that are away, slow, refuse or lie: nothing is lost, nothing is
sent twice, and each case has one sentence."""
import os
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import certificates  # noqa: E402
from npm_packages import install  # noqa: E402
from receiver import Receiver  # noqa: E402
from sampled import DWELL, environment, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

NPM, BUILD = (os.path.abspath(path) for path in sys.argv[3:5])


class Pusher:
    """Pushes the same recording to one address, with a state of its own for each case."""

    def __init__(self, folder, data, address):
        self.folder, self.data, self.address, self.state = folder, data, address, None
        self.cases = 0

    def begin(self):
        self.cases += 1
        self.state = f"{self.folder}/state{self.cases}"

    def push(self, *options, data=None, address=None, **variables):
        paths = [self.data] if data is None else data
        return run(DWELL, "push", "--to", address or self.address, "--state", self.state, "--retry", "0", *options,
                   *paths, env=environment(**variables))

    def kept(self, room):
        return [os.path.join(folder, name) for folder, _, names in os.walk(self.state) if os.path.basename(folder) == room
                for name in names]


def told(answer, status, words, what):
    errors = text(answer.stderr)
    found = answer.returncode == status and all(word in errors for word in words)
    if not found:
        note(f"status {answer.returncode}: {text(answer.stdout)}{errors}")
    ok(found, f"{what}: {errors.strip().splitlines()[:1]}")


def sums(entries):
    """The samples that arrived with a message that was sound, by attempt."""
    return [sum(profile["all"] for profile in entry["resources"][0]["profiles"] if profile["type"] == "samples:count")
            for entry in entries if "resources" in entry]


def away(pusher, receiver):
    """Connection refused; then the receiver is back."""
    pusher.begin()
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    address = f"otlp+http://127.0.0.1:{port}"
    told(pusher.push(address=address), 1, ["cannot reach", "kept in"], "nothing listens")
    told(pusher.push(address=address), 1, ["cannot reach", "1 recording is kept"], "nor the second time")
    ok(len(pusher.kept("waiting")) == 1, "the message is kept once")
    proxy = Proxy(port, receiver.port)
    receiver.plan()
    answer = pusher.push(address=address, data=[])
    proxy.close()
    told(answer, 0, [], "the receiver is back")
    ok(len(receiver.log()) == 1 and not pusher.kept("waiting"), "and has the message, of which no recording is needed")
    answer = pusher.push(address=address)
    told(answer, 0, [], "pushed again, nothing is sent: no receiver is there any more")
    ok(b"1 had been sent before" in answer.stdout, text(answer.stdout).strip())
    pusher.begin()
    told(pusher.push(address="otlp+http://no-such-host.invalid"), 1, ["kept in"], "there is no such host")


class Proxy:
    """Listens on a port, and passes connections on to another one."""

    def __init__(self, port, target):
        code = ("import socket, sys, threading\n"
                "def copy(a, b):\n"
                "    while True:\n"
                "        piece = a.recv(65536)\n"
                "        if not piece: break\n"
                "        b.sendall(piece)\n"
                "    b.shutdown(socket.SHUT_WR)\n"
                "server = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
                "print('ready', flush=True)\n"
                "while True:\n"
                "    near, _ = server.accept()\n"
                "    far = socket.create_connection(('127.0.0.1', int(sys.argv[2])))\n"
                "    threading.Thread(target=copy, args=(near, far), daemon=True).start()\n"
                "    threading.Thread(target=copy, args=(far, near), daemon=True).start()\n")
        self.process = subprocess.Popen([sys.executable, "-c", code, str(port), str(target)], stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def close(self):
        self.process.kill()
        self.process.wait()


def busy(pusher, receiver):
    """503 with Retry-After: the client waits that long, and no longer than it may."""
    pusher.begin()
    receiver.plan({"status": 503, "headers": {"retry-after": "1"}}, {"status": 429}, {})
    answer = pusher.push("--retry", "60")
    told(answer, 0, [], "busy twice, then not")
    entries = receiver.log()
    ok(len(entries) == 3 and len(set(sums(entries))) == 1, "the same message three times, until it was accepted")
    ok(len({entry["headers"]["idempotency-key"] for entry in entries}) == 1 and
       len({profile["id"] for entry in entries for profile in entry["resources"][0]["profiles"]}) ==
       len(entries[0]["resources"][0]["profiles"]), "with the same numbers, by which a receiver can tell")
    pusher.begin()
    receiver.plan({"status": 503, "headers": {"retry-after": "3600"}, "body": "come back later"})
    told(pusher.push("--retry", "60"), 1, ["503: come back later", "kept in"], "it asks for an hour")
    ok(len(receiver.log()) == 1 and len(pusher.kept("waiting")) == 1, "and is asked once")
    receiver.plan()
    told(pusher.push(), 0, [], "later it is accepted")
    ok(len(receiver.log()) == 1 and not pusher.kept("waiting"), "from what was kept, and not from the recording as well")


def slow(pusher, receiver):
    pusher.begin()
    receiver.plan({"slow_ms": 5000})
    told(pusher.push("--timeout", "1"), 1, ["cannot reach", "kept in"], "slower than the limit")
    receiver.plan({"slow_ms": 1500})
    told(pusher.push("--timeout", "30"), 0, [], "slow, and in time")


def broken(pusher, receiver):
    for name, step in (("reset", {"reset": True}), ("cut in the middle of the response", {"cut": True})):
        pusher.begin()
        receiver.plan(step)
        told(pusher.push(), 1, ["cannot reach", "kept in"], name)
        receiver.plan()
        told(pusher.push(), 0, [], f"{name}, then not")
        ok(len(receiver.log()) == 1 and not pusher.kept("waiting"), f"{name}: the message is sent again, once")


def partial(pusher, receiver):
    """200, but not all was accepted."""
    pusher.begin()
    receiver.plan({"partial": {"rejectedProfiles": 1, "errorMessage": "too \"old\"\n"}})
    told(pusher.push(), 1, ["rejected 1 of the recording's profiles: too \"old\"", "rejected'"], "partial_success")
    ok(len(pusher.kept("rejected")) == 1, "the message is kept aside")
    receiver.plan()
    told(pusher.push(), 0, [], "it is not sent again")
    ok(not receiver.log(), "since a part was accepted")
    told(pusher.push("--again"), 0, [], "unless the user wants it")
    ok(len(receiver.log()) == 1 and not pusher.kept("rejected"), "then it is sent, and gone")
    pusher.begin()
    receiver.plan({"partial": {"errorMessage": "old version"}})
    told(pusher.push(), 0, ["warns: old version"], "a warning is shown, and all was accepted")
    pusher.begin()
    receiver.plan({"partial": {"rejectedProfiles": 1, "errorMessage": "old"}})
    pusher.push()
    for path in pusher.kept("rejected"):
        os.unlink(path)
    receiver.plan()
    told(pusher.push(), 0, [], "the user has removed what was kept aside")
    ok(not receiver.log(), "and it is not sent again, since a part was accepted")


def refused(pusher, receiver):
    for status, words in ((400, "bad data"), (413, "too large")):
        pusher.begin()
        receiver.plan({"status": status, "body": words})
        told(pusher.push(), 1, [f"{status}: {words}", "rejected'"], f"status {status}")
        receiver.plan()
        told(pusher.push(), 0, [], "and is not bothered again")
        ok(not receiver.log() and len(pusher.kept("rejected")) == 1, "but the message is there")
    for status in (401, 404, 500):
        pusher.begin()
        receiver.plan({"status": status, "body": "no"})
        told(pusher.push(), 1, [f"{status}: no", "kept in"], f"status {status}")
        receiver.plan()
        told(pusher.push(), 0, [], "the next run tries again")
        ok(len(receiver.log()) == 1 and not pusher.kept("waiting"), "and once is enough")


def elsewhere(pusher, receiver):
    """Redirects and web pages."""
    for target in ("file:///etc/passwd", "ftp://127.0.0.1/", f"http://127.0.0.1:{receiver.port}/other"):
        pusher.begin()
        receiver.plan({"status": 307, "headers": {"location": target}})
        told(pusher.push(DWELL_PUSH_TOKEN="secret"), 1, [f"redirects to '{target}'", "kept in"], f"a redirect to {target}")
        ok(len(receiver.log()) == 1, "is not followed")
    pusher.begin()
    receiver.plan({"headers": {"content-type": "text/html"}, "body": "<html>welcome"})
    told(pusher.push(), 1, ["is the address right?", "kept in"], "a web page is refused as an answer")


def addresses(pusher):
    pusher.begin()
    for address in ("http://127.0.0.1", "otlp+ftp://host", "otlp+http://", "otlp+http://host:port", "nonsense", "",
                    "otlp+http://me:secret@host"):
        answer = pusher.push(address=address) if address else run(DWELL, "push", pusher.data)
        errors = text(answer.stderr)
        ok(answer.returncode == 2 and errors.count("\n") == 1 and "secret" not in errors, f"{address}: {errors.strip()}")
    answer = pusher.push("--label", "no equals sign")
    ok(answer.returncode == 2 and text(answer.stderr).count("\n") == 1, text(answer.stderr).strip())
    missing = f"{pusher.folder}/nonexistent"
    for path in (missing, pusher.folder):
        answer = pusher.push("--token-file", path)
        ok(answer.returncode == 2 and f"cannot read '{path}'" in text(answer.stderr), text(answer.stderr).strip())
    answer = pusher.push(data=[missing])
    ok(answer.returncode == 2 and missing in text(answer.stderr), text(answer.stderr).strip())


def damaged(pusher, receiver):
    """A kept message may have been changed."""
    pusher.begin()
    receiver.plan({"status": 503})
    pusher.push()
    for folder, _, names in os.walk(pusher.state):
        for name in names if os.path.basename(folder) == "waiting" else ():
            with open(os.path.join(folder, name), "r+b") as file:
                file.truncate(100)
    receiver.plan()
    told(pusher.push(data=[]), 2, ["is not a message that dwell has kept"], "a kept message that was cut")
    ok(not receiver.log(), "is not sent")


def full(pusher, receiver):
    """No room for what has to be kept: the recording is still there, and the status tells."""
    pusher.begin()
    receiver.plan({"status": 503})
    told(pusher.push("--state-max", "1K"), 2, ["no room", "--state-max"], "a limit of what is kept")
    receiver.plan()
    told(pusher.push("--state-max", "1K"), 0, [], "the recording is pushed again")
    pusher.begin()
    os.mkdir(pusher.state)
    if os.geteuid() == 0:
        os.mkdir(f"{pusher.state}/push")
        answer = run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", f"{pusher.state}/push")
        if answer.returncode:
            skip("a full disk", "tmpfs cannot be mounted")
            return
        run("dd", "if=/dev/zero", f"of={pusher.state}/push/filler", "bs=4096")
        try:
            receiver.plan({"status": 503})
            told(pusher.push(), 2, ["cannot write", "No space left"], "a full disk")
        finally:
            run("umount", f"{pusher.state}/push")
    else:
        skip("a full disk", "only root can mount one")


def tls(pusher, receiver, folder):
    if not receiver.tls_port:
        skip("TLS", "openssl is not installed")
        return
    pusher.begin()
    address = f"otlp+https://127.0.0.1:{receiver.tls_port[0]}"
    receiver.plan()
    told(pusher.push(address=address), 1, ["certificate", "kept in"], "a certificate of an unknown authority")
    ok(not receiver.log(), "nothing is sent to it")
    told(pusher.push("--ca", f"{folder}/nonexistent", address=address), 1, ["kept in"], "a missing file of certificates")
    told(pusher.push("--ca", f"{folder}/ca.pem", address=address), 0, [], "with its authority")
    ok(len(receiver.log()) == 1, "it is sent")
    pusher.begin()
    told(pusher.push(address=address, OTEL_EXPORTER_OTLP_CERTIFICATE=f"{folder}/ca.pem"), 0, [],
         "the authority in OpenTelemetry's variable")


def at_once(pusher, receiver):
    """Two runs at once send each recording once."""
    pusher.begin()
    receiver.plan({"slow_ms": 500})
    command = [DWELL, "push", "--to", pusher.address, "--state", pusher.state, pusher.data]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, env=environment()) for _ in range(3)]
    outputs = [text(one.communicate(timeout=60)[0]) for one in runs]
    ok(all(one.returncode == 0 for one in runs) and len(receiver.log()) == 1, f"three runs at once: {outputs}")


def main():
    packages, why = install(NPM, BUILD)
    if not packages:
        skip("a receiver", why)
        done()
        return
    with tempfile.TemporaryDirectory() as folder:
        receiver = Receiver(packages, *certificates.make(folder))
        data = f"{folder}/data"
        run(DWELL, "record", "-q", "-o", data, "--", program("export_load"), "2")
        pusher = Pusher(folder, data, f"otlp+http://127.0.0.1:{receiver.port}")
        away(pusher, receiver)
        busy(pusher, receiver)
        slow(pusher, receiver)
        broken(pusher, receiver)
        partial(pusher, receiver)
        refused(pusher, receiver)
        elsewhere(pusher, receiver)
        addresses(pusher)
        damaged(pusher, receiver)
        full(pusher, receiver)
        tls(pusher, receiver, folder)
        at_once(pusher, receiver)
        receiver.close()
    done()


if __name__ == "__main__":
    main()
