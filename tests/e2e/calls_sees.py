#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_sees.py DWELL PROGRAMS - `dwell calls` sees every call that a relocation or dlsym() leads to, however it is
made, counts it once, and the program notices nothing.

Each program prints what must be found. It runs plainly, and under dwell by each method of interception and with and
without times; output and exit status must be the same, byte by byte.
"""
import functools
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_recording import (OURS, TABLES, VIAS, Recording, behaves, difference, expectations, is_built, program,  # noqa: E402
                             run, text)
from tap import done, note, ok, skip  # noqa: E402

# (title, program, arguments, chosen functions)
CASES = [
    ("lazy PLT", "sees_direct_lazy", [], ["-f", OURS]),
    ("linked for an address", "sees_direct_based", [], ["-f", OURS]),
    ("BIND_NOW and full RELRO", "sees_direct_now", [], ["-f", OURS]),
    ("-fno-plt", "sees_direct_noplt", [], ["-f", OURS]),
    ("not position independent", "sees_direct_fixed", [], ["-f", OURS]),
    ("pointers, lazy PLT", "sees_pointers_lazy", [], ["-f", OURS]),
    ("pointers, linked for an address", "sees_pointers_based", [], ["-f", OURS]),
    ("pointers, BIND_NOW and full RELRO", "sees_pointers_now", [], ["-f", OURS]),
    ("pointers, -fno-plt", "sees_pointers_noplt", [], ["-f", OURS]),
    ("pointers, not position independent", "sees_pointers_fixed", [], ["-f", OURS]),
    ("pointers to functions of a library that knows their addresses", "sees_symbolic", [], ["-f", OURS]),
    ("a pointer that the program has a copy of", "sees_copied", [], ["-f", OURS]),
    ("a function that is nowhere and never called", "sees_hole", [], ["-f", OURS]),
    # Constructors and destructors have two names for one function, and the compiler picks any.
    ("virtual functions", "sees_virtual", [], ["-f", OURS, "-x", "*::~*"]),
    ("dlsym", "sees_dlsym", [], ["-f", OURS, "-x", "sees_compared"]),
    ("resolvers", "sees_resolvers", [], ["-f", "libsees_*:given_*"]),
    ("two versions of one name, dlvsym", "sees_versions", [], ["-f", "liblist_versions.so:*"]),
    ("dlopen RTLD_NOW RTLD_LOCAL", "sees_opens", ["now"], ["-f", OURS]),
    ("dlopen RTLD_LAZY", "sees_opens", ["lazy"], ["-f", OURS]),
    ("dlopen RTLD_GLOBAL", "sees_opens", ["global"], ["-f", OURS]),
    ("dlopen RTLD_DEEPBIND", "sees_opens", ["deepbind"], ["-f", OURS]),
    ("dlmopen LM_ID_BASE", "sees_opens", ["base"], ["-f", OURS]),
    ("constructors and destructors", "sees_phases", [], ["-f", OURS]),
    ("memory of the program's own", "sees_heap", [], ["-f", "libc.so.6:calloc"]),
    ("IFUNCs", "sees_ifunc", [], ["-f", OURS, "-f", "libc.so.6:strlen,libc.so.6:memcpy"]),
    ("the same name in two libraries", "sees_sides", [], ["-f", OURS]),
    ("the same name in three libraries", "sees_sides_middle", [], ["-f", OURS]),
    ("closed and opened again", "sees_reopen", ["1000"], ["-f", OURS]),
    ("threads", "sees_threads", [], ["-f", OURS]),
    ("signed return addresses, and landing pads that the CPU checks", "sees_guarded", [], ["-f", "libsees_guarded*:*"]),
]

NOT_BUILT = {"sees_guarded": "compilers for this CPU do not guard pages, or mark them otherwise"}

# Calls that walking the tables cannot see, and why: {(program, symbol): (calls that it does see, reason)}. The manual
# page lists the same.
GOT_CANNOT = {
    ("sees_opens", "sees_twice"):
        (0, "constructors of what is opened run before dlopen() returns and its tables can be walked"),
    ("sees_dlsym", "sees_thrice"):
        (0, "dlsym(RTLD_NEXT) has to see its real caller, so its answer cannot be changed"),
}

# A whole address, as readelf calls it on the CPUs there are.
ADDRESS = r"(R_X86_64_64|R_386_32|R_AARCH64_ABS64|R_RISCV_64)"
# That of the global offset table, which has no type of its own everywhere.
OF_GOT = r"(GLOB_DAT|R_RISCV_64)"

# How programs must be linked: {program: relocation of sees_add or sees_twice that it must have}
MADE_OF = {
    "sees_direct_lazy": r"JUMP_SLOT\s.*sees_add",
    "sees_direct_now": r"JUMP_SLOT\s.*sees_add",
    "sees_direct_noplt": OF_GOT + r"\s.*sees_add",
    "sees_direct_fixed": r"JUMP_SLOT\s.*sees_add",
    "libsees_upper_noplt.so": OF_GOT + r"\s.*sees_add",
    "sees_pointers_lazy": ADDRESS + r"\s.*sees_twice(.|\n)*" + OF_GOT + r"\s.*sees_twice",
    "sees_pointers_fixed": r"JUMP_SLOT\s.*sees_twice",
    "sees_symbolic": r"(?=(.|\n)*" + OF_GOT + r"\s.*sees_signal_second)(.|\n)*" + ADDRESS + r"\s.*sees_signal_first",
    "libsees_symbolic_library.so": r"\A(?!(.|\n)*sees_signal_)(.|\n)*_RELATIVE",
    "sees_copied": r"COPY\s.*sees_upper_twice",
    "sees_virtual": ADDRESS + r"\s.*_ZNK6shapes5shape4areaEv",
    "libsees_shapes.so": ADDRESS + r"\s.*_ZNK6shapes6square4areaEv",
    "libsees_plugin.so": ADDRESS + r"\s.*sees_plugin_step",
}


def made_as_meant():
    """Checks the relocations, because with plain calls by the compiler the other tests would prove nothing."""
    for name, wanted in MADE_OF.items():
        if is_built(name):
            found = text(run("readelf", "-rW", program(name)).stdout)
            ok(re.search(wanted, found), f"{name} has the relocations it is there for")
    ok("BIND_NOW" in text(run("readelf", "-dW", program("sees_direct_now")).stdout), "sees_direct_now binds at once")
    ok("NOW" not in text(run("readelf", "-dW", program("sees_direct_lazy")).stdout), "sees_direct_lazy does not")
    segments = text(run("readelf", "-lW", program("libsees_upper_based.so")).stdout)
    ok(re.search(r"LOAD +0x0+ 0x0*10000000", segments), "libsees_upper_based.so is linked for an address")


# Calls that only patched entries see, because no table leads to the function: by the linker, or in its own library.
ENTRY_SEES = {
    "sees_symbolic": {("sees_signal_first", "libsees_symbolic_library.so"): 1,
                      ("sees_signal_second", "libsees_symbolic_library.so"): 1},
    "sees_opens": {("open_plugin", "libsees_plugin.so"): 1, ("close_plugin", "libsees_plugin.so"): 1},
    "sees_phases": {("begin", "libsees_phases_library.so"): 1, ("end", "libsees_phases_library.so"): 1},
    "sees_ifunc": {("second", "libsees_ifunc_library.so"): 8},
    # A copy of it: the jump at its entry was copied, too.
    "sees_resolvers": {("given_made", "libsees_resolvers_library.so"): 3},
}
# A function that is chosen at load time is counted under the name of the implementation.
ENTRY_CANNOT = {"sees_ifunc": {"sees_pick", "strlen", "memcpy"}}


def expected_by_entry(name, expected):
    cannot = ENTRY_CANNOT.get(name, set())
    seen = {key: calls for key, calls in expected.items() if not key[0] & cannot}
    seen.update({(frozenset([symbol]), None, provider): calls
                 for (symbol, provider), calls in ENTRY_SEES.get(name, {}).items()})
    return seen


def expected_via(via, name, expected):
    if via == "entry":
        return expected_by_entry(name, expected)
    if via != "got":
        return expected
    seen = {}
    for key, calls in expected.items():
        symbols, _, _ = key
        seen[key] = next((GOT_CANNOT[name, symbol][0] for symbol in symbols if (name, symbol) in GOT_CANNOT), calls)
    return seen


@functools.cache
def recorded(name, arguments, options):
    """Returns a recording, the same one for all that looks at it."""
    return Recording(program(name), *arguments, options=options)


def one_case(title, name, arguments, chosen):
    if not is_built(name):
        skip(title, NOT_BUILT.get(name, f"{name} was not built: there is no C++ compiler"))
        return
    plain = run(program(name), *arguments)
    expected = expectations(plain.stdout)
    ok(expected, f"{title}: the program says what must be found")
    for via in VIAS:
        for times in ([], ["--count"]):
            shown = f"{title}, --via {via}{''.join(' ' + option for option in times)}"
            recording = recorded(name, tuple(arguments), (*chosen, "--via", via, *times))
            behaves(plain, recording.run, shown)
            wrong = difference(expected_via(via, name, expected), recording.rows)
            if not ok(recording.rows and not wrong, f"{shown}: every call is counted, and once"):
                note("\n".join(wrong))
            accounts(shown, recording, times)


def accounts(shown, recording, times):
    """Checks that each call has ended in one of four ways, because nothing is running any more."""
    wrong = [row for row in recording.rows
             if row["calls"] != row["returned"] + row["escaped"] + row["abandoned"] + row["untimed"]
             or (times and (row["untimed"] != row["calls"] or row["total_ns"] is not None))
             or (not times and row["untimed"])]
    what = "all are untimed" if times else "all returned"
    if not ok(recording.rows and not wrong, f"{shown}: {what}"):
        note("\n".join(map(str, wrong)))


def out_of_reach():
    """Checks that calls which cannot be seen are at least not disturbed."""
    plain = run(program("sees_opens"), "namespace")
    for via in VIAS:
        recording = Recording(program("sees_opens"), "namespace", options=["-f", "*", "--via", via])
        behaves(plain, recording.run, f"dlmopen LM_ID_NEWLM, --via {via}")


def resolvers():
    """Checks that resolvers are counted if they are chosen, and only then; and that what they hand out is named as lost
    if it cannot be wrapped: sees_resolvers gets one function in memory that belongs to no object. A patched entry was
    copied there, so it counts."""
    for via in VIAS:
        recording = Recording(program("sees_resolvers"), options=["-f", "libsees_*:given_*", "--via", via])
        lost = 0 if via == "entry" else 1
        ok(recording.meta.get("lost_functions") == lost, f"--via {via}: a function that is in no object: {lost} lost")
        ok(recording.meta.get("functions_chosen") == len(recording.rows), f"--via {via}: no resolver counts as chosen")
        plain = run(program("sees_resolvers"), "chosen")
        expected = expectations(plain.stdout)
        # By its entry, any function of the library can be chosen: those that the program does not know are left out.
        chosen = [word for symbols, _, _ in expected for symbol in sorted(symbols) for word in ("-f", f"libsees_*:{symbol}")]
        recording = Recording(program("sees_resolvers"), "chosen",
                              options=[*(chosen if via == "entry" else ("-f", OURS)), "--via", via])
        behaves(plain, recording.run, f"resolvers that are chosen, --via {via}")
        wrong = difference(expected, recording.rows)
        if not ok(recording.rows and not wrong, f"resolvers that are chosen, --via {via}: each call is counted once"):
            note("\n".join(wrong))
    for via in TABLES:  # an entry does not know its caller
        recording = Recording(program("sees_resolvers"), options=["-f", OURS, "--from", "libc.so.6", "--via", via])
        ok(recording.run.returncode == 0 and not any(row["calls"] for row in recording.rows),
           f"--from, --via {via}: an object that is not observed gets the function itself")


def reopened_for_ever():
    """
    Checks that a library that is reopened any number of times uses the same rows and the same file, to the byte
    where calls are counted. With times, there may be octaves of durations that were not seen before, of 280 bytes
    each; if a reopened library counted as a new one, each of 980 times would take 64 bytes or more.
    """
    for via in VIAS:
        for times, limit in (("--count", 0), (None, 16384)):
            options = ("-f", OURS, "--via", via, *filter(None, [times]))
            few, many = [recorded("sees_reopen", (cycles,), options).size for cycles in ("20", "1000")]
            shown = f"opened again, {' '.join(options[2:])}"
            if not ok(few and abs(many - few) <= limit, f"{shown}: the recording does not grow"):
                note(f"{few} bytes after 20 times, {many} after 1000")


def no_writable_code():
    plain = run(program("sees_maps"))
    ok(b"writable and executable: 0\n" in plain.stdout, "plainly, no page is writable and executable")
    for via in VIAS:
        recording = Recording(program("sees_maps"), options=["-f", "*", "--via", via])
        behaves(plain, recording.run, f"no page is writable and executable, --via {via}")


def everything_at_once():
    """Checks that the program still notices nothing with every function of every library chosen, libc's as well."""
    for title, name, arguments, _ in CASES:
        # 1000 cycles of everything would only take longer.
        arguments = ["100"] if name == "sees_reopen" else arguments
        if is_built(name):
            plain = run(program(name), *arguments)
            for via in VIAS:
                recording = Recording(program(name), *arguments, options=["-f", "*", "--via", via])
                behaves(plain, recording.run, f"{title}, -f '*' --via {via}")


made_as_meant()
for case in CASES:
    one_case(*case)
out_of_reach()
resolvers()
reopened_for_ever()
no_writable_code()
everything_at_once()
done()
