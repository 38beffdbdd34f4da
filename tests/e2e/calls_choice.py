#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_choice.py DWELL PROGRAMS - which functions `dwell calls` intercepts.

sees_slots reads its own tables and prints which object each of its imports leads into. An import that is not chosen
leads into its real library, as without dwell; a chosen one leads into the runtime library. With everything chosen,
real programs do what they always do.
"""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_recording import (PROGRAMS, RUNTIME, TABLES, VIAS, Recording, behaves, environment, is_built, program,  # noqa: E402
                             run, text)
from emulation import EMULATOR, NO_WIPE, OWN, wipes_on_fork  # noqa: E402
from tap import done, note, ok, skip  # noqa: E402

SUM_INT, SUM_DOUBLE = "_ZN6shapes3sumEii", "_ZN6shapes3sumEdd"
LARGEST = "_ZN6shapes7largestIlEET_S1_S1_"
BASIC = {"sees_add", "sees_twice", "sees_thrice"}
SHAPES = {SUM_INT, SUM_DOUBLE, LARGEST}

# (options, the imports of sees_slots that they choose)
CHOICES = [
    (["-f", "sees_add"], {"sees_add"}),
    (["--function", "sees_add"], {"sees_add"}),
    (["-f", "libsees_basic.so:*"], BASIC),
    (["-f", "libsees_b*:sees_t*"], {"sees_twice", "sees_thrice"}),
    (["-f", f"{PROGRAMS}/libsees_basic.so:*"], BASIC),
    (["-f", "*/libsees_basic.so:sees_a??"], {"sees_add"}),
    (["-f", "libsees_[bu]*:*"], BASIC | {"sees_sum"}),
    (["-f", "libsees_upper.so:sees_add", "-f", "sees_sum"], {"sees_sum"}),
    (["-f", SUM_INT], {SUM_INT}),
    (["-f", "_ZN6shapes3sum*"], {SUM_INT, SUM_DOUBLE}),
    (["-f", "shapes::sum"], {SUM_INT, SUM_DOUBLE}),
    (["-f", "shapes::sum(int, int)"], {SUM_INT}),
    (["-f", "shapes::sum(double, double),sees_sum"], {SUM_DOUBLE, "sees_sum"}),
    (["-f", "shapes::largest<long>"], {LARGEST}),
    (["-f", "long shapes::largest<long>(long, long)"], {LARGEST}),
    (["-f", "libsees_shapes.so:shapes::s*"], {SUM_INT, SUM_DOUBLE}),
    (["-f", "sees_add,sees_sum"], {"sees_add", "sees_sum"}),
    (["-f", "sees_add", "-f", "sees_sum"], {"sees_add", "sees_sum"}),
    (["-f", "@FILE"], {"sees_twice", SUM_DOUBLE}),
    (["-f", "@FILE", "-x", "shapes::*"], {"sees_twice"}),
    (["-f", "libsees_*:*", "-x", "sees_t*"], (BASIC | SHAPES | {"sees_sum"}) - {"sees_twice", "sees_thrice"}),
    (["-f", "libsees_*:*", "--exclude", "libsees_basic.so:*", "-x", "shapes::sum(int, int)"],
     {"sees_sum", SUM_DOUBLE, LARGEST}),
    (["-f", "libsees_*:*", "-x", "@FILE"], (BASIC | SHAPES | {"sees_sum"}) - {"sees_twice", SUM_DOUBLE}),
    (["-f", "libc.so.6:strrchr"], {"strrchr"}),
    (["-f", "sees_*", "--from", "sees_slots_*"], BASIC | {"sees_sum"}),
    (["-f", "sees_*", "--from", "*/sees_slots_*,libsees_upper.so"], BASIC | {"sees_sum"}),
    (["-f", "sees_*", "--from", "libsees_upper.so"], set()),
]


# Functions that are intercepted whether they are chosen or not, and why. Sanitizers ask for the list of objects, in
# which ours must not come before theirs: phdr_guard.c. The recorder, which the library contains, has to notice when
# objects are closed: closing.c.
ALWAYS = {
    "audit": {"dl_iterate_phdr", "dlclose"},
    # It has to notice objects that are opened and closed, and functions that are looked up.
    "got": {"dl_iterate_phdr", "dlopen", "dlmopen", "dlclose", "dlsym", "dlvsym"},
}


def slots(output):
    """Returns {(import, its number among those of the same name): object}."""
    found = {}
    for line in text(output).splitlines():
        if line.startswith("slot "):
            _, name, target = line.split()
            found[name, sum(name == other for other, _ in found)] = target
    return found


def without_slots(output):
    return b"".join(line for line in output.splitlines(True) if not line.startswith(b"slot "))


def one_choice(name, via, options, chosen):
    plain, recording = run(program(name)), Recording(program(name), options=[*options, "--via", via])
    expected = {key: RUNTIME if key[0] in chosen | ALWAYS[via] else target
                for key, target in slots(plain.stdout).items()}
    found = slots(recording.run.stdout)
    shown = f"{' '.join(options).replace(PROGRAMS, '...')}, {name}, --via {via}"
    if not ok(found == expected, f"{shown}: {len(chosen)} chosen, all others have their real address"):
        for key in sorted(expected.keys() | found.keys()):
            if expected.get(key) != found.get(key):
                note(f"{key[0]} leads into {found.get(key)} instead of {expected.get(key)}")
    same = without_slots(recording.run.stdout) == without_slots(plain.stdout)
    wrong = [row["symbol"] for row in recording.rows if row["calls"] and row["symbol"] not in chosen]
    if options[-1] != "libsees_upper.so":
        ok(same and recording.run.returncode == 0 and not wrong, f"{shown}: and nothing else is counted")
    else:
        ok(same and recording.calls("sees_add") == 3, f"{shown}: only calls by that library are counted")


def choices():
    with tempfile.NamedTemporaryFile("w", suffix=".specs") as file:
        file.write("# comment\nsees_twice\n\nshapes::sum(double, double)\n")
        file.flush()
        for options, chosen in CHOICES:
            options = [option.replace("@FILE", "@" + file.name) for option in options]
            one_choice("sees_slots_now", "audit", options, chosen)
    # Specs are matched in the same way everywhere; their effect differs.
    for name in ("sees_slots_now", "sees_slots_noplt"):
        for via in TABLES:
            for options, chosen in (CHOICES[0], CHOICES[2], CHOICES[13], CHOICES[23], CHOICES[26]):
                one_choice(name, via, options, chosen)


def from_one_caller():
    recording = Recording(program("sees_slots_now"), options=["-f", "sees_add", "--by-caller=object"],
                          report=["--by", "caller"])
    callers = {row["caller"]: row["calls"] for row in recording.rows if row["calls"]}
    ok(callers == {"sees_slots_now": 1, "libsees_upper.so": 3}, "without --from, calls of all objects are counted")


def from_a_plugin():
    """Checks that --from may name an object that is opened later, by an object that it does not name."""
    for via in TABLES:
        recording = Recording(program("sees_opens"), "now",
                              options=["-f", "libsees_*:*", "--from", "libsees_plugin.so", "--via", via])
        found = {row["symbol"]: row["calls"] for row in recording.rows if row["calls"]}
        mine = (found.get("sees_add"), found.get("sees_plugin_step"), found.get("sees_plugin_run"))
        if not ok(mine == (11, 22, None), f"--from a plugin, --via {via}: its calls are counted, and no others"):
            note(found)


def unmatched():
    recording = Recording(program("sees_slots_now"),
                          options=["-f", "sees_add,libq*:*", "-x", "never", "--from", "sees_slots*,libzzz.so"])
    said = text(recording.run.stderr)
    for pattern in ("libq*:*", "never", "libzzz.so"):
        ok(f"'{pattern}' matched nothing" in said, f"{pattern} is named as one that matched nothing")
    ok("sees_add'" not in said and "sees_slots*'" not in said, "and those that did are not")
    ok("libq*:*" in str(recording.meta.get("unmatched")), "the recording knows it too")
    ok(recording.run.returncode == 0 and recording.calls("sees_add") == 1, "and what matched is counted all the same")
    note(said)


FORKING = ("bash", "gcc", "git")


def everything(title, *command, result=None, **settings):
    """Runs the command with every function of every library chosen, in its children as well."""
    path = shutil.which(command[0], path="/usr/bin:/bin")
    if command[0] in FORKING and not EMULATOR and not wipes_on_fork():
        skip(title, NO_WIPE)
        return
    if not path or EMULATOR:
        skip(title, OWN if EMULATOR else f"{command[0]} is not installed")
        return
    plain, made = run(path, *command[1:], **settings), result and content(result)
    for via in VIAS:
        recording = Recording(path, *command[1:], options=["-f", "*", "--via", via], **settings)
        shown = f"{title}, -f '*' --via {via}"
        behaves(plain, recording.run, shown)
        if result:
            ok(content(result) == made, f"{shown}: what it wrote is the same")
        ok(sum(row["calls"] for row in recording.rows) > 10, f"{shown}: its calls are counted")


PYTHON = """
import json, re, sys, threading
found = []
def work(number):
    words = re.findall(r"[a-z]+", json.dumps({"key": ["value"] * number}))
    found.append((number, len(words)))
threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(found))
try: json.loads("{")
except ValueError as error: print(error)
sys.exit(5)
"""

SHELL = """
for i in 1 2 3; do echo $i; done | sort -r
word=$(echo sub | tr a-z A-Z); echo "$word" ${#word}
printf '%s\\n' /usr/lib/*.so* | head -n 3 | wc -l
( exit 4 ); echo $?; exit 7
"""

PERL = """
my %count; $count{$_ % 7}++ for 1 .. 1000; print join(",", map {"$_=$count{$_}"} sort keys %count), "\\n";
my $text = "abc" x 1000; $text =~ s/b/B/g; print length($text), " ", substr($text, 0, 9), "\\n";
eval { die "caught\\n" }; print $@; exit 9
"""

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		printf("%s %d\\n", argv[i], atoi(argv[i]));
	return argc;
}
"""


def content(path):
    with open(path, "rb") as file:
        return file.read()


def real_programs():
    everything("bash", "bash", "-c", SHELL)
    everything("bash that is killed", "bash", "-c", "echo before; kill -TERM $$; echo after")
    everything("ls", "ls", "-lR", "/usr/share/doc")
    everything("python3", "python3", "-c", PYTHON)
    everything("perl", "perl", "-e", PERL)
    with tempfile.TemporaryDirectory() as folder:
        compressors(folder)
        a_repository(folder)
        a_compiler(folder)


def compressors(folder):
    raw = f"{folder}/raw"
    with open(raw, "w", encoding="ascii") as file:
        for i in range(20000):
            file.write(f"{i * i} bottles\n")
    for tool in ("gzip", "xz"):
        if not shutil.which(tool):
            skip(tool, f"{tool} is not installed")
            continue
        packed = f"{folder}/packed.{tool}"
        with open(packed, "wb") as file:
            file.write(run(tool, "-2", "-c", raw).stdout)
        everything(f"{tool}", tool, "-2", "-c", raw)
        everything(f"{tool} -d", tool, "-d", "-c", packed)
        everything(f"{tool} of what is not packed", tool, "-t", raw)


def a_repository(folder):
    if not shutil.which("git"):
        skip("git", "git is not installed")
        return
    env = environment(GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL="/dev/null", HOME=folder, GIT_PAGER="cat",
                      GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b")
    repository = f"{folder}/repository"
    run("git", "init", "-q", repository, env=env)
    for i in range(5):
        with open(f"{repository}/file", "a", encoding="ascii") as file:
            file.write(f"line {i}\n")
        run("git", "-C", repository, "add", "file", env=env)
        run("git", "-C", repository, "commit", "-q", "-m", f"number {i}", env=env)
    everything("git log", "git", "-C", repository, "log", "-p", "--stat", env=env)
    everything("git of no repository", "git", "-C", "/", "log", env=env)


def a_compiler(folder):
    source, result = f"{folder}/source.c", f"{folder}/source.o"
    with open(source, "w", encoding="ascii") as file:
        file.write(SOURCE)
    everything("gcc", "gcc", "-O2", "-c", "-o", result, source, result=result)
    everything("gcc of an error", "gcc", "-O2", "-c", "-DNULL=(", "-Dprintf=(", "-o", "/dev/null", source)


if is_built("sees_slots_now"):
    choices()
    from_one_caller()
    from_a_plugin()
    unmatched()
else:
    skip("chosen functions", "sees_slots was not built: there is no C++ compiler")
real_programs()
done()
