#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""words.py FILE... - a program to look into: which words are in these texts, and how often.

It keeps them in a database in memory and packs the answer, so most of its time is in libraries that are not
written in Python.
"""
import collections
import re
import sqlite3
import sys
import zlib


def main(paths):
    words = collections.Counter()
    database = sqlite3.connect(":memory:")
    database.execute("create table word (text primary key, count integer, file text)")
    for path in paths:
        with open(path, encoding="utf-8") as text:
            words.update(re.findall(r"[a-z]+", text.read().lower()))
        for word, count in words.items():
            database.execute("insert or replace into word values (?, ?, ?)", (word, count, path))
    rows = database.execute("select text, count from word order by count desc, text").fetchall()
    packed = zlib.compress(repr(rows).encode(), 9)
    print(f"{len(rows)} words, {sum(count for _, count in rows)} in all, packed in {len(packed)} bytes;",
          "most often:", ", ".join(word for word, _ in rows[:8]))


main(sys.argv[1:])
