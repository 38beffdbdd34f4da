# SPDX-License-Identifier: MIT
"""postgresql.py - pgbench, parallel queries, an error, VACUUM, and a fast shutdown."""
import glob
import os
import re
import shutil
import subprocess

from execution import as_user
from program import Program, Rule, write
from server import Server, ask

PORT = 15432
BIN = "/usr/lib/postgresql/15/bin"
SETTINGS = f"""
port = {PORT}
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
autovacuum = off
jit = off
max_parallel_workers_per_gather = 2
min_parallel_table_scan_size = 0
parallel_setup_cost = 0
"""
QUERIES = """
select count(*), sum(aid) from pgbench_accounts;
select 1 / 0;
select md5(string_agg(md5(i::text), '')) from generate_series(1, 20000) i;
do $$ begin raise exception 'raised'; exception when others then raise notice 'caught %', sqlerrm; end $$;
vacuum full pgbench_branches;
"""


def tool(name):
    return os.path.join(BIN, name)


class Postgresql(Server, Program):
    name = "postgresql"
    what = "pgbench with 4 clients, parallel queries, errors, VACUUM, pg_ctl stop"
    packages = ("postgresql-15", "postgresql-client-15")
    version_command = (tool("postgres"), "--version")
    port = PORT
    user = "postgres"  # it refuses to be root's
    objects = ("postgres", "libc.so")
    ignored_files = ("db.*",)
    rules = (Rule.replace(rb"^\d{4}-\d\d-\d\d .*\n", b"", "its log has times, pids and amounts"),)
    given = ""

    def run_as_owner(self, *words):
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.given,
                       **as_user(self.user))

    def prepare(self, given):
        self.given = given
        if as_user(self.user):
            shutil.chown(given, self.user, self.user)
        base = os.path.join(given, "db")
        shutil.rmtree(base, ignore_errors=True)
        self.run_as_owner(tool("initdb"), "-A", "trust", "-N", "-U", "postgres", "-D", base)
        write(os.path.join(base, "postgresql.auto.conf"), SETTINGS)
        self.run_as_owner(tool("pg_ctl"), "-w", "-D", base, "start")
        try:
            self.run_as_owner(tool("pgbench"), "-h", "127.0.0.1", "-p", str(PORT), "-U", "postgres", "-i", "-q", "postgres")
        finally:
            self.run_as_owner(tool("pg_ctl"), "-w", "-D", base, "stop")

    def arrange(self, given, here):
        self.run_as_owner("cp", "-a", os.path.join(given, "db"), here)

    def command(self, given):
        return [tool("postgres"), "-D", "db"]

    def is_ready(self):
        return subprocess.run([tool("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(PORT)], check=False).returncode == 0

    def load(self, here):
        where = ("-h", "127.0.0.1", "-p", PORT, "-U", "postgres")
        said = ask(tool("pgbench"), *where, "-c", 4, "-T", 6, "postgres")
        failed = int(re.search(r"number of failed transactions: (\d+)", said).group(1))
        rate = float(re.search(r"tps = ([\d.]+)", said).group(1))
        write(os.path.join(self.given, "queries.sql"), QUERIES)
        answers = ask(tool("psql"), *where, "-X", "-At", "-f", os.path.join(self.given, "queries.sql"), "postgres")
        return failed, rate, answers.replace(self.given, "").encode()

    def stop(self, running):
        here = os.path.join(os.path.dirname(self.given), "here")
        self.run_as_owner(tool("pg_ctl"), "-w", "-D", os.path.join(here, "db"), "-m", "fast", "stop")

    def missing(self):
        return "" if glob.glob(BIN) else f"there is no {BIN}"
