# SPDX-License-Identifier: MIT
"""redis.py - redis-benchmark, scripts, and what is saved by children."""
import re
import time

from program import Program, Rule
from server import Server, ask

PORT = 16379
COUNT = 10000


def cli(*words):
    return ask("redis-cli", "-p", PORT, *words)


class Redis(Server, Program):
    name = "redis-server"
    what = "redis-benchmark, a script, BGSAVE and BGREWRITEAOF, SIGTERM"
    packages = ("redis-server", "redis-tools")
    version_command = ("redis-server", "--version")
    port = PORT
    objects = ("redis", "libc.so")
    libraries = ("libc.so", "libjemalloc.so")
    ignored_files = ("dump.rdb", "appendonlydir.*")
    # Pids, times, and how much memory is shared with a child; lines of the child come whenever it gets to it.
    rules = (Rule.replace(rb"(?s)\A.*(?=answers:)", b"", "its log has pids and times"),)

    def command(self, given):
        return ["redis-server", "--port", PORT, "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes"]

    def load(self, here):
        said = ask("redis-benchmark", "-p", PORT, "-n", COUNT, "-c", 20, "--csv", "-t", "set,get,lpush,sadd,zadd,lrange_100")
        rates = [float(rate) for rate in re.findall(r'^"[^"]*","([\d.]+)"', said, re.M)]
        cli("bgsave")
        cli("bgrewriteaof")
        deadline = time.monotonic() + 60
        while re.search(r"(in_progress|scheduled):1", cli("info", "persistence")) and time.monotonic() < deadline:
            time.sleep(0.1)
        answers = [cli("eval", "local s = 0 for i = 1, 1000000 do s = s + i end return s", "0"), cli("zcard", "myzset"),
                   cli("dbsize"), *re.findall(r"(?:last_bg\w+|rewrite)_status:\w+", cli("info", "persistence"))]
        failed = sum(int(count) for count in re.findall(r"(?:rejected_connections|total_error_replies):(\d+)", cli("info", "stats")))
        failed += 7 - len(rates)  # lists have to be filled before ranges of them are asked for
        return failed, sum(rates) / len(rates), ("answers:\n" + "\n".join(answers)).encode()
