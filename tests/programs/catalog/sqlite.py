# SPDX-License-Identifier: MIT
"""sqlite.py - a script of 10,000 statements on a database in a file."""
import os
import random

from program import Program, write

STATEMENTS = 10_000


def statements():
    dice = random.Random(8)
    yield "create table account(id integer primary key, owner text, cents integer, check (cents > -100000))"
    yield "create table move(source integer, target integer, cents integer, at text default 'now')"
    yield "create index by_owner on account(owner)"
    yield ("create trigger moved after insert on move begin update account set cents = cents - new.cents where id = new.source; "
           "update account set cents = cents + new.cents where id = new.target; end")
    kinds = (
        lambda n: f"insert into account(owner, cents) values ('owner {n % 89}', {n * 37 % 5000})",
        lambda n: f"insert into move values ({dice.randint(1, 900)}, {dice.randint(1, 900)}, {dice.randint(1, 99)}, '{n}')",
        lambda n: f"update account set owner = upper(owner) || '{n % 10}' where id = {dice.randint(1, 1500)}",
        lambda n: f"select owner, sum(cents), count(*) from account where owner like 'OWNER {n % 9}%' group by owner limit 3",
        lambda n: f"delete from account where id = {dice.randint(1, 5000)}",
        lambda n: f"select count(*) from account a join move m on m.source = a.id where m.cents > {n % 90}",
        lambda n: f"select max(at), total(cents) from move where target = {n % 900}",
        lambda n: f"insert into nowhere values ({n})" if n % 7 == 0 else f"select {n}, hex('{n}'), round({n} / 7.0, 3)",
    )
    for n in range(STATEMENTS - 8):
        yield "begin" if n % 50 == 0 else "commit" if n % 50 == 49 else kinds[dice.randrange(len(kinds))](n)
    yield "commit"
    yield "vacuum"
    yield "pragma integrity_check"
    yield "select count(*), sum(cents) from account"


class Sqlite(Program):
    name = "sqlite3"
    what = "a script of 10,000 statements, some of them wrong, on a database in a file"
    packages = ("sqlite3",)
    version_command = ("sqlite3", "--version")
    objects = ("libsqlite3",)
    libraries = ("libc.so", "libsqlite3.so")

    def prepare(self, given):
        path = os.path.join(given, "script.sql")
        write(path, "".join(f"{each};\n" for each in statements()))
        self.stdin = path

    def command(self, given):
        return ["sqlite3", "test.db"]
