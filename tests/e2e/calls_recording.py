# SPDX-License-Identifier: MIT
"""calls_recording.py - runs programs plainly and under `dwell calls`, and reads back what was recorded.

Serves the tests calls_*.py, which are started as NAME.py DWELL PROGRAMS: PROGRAMS is the folder of the programs
sees_*, which print what must be found, a line each:

    expect SYMBOL[@VERSION][|OTHER_SYMBOL...] OBJECT calls=N
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import EMULATOR, PATIENCE, SETTINGS, patches_entries, runnable  # noqa: E402
from surroundings import cleared  # noqa: E402
from tap import note, ok  # noqa: E402

DWELL, PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:3])
TABLES = ("audit", "got")  # by the addresses in the linker's tables
# And by the functions' entries, on CPUs on which they can be patched.
VIAS = (*TABLES, "entry") if patches_entries(DWELL, os.path.join(PROGRAMS, "sees_times")) else TABLES
OURS = "libsees_*:*"  # every function of the libraries that belong to the programs
# Functions that compilers put into every object; the entries of some CPUs' can be patched.
OF_COMPILERS = ("deregister_tm_clones", "register_tm_clones", "__do_global_dtors_aux", "frame_dummy")
RUNTIME = "libdwell-calls.so"  # what a chosen function's slot leads into

# Functions of the compiler's start-up files, which some CPUs describe as they do others.
STARTUP = ("__do_global_dtors_aux", "deregister_tm_clones", "frame_dummy", "register_tm_clones")

EXPECTED = re.compile(r"^expect (\S+) (\S+) calls=(\d+)$", re.M)


def environment(**changes):
    """Returns our environment without the variables that change how a program is loaded; a value None removes a
    variable."""
    env = cleared("PROFIL_", kept=SETTINGS if EMULATOR else ()) | changes
    return {name: value for name, value in env.items() if value is not None}


def run(*command, **options):
    options.setdefault("env", environment())
    options.setdefault("stdin", subprocess.DEVNULL)
    words = runnable([str(word) for word in command])
    return subprocess.run(words, capture_output=True, timeout=120 * PATIENCE, check=False, **options)


def program(name):
    return os.path.join(PROGRAMS, name)


def is_built(name):
    return os.path.exists(program(name))


def text(output):
    return output.decode(errors="replace")


class Recording:
    """One run of a command under dwell, in a folder of its own, and its report."""

    def __init__(self, *command, options=("-f", OURS), report=(), **settings):
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "dwell.data")
            self.run = run(DWELL, "calls", "-q", "-o", data, *options, "--", *command, **settings)
            self.size = os.path.getsize(data) if os.path.exists(data) else 0
            self.report = run(DWELL, "report", data, "--format", "json", *report)
        self.meta, self.rows = {}, []
        try:
            answer = json.loads(self.report.stdout)
            self.meta, self.rows = answer["meta"], answer["calls"]
        except (ValueError, KeyError, TypeError):
            note(f"no report of {' '.join(map(str, command))}: {text(self.run.stderr)}{text(self.report.stderr)}")

    def row(self, symbol, **others):
        """Returns the row of that symbol, or an empty one if there is not exactly one."""
        found = [row for row in self.rows if row["symbol"] == symbol
                 and all(row.get(key) == value for key, value in others.items())]
        if len(found) != 1:
            note(f"{len(found)} rows of {symbol} {others or ''}")
        return found[0] if len(found) == 1 else {}

    def calls(self, symbol, **others):
        return self.row(symbol, **others).get("calls")


def expectations(output):
    """Returns {(symbols, version, object): calls}."""
    found = {}
    for name, provider, calls in EXPECTED.findall(text(output)):
        symbols, _, version = name.partition("@")
        found[frozenset(symbols.split("|")), version or None, provider] = int(calls)
    return found


def difference(expected, rows):
    """Returns a sentence about each row that is not as expected; none if all are."""
    wrong = []
    left = [row for row in rows if row["calls"] and row["symbol"] not in STARTUP]
    for (symbols, version, provider), calls in expected.items():
        mine = [row for row in left if row["symbol"] in symbols and row["object"] == provider
                and version in (None, row["version"])]
        left = [row for row in left if row not in mine]
        found = sum(row["calls"] for row in mine)
        name = "|".join(sorted(symbols)) + (f"@{version}" if version else "")
        if found != calls:
            wrong.append(f"{name} of {provider}: {found} calls instead of {calls}")
        if len(mine) > len(symbols):
            wrong.append(f"{name} of {provider} has {len(mine)} rows")
    wrong += [f"{row['symbol']} of {row['object']}: {row['calls']} calls that were not made" for row in left]
    return wrong


def behaves(plain, recorded, what, normalise=lambda output: output):
    """Checks that the program did under dwell what it does without: output and exit status."""
    status = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
    same = (recorded.returncode == status and normalise(recorded.stdout) == normalise(plain.stdout)
            and normalise(recorded.stderr) == normalise(plain.stderr))
    if not ok(same, f"{what}: does what it does without dwell"):
        note(f"status {recorded.returncode} instead of {status}")
        for one, other in ((plain.stdout, recorded.stdout), (plain.stderr, recorded.stderr)):
            explain(text(normalise(one)).splitlines(), text(normalise(other)).splitlines())
    return same


def explain(before, after):
    for line in [f"- {line}" for line in before if line not in after][:10]:
        note(line)
    for line in [f"+ {line}" for line in after if line not in before][:10]:
        note(line)


def one_sentence(answer, words=""):
    """Returns true for a refusal: status 2, nothing on stdout, and one line on stderr."""
    said = text(answer.stderr)
    fine = (answer.returncode == 2 and not answer.stdout and said.startswith("dwell")
            and said.count("\n") == 1 and words in said)
    if not fine:
        note(f"status {answer.returncode}, wanted 2 and '{words}': {said}{text(answer.stdout[:200])}")
    return fine
