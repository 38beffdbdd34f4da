# SPDX-License-Identifier: MIT
"""clickhouse.py - real ClickHouse servers for tests, the demo and the bench: shards of one cluster on the loopback
interface, each with ports and a folder of its own, ended by their process IDs."""
import http.client
import os
import shutil
import socket
import subprocess
import tempfile
import time

CONFIG = """<?xml version="1.0"?>
<yandex>
<logger><level>warning</level><log>{folder}/log/server.log</log><errorlog>{folder}/log/errors.log</errorlog></logger>
<http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><interserver_http_port>{inter}</interserver_http_port>
<listen_host>127.0.0.1</listen_host><max_connections>100</max_connections><mark_cache_size>268435456</mark_cache_size>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><user_files_path>{folder}/user_files/</user_files_path>
<format_schema_path>{folder}/format_schemas/</format_schema_path>
<users_config>{folder}/users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database>
<remote_servers><fleet>{shards}</fleet></remote_servers>{tls}
</yandex>
"""
TLS = """
<https_port>{port}</https_port><openSSL><server><certificateFile>{certificate}</certificateFile>
<privateKeyFile>{key}</privateKeyFile><verificationMode>none</verificationMode></server></openSSL>"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>{tcp}</port></replica></shard>"
USERS = """<yandex>
<profiles><default><max_memory_usage>4000000000</max_memory_usage><load_balancing>random</load_balancing>
<connect_timeout_with_failover_ms>1000</connect_timeout_with_failover_ms></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
<quota>default</quota></default></users><quotas><default></default></quotas>
</yandex>
"""
START_S = 60


def program():
    """The path of the server's program; None: it is not installed."""
    return shutil.which("clickhouse-server", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Shard:
    def __init__(self, folder, ports, shards, tls=()):
        self.folder = folder
        self.port, self.tls_port = ports[0], ports[3]
        self.process = None
        for name in ("log", "data", "tmp", "user_files", "format_schemas"):
            os.makedirs(os.path.join(folder, name))
        config = CONFIG.format(folder=folder, http=ports[0], tcp=ports[1], inter=ports[2], shards=shards,
                               tls=TLS.format(port=self.tls_port, certificate=tls[0], key=tls[1]) if tls else "")
        for name, text in (("config.xml", config), ("users.xml", USERS)):
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(text)

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    def start(self):
        with open(os.path.join(self.folder, "output"), "ab") as output:
            self.process = subprocess.Popen(
                [program(), f"--config-file={self.folder}/config.xml"], stdin=subprocess.DEVNULL, stdout=output,
                stderr=output, cwd=self.folder)
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                return self.query("SELECT 1") == "1\n"
            except OSError:
                time.sleep(0.1)
        return False

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def query(self, statement, database="default"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request("POST", f"/?database={database}&wait_end_of_query=1", statement.encode())
        text = connection.getresponse().read().decode(errors="replace")
        connection.close()
        return text


class Cluster:
    """Shards that know each other. Used by `with`: they end, and their folders go, with it. tls: a certificate and its
    key, for HTTPS on another port of each."""

    def __init__(self, count, tls=()):
        self.folder = tempfile.mkdtemp(prefix="dwell-clickhouse.")
        self.count, self.tls, self.shards = count, tls, []

    def start(self, attempt):
        ports = [free_ports(4) for _ in range(self.count)]
        known = "".join(SHARD.format(tcp=four[1]) for four in ports)
        self.shards = [Shard(os.path.join(self.folder, f"{attempt}.{i}"), four, known, self.tls)
                       for i, four in enumerate(ports)]
        return all(shard.start() for shard in self.shards)

    def end(self):
        for shard in self.shards:
            shard.kill()

    def __enter__(self):
        # Another process may take a port before the server does.
        for attempt in range(3):
            self.is_up = self.start(attempt)
            if self.is_up:
                break
            self.end()
        return self

    def __exit__(self, *_):
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database):
        return f"clickhouse://{','.join(shard.host for shard in self.shards)}/{database}"
