#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""push.py DWELL PROGRAMS NPM BUILD - `dwell push` to a real receiver, which looks at every index of a message: the sums
that arrive are those of `dwell report`, to the sample, for each kind of receiver; attributes come from where
dwell-push(1) says."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from npm_packages import install  # noqa: E402
from receiver import Receiver  # noqa: E402
from sampled import DWELL, environment, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

NPM, BUILD = (os.path.abspath(path) for path in sys.argv[3:5])
SPEC = "libjoined*:joined_*"


class Data:
    """A recording, and what the report says about it."""

    def __init__(self, path, *options, command=(), verb="record"):
        self.path = path
        answer = run(DWELL, verb, "-q", *options, "-o", path, "--", *command)
        if answer.returncode:
            note(text(answer.stderr))
        self.samples = self.rows("samples")
        # Each row is rounded to nanoseconds, so their sums depend on what has a row.
        self.calls = self.rows("calls", "--by", "process")

    def rows(self, table, *options):
        return json.loads(run(DWELL, "report", "--format", "json", *options, self.path).stdout).get(table, [])

    def sums(self, column):
        """By name: several functions may have the same."""
        found = {}
        for row in self.samples:
            found[row["name"]] = found.get(row["name"], 0) + row[column]
        return {name: value for name, value in found.items() if value}

    def called(self, column):
        found = {}
        for row in self.calls:
            found[row["name"]] = found.get(row["name"], 0) + (row.get(column) or 0)
        return {name: value for name, value in found.items() if value}


def push(receiver, scheme, *options, state, data=(), **variables):
    to = f"{scheme}+http://127.0.0.1:{receiver.port}"
    paths = [data] if isinstance(data, str) else data
    return run(DWELL, "push", "--to", to, "--state", state, *options, *paths, env=environment(**variables))


def arrived(receiver):
    """Returns the only request, whose message is sound."""
    entries = receiver.log()
    for entry in entries:
        if entry.get("problems"):
            note(entry["problems"])
    sound = len(entries) == 1 and not entries[0].get("problems")
    ok(sound, f"{entries[0]['path'] if entries else 'nothing'}: one message, with every index in its table")
    return entries[0] if sound else None


def same(found, due, what):
    found = {name: value for name, value in found.items() if value}
    if found != due:
        note({name: (found.get(name), due.get(name)) for name in set(found) | set(due)
              if found.get(name) != due.get(name)})
    ok(found == due and due, what)


def by_type(profiles):
    return {profile["type"]: profile for profile in profiles}


def samples_agree(profiles, data, what):
    kinds = by_type(profiles)
    ok({"samples:count", "cpu:nanoseconds"} <= set(kinds), f"{what}: {sorted(kinds)}")
    same(kinds["samples:count"]["self"], data.sums("self"), f"{what}: samples of each function")
    same(kinds["cpu:nanoseconds"]["self"], data.sums("self_ns"), f"{what}: and their time")
    same(kinds["cpu:nanoseconds"]["total"], data.sums("total_ns"), f"{what}: and that of its callees")


def calls_agree(profiles, data, what):
    kinds = by_type(profiles)
    same(kinds["calls:count"]["self"], data.called("calls"), f"{what}: calls of each function")
    same(kinds["call_self:nanoseconds"]["self"], data.called("self_ns"), f"{what}: and their own time")
    same(kinds["call_total:nanoseconds"]["self"], data.called("total_ns"), f"{what}: and all of it")


def otlp(receiver, data, folder):
    for wire in ("1.10", "1.9"):
        receiver.plan(wire=wire)
        answer = push(receiver, "otlp", "--wire", wire, state=f"{folder}/otlp{wire}", data=data.path)
        ok(answer.returncode == 0 and text(answer.stdout).startswith("sent 1 recording to"),
           f"OTLP {wire}: {text(answer.stdout)}{text(answer.stderr)}")
        entry = arrived(receiver)
        if not entry:
            continue
        ok(entry["path"] == "/v1development/profiles" and entry["headers"]["content-encoding"] == "gzip",
           "OTLP: the usual path, packed")
        profiles = entry["resources"][0]["profiles"]
        samples_agree(profiles, data, f"OTLP {wire}")
        calls_agree(profiles, data, f"OTLP {wire}")
        period = by_type(profiles)["samples:count"]["period"]
        ok(period == "cpu:nanoseconds:1000000", f"OTLP {wire}: the period is that of 1000 Hz: {period}")
        ok(int(profiles[0]["time"]) > 1.7e18 and profiles[0]["duration"] > 0, f"OTLP {wire}: with time and duration")
        ok(entry["resources"][0]["scope"].startswith("dwell "), f"OTLP {wire}: {entry['resources'][0]['scope']}")
    receiver.plan(wire="1.10")
    push(receiver, "otlp", "--wire", "1.9", state=f"{folder}/mixed", data=data.path)
    entry = receiver.log()[0]
    ok(entry["problems"], "OTLP: the receiver notices the other version's numbers")


