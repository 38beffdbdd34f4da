# SPDX-License-Identifier: MIT
"""mariadb.py - mariadb-slap, procedures, errors, a plugin that is loaded and unloaded, and a shutdown."""
import os
import re
import shutil
import subprocess
import time

from execution import as_user
from program import Program, Rule, write
from server import Server, ask

PORT = 13306
SETTINGS = f"""
[mariadbd]
port = {PORT}
bind-address = 127.0.0.1
innodb_flush_log_at_trx_commit = 0
innodb_buffer_pool_size = 64M
thread_handling = pool-of-threads
"""
QUERIES = """
create table numbers (id int primary key auto_increment, word varchar(40), key (word)) engine=innodb;
insert into numbers (word) select md5(seq) from seq_1_to_20000;
select count(*), sum(id), max(word) from numbers;
select left(word, 1) as first, count(*) from numbers group by first order by first;
create table copies engine=aria as select * from numbers where id % 3 = 0;
select count(*) from numbers join copies using (word);
insert into numbers (id) values (1);
select * from absent;
delimiter //
create procedure collatz(in start bigint, out steps int)
begin
  set steps = 0;
  while start > 1 do
    set start = if(start % 2, 3 * start + 1, start div 2);
    set steps = steps + 1;
  end while;
end //
create function fails() returns int
begin
  declare exit handler for sqlexception return -1;
  signal sqlstate '45000' set message_text = 'signalled';
  return 1;
end //
delimiter ;
call collatz(837799, @steps);
select @steps, fails();
start transaction;
delete from numbers where id % 2;
rollback;
select count(*) from numbers;
install soname 'ha_blackhole';
create table hole (id int) engine=blackhole;
insert into hole values (1);
select count(*) from hole;
drop table hole;
uninstall soname 'ha_blackhole';
select json_extract('{"a": [1, 2, {"b": 3}]}', '$.a[2].b'), 'abc' regexp '^a.c$', hex(aes_encrypt('text', 'key'));
alter table numbers add column length int as (length(word)) persistent;
check table numbers, copies;
"""


class MariaDb(Server, Program):
    name = "mariadb"
    what = "mariadb-slap with 4 clients; joins, procedures, errors, a plugin loaded and unloaded; SIGTERM"
    packages = ("mariadb-server", "mariadb-client")
    version_command = ("mariadbd", "--version")
    port = PORT
    user = "mysql"  # it refuses to be root's
    objects = ("mariadbd", "libc.so")
    libraries = ("libc.so", "libstdc++.so")
    ignored_files = ("db.*",)
    rules = (Rule.replace(rb"^\d{4}-\d\d-\d\d .*\n", b"", "its log has times and amounts"),)
    given = ""

    def prepare(self, given):
        self.given = given
        if as_user(self.user):
            shutil.chown(given, self.user, self.user)
        base = os.path.join(given, "db")
        shutil.rmtree(base, ignore_errors=True)
        write(os.path.join(given, "settings.cnf"), SETTINGS)
        subprocess.run(["mariadb-install-db", "--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db",
                        f"--datadir={base}"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=given,
                       **as_user(self.user))

    def arrange(self, given, here):
        subprocess.run(["cp", "-a", os.path.join(given, "db"), here], check=True, **as_user(self.user))

    def command(self, given):
        base = os.path.join(os.path.dirname(given), "here", "db")
        return ["mariadbd", f"--defaults-file={given}/settings.cnf", f"--datadir={base}", f"--socket={base}/socket"]

    def load(self, here):
        where = ("--no-defaults", "-h", "127.0.0.1", "-P", PORT, "-u", "root")
        began = time.monotonic()
        said = ask("mariadb-slap", *where, "--auto-generate-sql", "--auto-generate-sql-load-type=mixed", "--engine=innodb",
                   "--concurrency=4", "--number-of-queries=4000")
        rate = 4000 / (time.monotonic() - began)
        if not re.search(r"clients running queries: 4", said):
            raise ValueError(said)
        ask("mariadb", *where, "-e", "create database work")
        # Statements that fail are part of it, so its status is not zero.
        answer = subprocess.run(["mariadb", *map(str, where), "--force", "work"], input=QUERIES.encode(), check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        return 0, rate, answer.stdout
