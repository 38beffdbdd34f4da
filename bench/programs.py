# SPDX-License-Identifier: MIT
"""programs.py - the real programs that are run, and what they work on."""
import os
import random
from dataclasses import dataclass

from running import PYTHON

# How much work: FULL is for profilers that take samples, MIDDLE for tools that look at every call, SHORT for those of them
# that take a hundred times as long.
FULL, MIDDLE, SHORT = "full work", "middle work", "short work"
SIZES = (FULL, MIDDLE, SHORT)
TEXT_BYTES = {FULL: 6_000_000, MIDDLE: 2_000_000, SHORT: 100_000}
SQL_ROWS = {FULL: 400_000, MIDDLE: 20_000, SHORT: 1_000}
TURNS = {FULL: 6, MIDDLE: 1, SHORT: 1}
WORDS = {FULL: 100_000, MIDDLE: 50_000, SHORT: 300}
FUNCTIONS = {FULL: 60, MIDDLE: 15, SHORT: 0}

SQL = """
create table t(a integer, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < ROWS)
    insert into t select i, printf('%06d', i * 7919 % 100003) from n;
create index t_b on t(b);
select count(*), sum(a) from t where b > '050000';
select b, count(*) from t group by b order by 2 desc, 1 limit 3;
"""

SCRIPT = """
import json, re, zlib
for turn in range(TURNS):
    words = [str(i * 7919 % 100003) for i in range(WORDS)]
    text = json.dumps(words)
    assert json.loads(text) == words
    re.findall(r"[0-9]+3", text)
    zlib.compress(text.encode())
    sorted({word: len(word) for word in words})
"""

# The generated source file has so many functions, to keep an optimising compiler busy; FIVE stands for a number.
FUNCTION = """
struct item_N { int kind, weight; double share; struct item_N *next; };

static int pick_N(const struct item_N *item, int limit)
{
	int sum = FIVE;

	for (; item && limit > 0; item = item->next, limit--)
		switch (item->kind % 7) {
		case 0: sum += item->weight; break;
		case 1: sum ^= item->weight << (limit & 7); break;
		case 2: sum -= (int)(item->share * FIVE); break;
		case 3: sum = sum * 31 + limit; break;
		case 4: if (sum & 1) sum >>= 1; else sum *= 3; break;
		default: sum += item->kind * FIVE;
		}
	return sum;
}

double work_N(struct item_N *items, int count, double *out)
{
	double total = 0;

	for (int i = 0; i < count; i++) {
		double inner = 1;

		for (int k = 0; k < (i & 15); k++)
			inner = inner * items[i].share + out[k] / (k + FIVE);
		if (pick_N(&items[i], count - i) % 3 == 0)
			total += inner;
		else
			out[i & 15] += inner * 0.5 - total / (FIVE + i);
		items[i].weight += (int)total ^ FIVE;
	}
	return total;
}
"""


@dataclass
class Program:
    name: str
    commands: dict  # by how much work


def write_text(path, count):
    """So many bytes of something like a language; always the same."""
    dice = random.Random(1)
    words = ["".join(dice.choices("etaoinshrdlu", k=dice.randint(2, 9))) for _ in range(4000)]
    with open(path, "w", encoding="ascii") as file:
        file.write(" ".join(dice.choices(words, k=count // 5))[:count])


def write_source(path, count):
    with open(path, "w", encoding="ascii") as file:
        file.write("int first(int a)\n{\n\treturn 3 * a;\n}\n")
        for i in range(count):
            file.write(FUNCTION.replace("_N", f"_{i}").replace("FIVE", str(3 + i * 7919 % 97)))


def xz(folder, size):
    path = os.path.join(folder, "text-" + size.split()[0])
    write_text(path, TEXT_BYTES[size])
    return ["xz", "-T1", "-1", "-k", "-f", path]


def sqlite3(_, size):
    return ["sqlite3", ":memory:", SQL.replace("ROWS", str(SQL_ROWS[size]))]


def python3(_, size):
    return [PYTHON, "-c", SCRIPT.replace("TURNS", str(TURNS[size])).replace("WORDS", str(WORDS[size]))]


def gcc(folder, size):
    path = os.path.join(folder, f"source-{size.split()[0]}.c")
    write_source(path, FUNCTIONS[size])
    return ["gcc", "-O2", "-c", "-o", os.path.join(folder, "source.o"), path]


def programs(folder):
    makers = {
        "xz -1": xz,
        "sqlite3": sqlite3,
        "python3": python3,
        "gcc -O2": gcc,
    }
    return [Program(name, {size: make(folder, size) for size in SIZES}) for name, make in makers.items()]
