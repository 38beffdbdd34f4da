#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mcp.py DWELL PROGRAMS NPM BUILD - `dwell mcp`: tools return what their verbs print, called by the protocol's official client
(npm's, installed in BUILD); bad messages get an error each, and the server goes on."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import PATIENCE  # noqa: E402
from npm_packages import install  # noqa: E402
from sampled import DWELL, environment, program, run, text  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

NPM, BUILD = (os.path.abspath(path) for path in sys.argv[3:5])


def printed(*words, **options):
    return text(run(DWELL, *words, **options).stdout)


def ask(packages, folder, *calls):
    answer = run("node", f"{packages}/mcp_client.mjs", DWELL, input=json.dumps(calls).encode(), stdin=None, cwd=folder)
    if answer.returncode:
        note(text(answer.stderr))
    return json.loads(answer.stdout)


# ---- by the official client ----

def tools_are_verbs(tools):
    for tool in tools:
        help_text = printed(tool["name"], "--help")
        options = {"--" + name.replace("_", "-") for name in tool["inputSchema"]["properties"]}
        missing = {option for option in options if not re.search(rf"{option}\b", help_text)}
        # Words behind the options have no option of that name.
        words = {"report": {"--data"}, "diff": {"--old", "--new"}, "annotate": {"--function", "--data"}, "info": {"--data"},
                 "query": {"--view", "--old", "--new"}}
        ok(missing == words[tool["name"]], f"{tool['name']}: its arguments are options of the verb: {missing}")
        ok(tool["annotations"]["readOnlyHint"] is True, f"{tool['name']}: is said to read only")


def check_client(folder):
    packages, reason = install(NPM, BUILD)
    if not packages:
        skip("calls by the official client", reason)
        return
    files = sorted(os.listdir(folder))
    calls = [
        ("report", {}, printed("report", "--limit", "30", cwd=folder)),
        ("report", {"data": "a.data", "format": "json", "limit": 0}, printed("report", "--format", "json", "a.data", cwd=folder)),
        ("report", {"data": "a.data", "tree": True, "min": "5", "limit": 0},
         printed("report", "--tree", "--min", "5", "a.data", cwd=folder)),
        ("diff", {"old": ["a.data"], "new": ["dwell.data"], "limit": 0}, printed("diff", "a.data", "dwell.data", cwd=folder)),
        ("annotate", {"function": "steady_work", "data": "a.data"}, printed("annotate", "steady_work", "a.data", cwd=folder)),
        ("info", {"data": "a.data"}, printed("info", "a.data", cwd=folder)),
    ]
    wrong = [
        ("report", {"data": "missing"}, "cannot open 'missing'"),
        ("report", {"by": "nothing"}, "unknown --by value 'nothing'"),
        ("annotate", {"function": "nothing"}, "no sample is in or below a function that matches 'nothing'"),
        ("query", {"from": "clickhouse://127.0.0.1:1/none", "view": "top"}, "cannot reach"),
        ("report", {"output": "x"}, "unknown argument 'output'"),
    ]
    said = ask(packages, folder, *[call[:2] for call in calls + wrong])
    ok(said["server"]["name"] == "dwell" and printed("--version").split()[1] == said["server"]["version"], "the server has a name")
    tools_are_verbs(said["tools"])
    for (tool, arguments, expected), result in zip(calls, said["results"]):
        ok(result == {"is_error": False, "text": expected} and expected, f"{tool} {arguments}: what the verb prints")
    for (tool, arguments, expected), result in zip(wrong, said["results"][len(calls):]):
        ok(result.get("is_error") is True and expected in result["text"], f"{tool} {arguments}: {result['text'].strip()}")
    ok(sorted(os.listdir(folder)) == files, "no file was written")


# ---- by hand ----

def talk(*lines):
    """Returns the replies to lines of bytes, and the exit status."""
    answer = subprocess.run([DWELL, "mcp"], input=b"".join(line + b"\n" for line in lines), capture_output=True, check=False,
                            env=environment(), timeout=60 * PATIENCE)
    return [json.loads(line) for line in answer.stdout.splitlines()], answer


PING = b'{"jsonrpc":"2.0","id":7,"method":"ping"}'


def check_bad_messages():
    bad = [b"{", b"\xff\xfe", b"[" * 100000, b"[]", b"null", b'{"jsonrpc":"2.0","id":1}', b"x" * (1 << 20), b"x" * ((1 << 20) + 1)]
    replies, answer = talk(*bad, b"", b"  \r", PING)
    ok(answer.returncode == 0 and not answer.stderr, "the server ends with its input")
    ok(len(replies) == len(bad) + 1 and all(reply["error"]["message"] for reply in replies[:-1]), "a bad message gets a sentence")
    ok("at most 1048576 bytes" in replies[-2]["error"]["message"], "a message that is too long, too")
    ok(replies[-1] == {"jsonrpc": "2.0", "id": 7, "result": {}}, "and the next one is handled")
    replies, answer = talk(PING[:-1])
    ok(len(replies) == 1 and "error" in replies[0] and answer.returncode == 0, "input may end anywhere")


def check_full_disk():
    with open("/dev/full", "wb") as full:
        answer = subprocess.run([DWELL, "mcp"], input=PING + b"\n", stdout=full, stderr=subprocess.PIPE, check=False,
                                env=environment(), timeout=60 * PATIENCE)
    ok(answer.returncode == 2 and b"cannot write the output" in answer.stderr, "replies that cannot be written are an error")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.data", "dwell.data"):
            run(DWELL, "record", "-q", "-o", f"{folder}/{name}", program("diff_load"), "0.1", "0.1", "0")
        check_client(folder)
    check_bad_messages()
    check_full_disk()
    done()


main()