def exported(receiver, data, folder):
    """`dwell export -f otlp` writes what push sends."""
    receiver.plan()
    push(receiver, "otlp", state=f"{folder}/exported", data=data.path)
    sent = arrived(receiver)
    run(DWELL, "export", "-f", "otlp", "-o", f"{folder}/file.otlp", data.path)
    receiver.plan()
    answer = run("curl", "-s", "-H", "Content-Type: application/x-protobuf", "--data-binary", f"@{folder}/file.otlp",
                 f"http://127.0.0.1:{receiver.port}/v1development/profiles")
    if answer.returncode == 0 and sent:
        file = arrived(receiver)
        ok(file and file["resources"] == sent["resources"], "dwell export -f otlp writes the same message")


def pprof(receiver, data, folder):
    for scheme, path in (("pyroscope", "/ingest"), ("parca", "/api/profiles/writeraw"), ("coroot", "/v1/profiles"),
                         ("pprof", "/")):
        receiver.plan()
        answer = push(receiver, scheme, "--label", "env=a b,c={1}\"\n", state=f"{folder}/{scheme}", data=data.path,
                      OTEL_SERVICE_NAME="shop")
        ok(answer.returncode == 0, f"{scheme}: {text(answer.stdout)}{text(answer.stderr)}")
        entry = arrived(receiver)
        if not entry:
            continue
        ok(entry["path"] == path, f"{scheme}: its usual path is {path}")
        samples_agree(entry["profiles"], data, scheme)
        calls_agree(entry["profiles"], data, scheme)
        if scheme == "pyroscope":
            name = entry["query"]["name"]
            ok(name.startswith("shop{") and "env=a b_c__1_\"_" in name and name.count("}") == 1,
               f"pyroscope: labels are in the name, and end where they must: {name}")
            ok(entry["query"]["format"] == "pprof" and int(entry["query"]["until"]) > int(entry["query"]["from"]),
               "pyroscope: format and time")
        else:
            labels = entry["labels"] if scheme == "parca" else entry["query"]
            ok(labels["env"] == "a b,c={1}\"\n", f"{scheme}: a label may be any text: {labels}")
            ok(labels["service_name" if scheme == "parca" else "service.name"] == "shop", f"{scheme}: the service")


def attributes(receiver, data, folder):
    receiver.plan()
    push(receiver, "otlp", "--label", "env=prod \"1\"\n\u00e4", "--label", "version=7", state=f"{folder}/attributes",
         data=data.path, OTEL_SERVICE_NAME="shop", POD_NAME="pod-1", K8S_NODE_NAME="node-1", MY_POD_NAMESPACE="default",
         OTEL_RESOURCE_ATTRIBUTES="service.name=other,team=a%2Cb,env=lost")
    entry = arrived(receiver)
    found = entry["resources"][0]["attributes"] if entry else {}
    due = {"service.name": "shop", "env": "prod \"1\"\n\u00e4", "service.version": "7", "team": "a,b",
           "k8s.pod.name": "pod-1", "k8s.node.name": "node-1", "k8s.namespace.name": "default", "kept": "label",
           "host.name": os.uname().nodename, "process.executable.name": "joined"}
    note(found)
    ok(due.items() <= found.items(), "attributes: labels, then OpenTelemetry's variables, the recording's, the pod's")
    ok(found.get("process.executable.build_id.gnu") in entry["buildIds"], "attributes: the program's build-id")
    receiver.plan()
    answer = push(receiver, "otlp", state=f"{folder}/attributes", data=data.path,
                  OTEL_RESOURCE_ATTRIBUTES="no equals sign")
    ok(answer.returncode == 0 and not receiver.log(), "attributes: nothing is read of what was sent before")
    answer = push(receiver, "otlp", state=f"{folder}/attributes2", data=data.path,
                  OTEL_RESOURCE_ATTRIBUTES="no equals sign")
    ok(answer.returncode == 2 and b"invalid OTEL_RESOURCE_ATTRIBUTES" in answer.stderr and not receiver.log(),
       f"attributes: a wrong variable is refused: {text(answer.stderr)}")


