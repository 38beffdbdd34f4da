#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report_load.py SECONDS - uses so much CPU time all over python3 and the libraries that its modules are, or
are made of; prints how many of them it has mapped.

A bit of everything in turn, so that stacks are many and symbols come from everywhere."""
import audioop
import bz2
import codecs
import contextvars
import ctypes
import datetime
import decimal
import hashlib
import importlib
import json
import lzma
import math
import mmap
import pickle
import queue
import random
import re
import resource
import sqlite3
import ssl
import struct
import sys
import threading
import time
import uuid
import xml.etree.ElementTree as trees
import zlib
import zoneinfo

# Nothing is asked of these: but they are there, and their symbols might be wanted.
MORE = """_asyncio _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _crypt _curses
_curses_panel _dbm _lsprof _multiprocessing _posixshmem _queue _typing _xxsubinterpreters nis ossaudiodev
termios""".split()

WORDS = "where does a native program spend its time with nothing rebuilt and nothing broken".split()
TEXT = " ".join(WORDS * 40)
BYTES = TEXT.encode()


def load_more():
    for name in MORE:
        try:
            importlib.import_module(name)
        except ImportError:
            pass


def texts(turn):
    json.loads(json.dumps({word: list(range(turn % 50)) for word in WORDS}, indent=turn % 3))
    re.sub(r"(\w+)\s(\w+)", r"\2 \1", TEXT)
    re.findall(r"[aeiou]{2,}|n[a-z]*g", TEXT)
    sorted(TEXT.split(), key=lambda word: (len(word), word))
    trees.fromstring("<a>" + "".join(f"<b c='{i}'>{i}</b>" for i in range(100)) + "</a>").findall(".//b")


def packing(turn):
    for module in (zlib, bz2, lzma):
        module.decompress(module.compress(BYTES))
    zlib.crc32(BYTES, turn)
    struct.unpack(f"<{len(BYTES) // 4}I", BYTES[:len(BYTES) // 4 * 4])
    pickle.loads(pickle.dumps([(i, str(i), float(i)) for i in range(200)]))


def hashes(turn):
    for name in ("md5", "sha1", "sha256", "sha512", "blake2b", "sha3_256"):
        hashlib.new(name, BYTES).hexdigest()
    hashlib.pbkdf2_hmac("sha256", BYTES[:32], b"salt", 50 + turn % 10)
    ssl.create_default_context()


def numbers(turn):
    decimal.getcontext().prec = 60
    sum((decimal.Decimal(i).sqrt() for i in range(50)), decimal.Decimal(turn))
    sum(math.sin(i) * math.exp(-i / 100) + math.gamma(1 + i / 50) for i in range(300))
    random.shuffle(list(range(300)))
    pow(3, 1 << 12, (1 << 521) - 1)
    audioop.rms(BYTES[:len(BYTES) // 2 * 2], 2)


def data(turn, base=sqlite3.connect(":memory:")):
    base.execute("create table if not exists words (word text, turn integer)")
    base.executemany("insert into words values (?, ?)", [(word, turn) for word in WORDS])
    base.execute("select word, count(*), avg(turn) from words group by word order by 2 desc").fetchall()
    base.execute("delete from words where turn < ?", (turn - 30,))


def calendar(turn):
    for name in ("Europe/Berlin", "America/New_York", "Asia/Tokyo"):
        zone = zoneinfo.ZoneInfo(name)
        for day in range(30):
            datetime.datetime(2020, 1, 1, tzinfo=zone).fromtimestamp(86400 * (turn % 9999 + day), zone).isoformat()
    for codec in ("shift_jis", "gb18030", "big5", "euc_kr", "utf-16"):
        codecs.decode(codecs.encode(TEXT, codec), codec)


def system(turn, libc=ctypes.CDLL(None)):
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda a, b: (a > b) - (a < b))
    libc.qsort((ctypes.c_int * 40)(*range(40)), 40, 4, compare)
    uuid.uuid5(uuid.NAMESPACE_DNS, str(turn))
    uuid.uuid1()
    resource.getrusage(resource.RUSAGE_SELF)
    contextvars.copy_context().run(len, TEXT)
    with mmap.mmap(-1, 65536) as memory:
        memory.write(BYTES)
        memory.find(b"broken")
    passed = queue.SimpleQueue()
    for i in range(50):
        passed.put(i)
        passed.get()


def work(seconds):
    turn = 0
    while time.thread_time() < seconds:
        for part in (texts, packing, hashes, numbers, calendar, system):
            part(turn)
        turn += 1


def main():
    load_more()
    seconds = float(sys.argv[1])
    thread = threading.Thread(target=work, args=(seconds / 2,))
    thread.start()
    turn = 0
    while time.thread_time() < seconds / 2:
        data(turn)
        texts(turn)
        turn += 1
    thread.join()
    with open("/proc/self/maps", encoding="utf-8") as maps:
        print(len({line.split()[5] for line in maps if "r-xp" in line and ".so" in line}))


main()
