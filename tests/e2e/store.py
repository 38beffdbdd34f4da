#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""store.py DWELL PROGRAMS - `dwell store` and `dwell query` with two real ClickHouse servers: what is stored is what
was recorded, to the sample; nothing is stored twice; a server that is killed loses nothing."""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import certificates  # noqa: E402
import clickhouse  # noqa: E402
import store_faults  # noqa: E402
from sampled import DWELL, PROCESS, Raw, environment, one_sentence, run, status_of, text  # noqa: E402
from stored import FOLDER, SLOW_S, STATE, STEADY_S, query, record, recorded, store, stored, table, waiting  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

# Hosts that go to different servers, whatever the ports are: enough of them.
HOSTS = [f"node{i}" for i in range(4)]
# Calls of python3 and its libraries: nested ones, and those of several callers.
COUNTED = "import json, zlib\nfor i in range(40): zlib.compress(json.dumps(list(range(i))).encode())"
ODD = "it's a \\'\"\n) OR 1; DROP TABLE samples_local --"


def views(cluster, paths):
    functions, samples = recorded(paths)
    found, meta = stored(cluster)
    ok(found == functions and meta.get("samples") == samples and meta.get("hosts") == len(HOSTS),
       f"top: the self time of all {len(functions)} functions is that of dwell report, to the sample")
    tree = table(cluster, "tree", "--min", 0)
    tops = [row for row in tree.get("tree", tree.get("samples", [])) if not row.get("depth", row.get("level", 0))]
    ok(sum(row.get("total", 0) for row in tops) == samples, "tree: the outermost functions add up to all samples")
    some = text(query(cluster, "tree", "--min", 5).stdout)
    ok("changed_work" in some and "steady_work" in some, "tree: branches below the threshold are left out by the servers")
    hosts = table(cluster, "top", "--by", "host").get("units", [])
    ok(sorted(row["name"] for row in hosts) == HOSTS and sum(row["samples"] for row in hosts) == samples,
       "top --by host: a row per host")
    one, _ = recorded([path for path in paths if "node1" in path])
    ok(stored(cluster, "--where", "host=node1")[0] == one, "--where host=node1: only its samples")
    both = [path for path in paths if "node1" in path or "node2" in path]
    ok(stored(cluster, "--where", "host=node1", "--where", "host=node2")[0] == recorded(both)[0],
       "--where twice: either host")
    ok(stored(cluster, "--time", "-1h..")[0] == functions, "--time -1h..: all of it")
    ok(query(cluster, "top", "--time", "..2020-01-01").returncode == 1, "--time ..2020-01-01: nothing, status 1")
    compared(cluster, paths)
    page = os.path.join(FOLDER, "page.html")
    ok(query(cluster, "html", "-o", page, "--by", "host").returncode == 0 and os.path.getsize(page) > 10000,
       "html: a page")


def by_name(rows, columns):
    """Returns {(name, object): row}. The store knows a function by both; libc has several static functions of one name."""
    found = {}
    for row in rows:
        known = found.setdefault((row["name"], row["object"]), row)
        if known is not row:
            known.update({column: known[column] + row[column] for column in columns})
    return found


def compared(cluster, paths):
    """A comparison by the servers is that of dwell diff, which reads the recordings: a host of a version has one."""
    note(text(query(cluster, "diff", "one", "two").stdout))
    exact = [f"{side}_{part}{unit}" for side in ("old", "new") for part in ("self", "total") for unit in ("", "_ns")]
    for options in ((), ("--normalize",)):
        local = run(DWELL, "diff", "--format", "json", "--limit", 0, *options, *paths[:4], "--", *paths[4:8])
        expected, found = (by_name(rows["samples"], exact)
                           for rows in (json.loads(local.stdout), table(cluster, "diff", *options, "one", "two")))
        wrong = [(key, column, expected[key][column], found[key][column]) for key in expected if key in found
                 for column in exact if abs(expected[key][column] - found[key][column]) > 1]
        ok(expected and set(expected) == set(found) and not wrong,
           f"diff {' '.join(options)}: all {len(expected)} functions have the samples and times of dwell diff {wrong[:2]}")
        # Samples of one stack are as if equal: a thread's last one is not, so that the figures of dwell diff differ a little.
        changed = [row for rows in (expected, found) for (name, _), row in rows.items() if name == "changed_work"]
        ok(len(changed) == 2 and all(row["self_significant"] for row in changed)
           and abs(changed[0]["self_p"] - changed[1]["self_p"]) < 1e-3,
           f"diff {' '.join(options)}: the function that takes longer is named, with hosts as the runs")


def imbalance(cluster):
    rows = table(cluster, "imbalance").get("imbalance", [])
    ok(rows and rows[0]["name"] == "changed_work" and rows[0]["at"] == "7",
       f"imbalance: the function and the rank that is slow: {rows[0] if rows else None}")


def twice(cluster, paths):
    before = stored(cluster)
    ok(status_of(store(cluster, *paths)) == 0 and stored(cluster) == before, "loading all again changes nothing")
    ok(status_of(store(cluster, "--window", 60, *paths)) == 0 and stored(cluster) == before,
       "loading all again with other windows changes nothing")


def count(name, *options, **labels):
    """Records calls of a program that uses a library in several ways."""
    data = os.path.join(FOLDER, name)
    words = [word for key, value in labels.items() for word in ("--label", f"{key}={value}")]
    answer = run(DWELL, "calls", "-q", "-f", "libz*:*", "-f", "libc.so*:mem*", *options, "-o", data, *words, "--", sys.executable, "-c", COUNTED)
    if status_of(answer):
        note(text(answer.stderr))
    return data


def calls_by(rows, *columns):
    """{key: row} of a table of calls, without figures of which the tables have no more than a report needs."""
    return {tuple(row.get(column) for column in ("symbol", "version", "object", *columns)): row for row in rows}


def near_percentiles(old, new):
    """Returns whether percentiles agree: bins of ticks and of nanoseconds do not coincide, and each is 3.2 % wide at most.
    Durations are rounded to a nanosecond in both."""
    return all(abs(old[key] - new[key]) <= 0.032 * old[key] + 1 for key in ("p50_ns", "p90_ns", "p99_ns") if old[key])


def same_calls(what, expected, found):
    exact = ("name", "calls", "returned", "escaped", "abandoned", "untimed", "running", "total_ns", "self_ns", "min_ns",
             "max_ns")
    wrong = [(key, column, expected[key][column], found[key][column]) for key in expected if key in found
             for column in exact if expected[key][column] != found[key][column]]
    ok(expected and set(expected) == set(found) and not wrong,
       f"{what}: all {len(expected)} functions have the calls and times of dwell report, exactly {wrong[:3]}")
    wrong = [(key, expected[key], found[key]) for key in expected
             if key in found and not near_percentiles(expected[key], found[key])]
    ok(not wrong, f"{what}: percentiles of summed histograms are those of dwell report, within two bins {wrong[:1]}")


def counted(cluster):
    """Counted calls: what is stored is what dwell report shows."""
    data = {"all": count("calls-all", "--by-caller", host="counter", rank=0),
            "sampled": count("calls-sampled", "--sample-timing", "--by-caller", host="guesser"),
            "none": count("calls-none", "--count", host="abacus")}
    ok(status_of(store(cluster, *data.values())) == 0, "recordings of calls are stored")
    for timing, path in data.items():
        report = json.loads(run(DWELL, "report", "--format", "json", "--limit", 0, path).stdout)["calls"]
        same_calls(f"timing={timing}", calls_by(report),
                   calls_by(table(cluster, "calls", "--where", f"timing={timing}").get("calls", [])))
    mixed = query(cluster, "calls")
    ok(status_of(mixed) == 2 and one_sentence(mixed) and "timing=all" in text(mixed.stderr),
       f"calls that were timed in different ways are not summed: {text(mixed.stderr).strip()}")
    callers = json.loads(run(DWELL, "report", "--by", "caller-object", "--format", "json", "--limit", 0, data["all"]).stdout)
    found = calls_by(table(cluster, "calls", "--where", "timing=all", "--by", "caller").get("calls", []), "caller")
    expected = calls_by(callers["calls"], "caller")
    ok(len(expected) > len(calls_by(callers["calls"])) and set(expected) == set(found)
       and all(expected[key]["calls"] == found[key]["calls"] for key in expected)
       and all(abs((expected[key]["self_ns"] or 0) - (found[key]["self_ns"] or 0)) <= 1 for key in expected),
       "--by caller: a row per calling object, its times within the nanosecond that is rounded")
    before = table(cluster, "calls", "--where", "timing=all")
    ok(status_of(store(cluster, "--window", 60, *data.values())) == 0
       and table(cluster, "calls", "--where", "timing=all")["calls"] == before["calls"],
       "loading them again, with other windows, changes nothing")
    counted_units(cluster, data["all"])


def counted_units(cluster, first):
    """Several ranks: rows and imbalance."""
    path = count("calls-slow", "--by-caller", host="counter", rank=1)
    ok(status_of(store(cluster, path)) == 0, "another rank is stored")
    where = ("--where", "host=counter", "--where", "function=compress", "--where", "function=deflate")
    reports = [{row["symbol"]: row for row in
                json.loads(run(DWELL, "report", "--format", "json", "--limit", 0, one).stdout)["calls"]}
               for one in (first, path)]
    rows = {(row["symbol"], row["rank"]): row for row in
            table(cluster, "calls", "--by", "rank", *where).get("calls", [])}
    ok(len(rows) == 2 and all(rows[("deflate", str(rank))]["self_ns"] == reports[rank]["deflate"]["self_ns"]
                              for rank in (0, 1)),
       "--by rank: a row per function and rank; --where function= selects")
    both = table(cluster, "calls", *where).get("calls", [{}])[0]
    ok(both.get("calls") == sum(report["deflate"]["calls"] for report in reports)
       and both.get("total_ns") == sum(report["deflate"]["total_ns"] for report in reports),
       "the sum over ranks is that of their reports")
    times = [report["deflate"]["self_ns"] for report in reports]
    spread = table(cluster, "imbalance", "--calls", *where).get("imbalance", [{}])[0]
    ok((spread.get("min_ns"), spread.get("max_ns"), spread.get("at"))
       == (min(times), max(times), str(times.index(max(times)))), f"imbalance --calls: {spread}")
    units = table(cluster, "top", "--calls", "--by", "rank", *where).get("units", [])
    ok(sorted((row["name"], row["self_ns"]) for row in units) == sorted(zip("01", times)),
       "top --calls --by rank: a row per rank")
    ok(query(cluster, "tree", "--calls").returncode == 2, "a tree of calls: status 2")


def losses(cluster):
    """Losses of a run are stored with it, and once."""
    path = count("calls-lost", host="loser")
    raw = Raw(path)
    with open(path, "r+b") as file:
        for offset, kind, _, _ in raw.segments():
            if kind == PROCESS:
                file.seek(offset + 64 + 16)  # lost_threads and what follows, in struct record_process
                file.write(struct.pack("<3Q", 5, 700, 9))
    report = json.loads(run(DWELL, "report", "--format", "json", path).stdout)["meta"]
    names = ("lost_threads", "lost_calls", "lost_functions")
    where = ("--where", "host=loser", "--where", "function=deflate")
    for turn in ("stored", "loaded again"):
        ok(status_of(store(cluster, path)) == 0, f"a recording with losses is {turn}")
        found = table(cluster, "calls", *where)["meta"]
        ok(all(found.get(name) == report[name] > 0 for name in names),
           f"calls: losses are those of dwell report, whichever function is selected: {[found.get(name) for name in names]}")
    shown = text(query(cluster, "calls", *where).stdout)
    ok("LOST: calls that were not counted: 700" in shown, "calls: they are shown")
    others = query(cluster, "calls", "--where", "host=counter")
    ok(others.returncode == 0 and "LOST" not in text(others.stdout), "calls: other hosts have none")


def odd_labels(cluster):
    data = record("odd", host=ODD, team=ODD, **{"service": ODD})
    ok(status_of(store(cluster, data)) == 0, "labels with quotes, backslashes, newlines and SQL are stored")
    functions, _ = recorded([data])
    for key in ("host", "team", "service"):
        ok(stored(cluster, "--where", f"{key}={ODD}")[0] == functions, f"--where {key}=...: found by such a value")
    names = [row["name"] for row in table(cluster, "top", "--by", "team").get("units", [])]
    ok(len(names) == 2 and "" in names, "--by team: a label that most do not have")
    ok(status_of(store(cluster, data)) == 0 and stored(cluster, "--where", f"host={ODD}")[0] == functions,
       "and is not stored twice")


def killed(cluster):
    """One of two servers is killed, comes back, and nothing is lost or there twice. A host's server depends on the ports,
    which are drawn: that one server has all of 12 hosts happens once in 2048 times."""
    hosts = [f"after-h{i}" for i in range(12)]
    paths = [record(host, host=host) for host in hosts]
    functions, samples = recorded(paths)
    where = [word for host in hosts for word in ("--where", f"host={host}")]
    cluster.shards[1].kill()
    answer = store(cluster, *paths)
    kept = len(waiting())
    here = cluster.shards[0].query("SELECT sum(count) FROM samples_local WHERE host LIKE 'after-%'", "profiles").strip()
    ok(status_of(answer) == 2 and "are kept in" in text(answer.stderr), "a server is away: status 2, and a sentence")
    ok(0 < kept < len(hosts) and 0 < int(here) < samples, f"rows that the other server took are there, {kept} chunks are spooled")
    ok(query(cluster, "top").returncode == 2, "a query that cannot reach all servers fails instead of showing a part")
    ok(status_of(store(cluster)) == 2 and len(waiting()) == kept, "as long as it is away, they stay there")
    ok(cluster.shards[1].start(), "the server is back")
    ok(status_of(store(cluster)) == 0 and not waiting(), "the next load sends what was kept")
    ok(stored(cluster, *where)[0] == functions, "now all is stored, to the sample")
    ok(status_of(store(cluster, *paths)) == 0 and stored(cluster, *where)[0] == functions, "and nothing twice")


def refused(cluster, paths):
    def fails(what, answer, *words):
        message = text(answer.stderr)
        ok(status_of(answer) == 2 and one_sentence(answer) and all(word in message for word in words),
           f"{what}: {message.strip()}")

    for url, word in (("http://x/y", "invalid URL"), ("clickhouse://x", "invalid URL"),
                      ("clickhouse://a b/db", "invalid host"), ("clickhouse://x/d;b", "invalid database"),
                      ("clickhouse://me:secret@x/db", "DWELL_STORE_PASSWORD"), ("clickhouse:///db", "invalid host")):
        fails(url, run(DWELL, "query", "top", "--from", url), word)
    port = clickhouse.free_ports(1)[0]
    fails("a dead host", run(DWELL, "query", "top", "--from", f"clickhouse://127.0.0.1:{port}/db"), str(port))
    fails("a database that is not there", query(cluster, "top", database="nowhere"), "dwell store init")
    cluster.shards[0].query("CREATE DATABASE later")
    cluster.shards[0].query("CREATE VIEW dwell_schema AS SELECT toUInt32(99) AS version", "later")
    fails("tables of another version", query(cluster, "top", database="later"), "version 99")
    fails("init beside tables of another version",
          run(DWELL, "store", "init", "--to", cluster.url("later")), "version 99")
    answer = run(DWELL, "store", "load", "--to", f"clickhouse://{cluster.shards[0].host}/later", "--state", STATE, paths[0])
    ok(status_of(answer) == 2 and "version 99" in text(answer.stderr) and waiting(),
       "a load into tables of another version is refused, and kept")
    for one in waiting():
        os.remove(one)
    full = run(DWELL, "store", "load", "--to", f"clickhouse://127.0.0.1:{port}/db", "--state", f"{FOLDER}/small",
               "--state-max", "1K", paths[0])
    ok(status_of(full) == 2 and "no room" in text(full.stderr) and "--state-max" in text(full.stderr),
       f"a spool without room: {text(full.stderr).splitlines()[0]}")
    fails("no such size", store(cluster, "--state-max", "much"), "invalid --state-max")
    fails("no action", run(DWELL, "store", "--to", cluster.url("x")), "expected init or load")
    fails("no view", query(cluster, "flop"), "expected top, tree")
    fails("a window that divides no hour", store(cluster, "--window", "7"), "divides an hour")
    fails("no such instant", query(cluster, "top", "--time", "now..then"), "invalid instant")
    wrong = run(DWELL, "query", "top", "--from", cluster.url("profiles"),
                env=environment(DWELL_STORE_PASSWORD="wrong"))
    fails("a wrong password", wrong, "refused")
    cut(cluster, paths[0])


def cut(cluster, path):
    """A recording that is cut short: its whole part is stored, and the rest later is refused, not doubled."""
    with open(path, "rb") as file:
        content = file.read()
    part = os.path.join(FOLDER, "cut")
    with open(part, "wb") as file:
        file.write(content[: len(content) * 2 // 3])
    answer = store(cluster, "--label", "host=cut", part)
    ok(status_of(answer) == 0 and "cut short" in text(answer.stderr)
       and stored(cluster, "--where", "host=cut")[0] == recorded([part])[0],
       "a recording that is cut short is stored as far as it goes, with a sentence")
    answer = store(cluster, "--label", "host=cut", path)
    ok(status_of(answer) == 2 and "are stored already" in text(answer.stderr)
       and stored(cluster, "--where", "host=cut")[0] == recorded([part])[0],
       "the whole of it is refused then: nothing is stored twice")
    ok(status_of(store(cluster, os.path.join(FOLDER, "nothing"))) == 2, "a recording that is not there: status 2")
    folder = os.path.join(FOLDER, "folder")
    os.mkdir(folder)
    os.link(path, os.path.join(folder, "a"))
    with open(os.path.join(folder, "b"), "wb") as file:
        file.write(b"not a recording")
    answer = store(cluster, folder)
    ok(status_of(answer) == 2 and "1 recordings" in text(answer.stderr), "a folder: what is a recording is stored")


def main():
    if not clickhouse.program():
        skip("storing and querying", "clickhouse-server is not installed")
        done()
    with clickhouse.Cluster(2, certificates.make(FOLDER)) as cluster:
        if not ok(cluster.is_up, "two servers run on the loopback interface"):
            done()
        init = run(DWELL, "store", "init", "--to", cluster.url("profiles"))
        ok(status_of(init) == 0, f"init: {text(init.stderr).strip()}")
        ok(status_of(run(DWELL, "store", "init", "--to", cluster.url("profiles"))) == 0, "init again")
        ok(query(cluster, "top").returncode == 1, "a query of empty tables: status 1")
        paths = [record(f"{host}-{rank}", STEADY_S if rank < 4 else SLOW_S, host=host, rank=rank,
                        version="one" if rank < 4 else "two")
                 for rank, host in enumerate(2 * HOSTS)]
        paths.append(record("node3-again", 3 * SLOW_S, host="node3", rank=7, version="three"))
        ok(status_of(store(cluster, *paths)) == 0, f"{len(paths)} recordings are stored")
        views(cluster, paths)
        imbalance(cluster)
        twice(cluster, paths)
        counted(cluster)
        losses(cluster)
        odd_labels(cluster)
        killed(cluster)
        store_faults.killed_within(cluster)
        store_faults.tls(cluster, FOLDER)
        refused(cluster, paths)
    done()


main()
