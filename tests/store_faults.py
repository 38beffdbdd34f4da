# SPDX-License-Identifier: MIT
"""store_faults.py - `dwell store` where a server dies, or a connection breaks, within an INSERT; and TLS. Between dwell and a
server there is a proxy of ours, which decides how much of a request arrives, and what becomes of the response."""
import http.client
import http.server
import json
import os
import ssl
import threading
import urllib.parse

import certificates
from sampled import DWELL, one_sentence, run, status_of, text
from stored import query, record, recorded, store, stored, table, waiting
from tap import ok, skip

# Bytes before the rows: see src/fleet/server.c.
FRAME = 25
COUNTED = ("--calls", "libc.so*:clock_gettime")


class Proxy:
    """Forwards requests to a shard on the loopback interface. plan: (what to do, table, which INSERT into it from 1)."""

    def __init__(self, shard, certificate=()):
        self.shard, self.plan, self.seen = shard, None, 0
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                proxy.forward(self, self.rfile.read(int(self.headers["Content-Length"])))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a client that does not trust us
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True,
                                                     do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, database):
        return f"clickhouse://127.0.0.1:{self.server.server_address[1]}/{database}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def is_time(self, path):
        """Returns whether the plan is about this request."""
        if not self.plan or f"INSERT INTO {self.plan[1]}" not in urllib.parse.unquote(path):
            return False
        self.seen += 1
        return self.seen == self.plan[2]

    def forward(self, handler, body):
        how = self.plan[0] if self.is_time(handler.path) else "pass"
        connection = http.client.HTTPConnection("127.0.0.1", self.shard.port, timeout=60)
        try:
            connection.putrequest("POST", handler.path)
            for name in ("X-ClickHouse-User", "X-ClickHouse-Key"):
                if handler.headers[name]:
                    connection.putheader(name, handler.headers[name])
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body[:cut_of(body)] if how in ("cut", "broken") else body)
            answer = None if how in ("cut", "broken", "race") else connection.getresponse()
            content = answer.read() if answer else b""
            if how in ("cut", "lost", "race"):
                self.shard.kill()
        except OSError:
            how = "away"
        finally:
            connection.close()
        if how != "pass":
            handler.close_connection = True
            return
        handler.send_response(answer.status)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)


def cut_of(body):
    """Where a body is cut: before the last of its rows, if it has several, so that whole rows arrive. They have the same
    length, and begin with the same text, behind the head of a frame."""
    start = FRAME if not any(body[:16]) else 0
    second = body.find(body[start:start + 16], start + 1)
    return len(body) - (second - start) if second > 0 else len(body) // 2


# How the second INSERT into a table fails.
FAULTS = (
    ("cut", "samples_local", "the server is killed with a part of an INSERT"),
    ("lost", "samples_local", "the server has stored an INSERT, and is killed before it says so"),
    ("lost", "calls_local", "the same with calls"),
    ("race", "samples_local", "the server is killed while it stores"),
    ("broken", "samples_local", "the connection breaks with a part of an INSERT"),
    ("broken", "calls_local", "the same with calls"),
    ("unsaid", "samples_local", "the connection breaks before the response"),
)


class Recordings:
    """Three recordings, which each fault gets as its own by a label."""

    def __init__(self):
        self.hosts = [f"fault{i}" for i in range(3)]
        self.paths = [record(host, options=COUNTED, host=host) for host in self.hosts]
        self.functions = [recorded([path])[0] for path in self.paths]
        self.whole, self.samples = recorded(self.paths)
        self.calls = sum(called(path) for path in self.paths)


def killed_within(cluster):
    """A server is killed within an INSERT, before and after it has stored it; a connection breaks."""
    proxy, recordings = Proxy(cluster.shards[1]), Recordings()
    for number, fault in enumerate(FAULTS):
        within(cluster, proxy, recordings, number, fault)
    proxy.close()


def within(cluster, proxy, recordings, number, fault):
    how, where, told = fault
    load = ("--label", f"fault={number}", *recordings.paths)
    mine = ("--where", f"fault={number}")
    proxy.plan, proxy.seen = (how, where, 2), 0
    answer = store(proxy, *load)
    ok(status_of(answer) == 2 and "are kept in" in text(answer.stderr) and waiting(), f"{told}: status 2, and a sentence")
    proxy.plan = None
    if not proxy.shard.process and not ok(proxy.shard.start(), "the server is back"):
        return
    here = [stored(cluster, *mine, "--where", f"host={host}")[0] for host in recordings.hosts]
    ok(here[0] == recordings.functions[0], "the acknowledged recording is there")
    if where == "samples_local":
        ok(here[1] in ({}, recordings.functions[1])
           and (how == "race" or bool(here[1]) == (how in ("lost", "unsaid"))),
           f"the INSERT is stored as a whole or not at all: {'it is' if here[1] else 'it is not'} there")
    ok(status_of(store(proxy)) == 0 and not waiting(), "the next load sends the rest")
    ok(stored(cluster, *mine)[0] == recordings.whole and counted(cluster, mine) == recordings.calls,
       "all is stored, and once")
    ok(status_of(store(proxy, *load)) == 0 and stored(cluster, *mine)[1].get("samples") == recordings.samples
       and counted(cluster, mine) == recordings.calls, "loading it again changes nothing")


def called(path):
    report = json.loads(run(DWELL, "report", "--format", "json", "--limit", 0, path).stdout)
    return sum(row["calls"] for row in report["calls"])


def counted(cluster, where):
    return table(cluster, "calls", *where)["meta"].get("calls")


class Secure:
    """The HTTPS of a server: one of ClickHouse's own, or a proxy's."""

    def __init__(self, port):
        self.port = port

    def url(self, database):
        return f"clickhouses://127.0.0.1:{self.port}/{database}"


def tls(cluster, folder):
    """TLS: a certificate must be of an authority that is trusted, and for this host."""
    other = certificates.make(folder, "other", "DNS:elsewhere.example")
    if not other:
        skip("TLS", "openssl is not installed")
        return
    trusted = ("--ca", os.path.join(folder, "ca.pem"))
    proxy = Proxy(cluster.shards[0], other)
    server, wrong = Secure(cluster.shards[0].tls_port), Secure(proxy.server.server_address[1])
    data = record("secret", host="secret")
    for what, end, options in (("of an unknown authority", server, ()), ("for another host", wrong, trusted)):
        answer = query(end, "top", *options)
        ok(one_sentence(answer, "certificate"), f"a certificate {what} is refused: {text(answer.stderr).strip()}")
        ok(status_of(store(end, *options, data)) == 2 and waiting(), "nothing is sent, and the chunk is kept")
        ok(run(DWELL, "store", "init", "--to", end.url("other"), *options).returncode == 2
           and "other" not in cluster.shards[0].query("SHOW DATABASES").split(), "init: status 2, and no database")
    ok(query(server, "top", "--ca", os.path.join(folder, "none.pem")).returncode == 2, "a missing file: status 2")
    ok(status_of(store(server, *trusted)) == 0, "with its authority, the server gets the chunk")
    ok(stored(cluster, "--where", "host=secret")[0] == recorded([data])[0], "and stores it")
    answer = query(server, "top", *trusted, "--where", "host=secret")
    ok(answer.returncode == 0 and "changed_work" in text(answer.stdout), "it is found by TLS")
    for path in waiting():
        os.remove(path)
    proxy.close()