def tokens(receiver, data, folder):
    with open(f"{folder}/token", "w", encoding="utf-8") as file:
        file.write("secret-1\n")
    receiver.plan()
    push(receiver, "otlp", "--token-file", f"{folder}/token", state=f"{folder}/tokens", data=data.path,
         OTEL_EXPORTER_OTLP_HEADERS="x-scope-orgid=team%201,x-other=2")
    entry = arrived(receiver)
    headers = entry["headers"] if entry else {}
    ok(headers.get("authorization") == "Bearer secret-1" and headers.get("x-scope-orgid") == "team 1" and
       headers.get("x-other") == "2", "a token of a file, and further headers of the environment")
    receiver.plan()
    push(receiver, "coroot", state=f"{folder}/tokens", data=data.path, DWELL_PUSH_TOKEN="secret-2")
    entry = arrived(receiver)
    ok(entry and entry["headers"].get("x-api-key") == "secret-2", "a token of the environment, as Coroot has it")
    for variable, value in (("DWELL_PUSH_TOKEN", "a\nX-Evil: 1"), ("OTEL_EXPORTER_OTLP_HEADERS", "a=b%0D%0AX-Evil:1"),
                            ("OTEL_EXPORTER_OTLP_HEADERS", "a:b=c")):
        receiver.plan()
        answer = push(receiver, "otlp", state=f"{folder}/evil", data=data.path, **{variable: value})
        entries = receiver.log()
        ok(all("x-evil" not in entry["headers"] for entry in entries) and (answer.returncode == 2 or entries),
           f"no header comes in by {variable}: {text(answer.stderr)}")


def folders(receiver, data, folder):
    """A folder with recordings of several kinds, and other files."""
    pieces = f"{folder}/pieces"
    os.mkdir(pieces)
    plain = Data(f"{pieces}/plain.data", command=(program("export_load"), "2"))
    with open(data.path, "rb") as file:
        whole = file.read()
    with open(f"{pieces}/joined.data", "wb") as file:
        file.write(whole)
    with open(f"{pieces}/copy.data", "wb") as file:
        file.write(whole)
    with open(f"{pieces}/cut.data", "wb") as file:
        file.write(whole[:-1000])
    with open(f"{pieces}/notes.txt", "w", encoding="utf-8") as file:
        file.write("no recording")
    run(DWELL, "archive", "-q", f"{pieces}/plain.data")
    receiver.plan()
    answer = push(receiver, "otlp", state=f"{folder}/folders", data=pieces)
    entries = receiver.log()
    ok(answer.returncode == 0 and len(entries) == 2,
       f"a folder: each recording once, whatever copies there are: {text(answer.stdout)}{text(answer.stderr)}")
    total = sum(profile["all"] for entry in entries for profile in entry["resources"][0]["profiles"]
                if profile["type"] == "samples:count")
    due = sum(plain.sums("self").values()) + sum(data.sums("self").values())
    ok(total == due, f"a folder: all samples, {total}")
    answer = push(receiver, "otlp", state=f"{folder}/folders", data=pieces)
    ok(answer.returncode == 0 and len(receiver.log()) == 2, f"a folder: nothing twice: {text(answer.stdout)}")
    answer = push(receiver, "otlp", state=f"{folder}/folders2", data=f"{pieces}/cut.data")
    ok(answer.returncode == 2 and b"has no end" in answer.stderr and len(receiver.log()) == 2,
       f"a recording that was cut is refused: {text(answer.stderr)}")
    answer = push(receiver, "otlp", "--incomplete", state=f"{folder}/folders2", data=f"{pieces}/cut.data")
    ok(answer.returncode == 0 and len(receiver.log()) == 3, f"unless that is wanted: {text(answer.stderr)}")
    answer = push(receiver, "otlp", state=f"{folder}/folders2", data=f"{pieces}/notes.txt")
    ok(answer.returncode == 2 and len(receiver.log()) == 3, f"a file of another kind is refused: {text(answer.stderr)}")


def main():
    packages, why = install(NPM, BUILD)
    if not packages:
        skip("a receiver", why)
        done()
        return
    receiver = Receiver(packages)
    with tempfile.TemporaryDirectory() as folder:
        data = Data(f"{folder}/data", "-F", "1000", "--calls", SPEC, "--label", "kept=label", "--label", "env=recorded",
                    command=(program("joined"),))
        ok(data.samples and data.calls, "there are samples and calls")
        otlp(receiver, data, folder)
        exported(receiver, data, folder)
        pprof(receiver, data, folder)
        attributes(receiver, data, folder)
        tokens(receiver, data, folder)
        folders(receiver, data, folder)
    receiver.close()
    done()


if __name__ == "__main__":
    main()
