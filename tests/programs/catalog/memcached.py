# SPDX-License-Identifier: MIT
"""memcached.py - a server of threads and of libevent: sets, gets, counters and deletions of 8 clients at once."""
import socket
import threading
import time

from program import Program
from server import Server

PORT = 11311
CLIENTS = 8
ROUNDS = 1500
BATCH = 10  # items in a get


class Client:
    """One connection; the protocol is of lines."""

    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", PORT), timeout=60)
        self.file = self.socket.makefile("rb")

    def close(self):
        self.file.close()
        self.socket.close()

    def line(self, request):
        self.socket.sendall(request)
        return self.file.readline().strip()

    def set(self, key, value):
        return self.line(b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value))

    def get(self, *keys):
        """Returns the values that are there."""
        self.socket.sendall(b"get " + b" ".join(keys) + b"\r\n")
        values = []
        while (head := self.file.readline().split()) and head[0] == b"VALUE":
            values.append(self.file.read(int(head[3]) + 2)[:-2])
        return values

    def statistics(self):
        self.socket.sendall(b"stats\r\n")
        found = {}
        while (words := self.file.readline().split()) and words[0] == b"STAT":
            found[words[1].decode()] = words[2].decode()
        return found


def work(number, failures):
    """Appends what failed; every client has keys of its own, and all of them count in one."""
    client = Client()
    for i in range(ROUNDS):
        key, value = b"key%d.%d" % (number, i), b"%d" % i * (1 + i % 400)
        if client.set(key, value) != b"STORED":
            failures.append(key)
        if i % BATCH == BATCH - 1:
            values = client.get(*(b"key%d.%d" % (number, j) for j in range(i - BATCH + 1, i + 1)))
            if len(values) != BATCH or values[-1] != value:
                failures.append(key)
        if i % 3 == 0 and client.line(b"delete %s\r\n" % key) != b"DELETED":
            failures.append(key)
        client.line(b"incr count 1\r\n")
    client.close()


class Memcached(Server, Program):
    name = "memcached"
    what = "4 threads: set, get, incr and delete by 8 clients, flush_all, errors, SIGTERM"
    packages = ("memcached",)
    version_command = ("memcached", "--version")
    port = PORT
    objects = ("memcached", "libc.so")
    libraries = ("libc.so", "libevent")

    def command(self, given):
        return ["memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", PORT, "-t", "4", "-m", "64"]

    def load(self, here):
        main, failures = Client(), []
        main.set(b"count", b"0")
        threads = [threading.Thread(target=work, args=(number, failures)) for number in range(CLIENTS)]
        began = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        rate = CLIENTS * ROUNDS * 2 / (time.monotonic() - began)
        seen = main.statistics()
        answers = [main.get(b"count")[0], main.line(b"nonsense\r\n"), main.line(b"incr absent 1\r\n"), main.set(b"k" * 300, b""),
                   *(seen[key].encode() for key in ("cmd_set", "get_hits", "get_misses", "delete_hits", "curr_items", "evictions"))]
        main.close()
        main = Client()
        answers += [main.line(b"flush_all\r\n"), b"%d" % len(main.get(b"count"))]
        main.close()
        return len(failures), rate, b"\n".join(answers) + b"\n"
