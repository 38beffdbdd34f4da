#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls.py DWELL FOLDER [--sampled] [TARGET...] - behaviour that a profiler between a program and its libraries
breaks most easily. Each target in FOLDER (tests/prog/calls_*) does one kind of mischief, and must do it under
`dwell calls` as it does without, and be counted exactly. --sampled: under `dwell record --calls`, which takes
samples at the same time."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from calls_runner import BESIDE_SAMPLES, Runner  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from emulation import EMULATED, patches_entries  # noqa: E402
from tap import done, skip  # noqa: E402

LIBRARIES = ["-f", "libcalls*:*"]

# The variants that a target is run in.
CHOSEN = {"chosen": LIBRARIES}
ALL = {"all functions": ["-f", "*"]}
GOT = {"by GOT": [*LIBRARIES, "--via", "got"]}
ENTRY = {"by entry": [*LIBRARIES, "--via", "entry"]}
ENTRY_ALL = {"all functions by entry": ["-f", "*", "--via", "entry"]}
COUNT = {"counts only": [*LIBRARIES, "--count"]}
SAMPLED = {"sampled times": [*LIBRARIES, "--sample-timing"]}
CALLER = {"by caller": [*LIBRARIES, "--by-caller"]}
THREAD = {"by thread": [*LIBRARIES, "--by-thread"]}
ALONE = {"no children": [*LIBRARIES, "--no-follow"]}
BY_TABLES = {**CHOSEN, **ALL, **GOT, **COUNT}
USUAL = {**BY_TABLES, **ENTRY}
EVERY = {**USUAL, **SAMPLED, **CALLER}


def special(scenario, **needs):
    """Returns a scenario that needs more than its name: see points() in calls_runner.py."""
    return scenario, needs


EXCEPTIONS = [
    "by_the_function", "through_one", "through_several", "inside", "beside", "rethrow", "across_threads", "many",
    "deep", "in_handlers", "in_destructors", "beside_other_threads", "uncaught", "through_noexcept",
    special("out_of_qsort", functions=["qsort"]),
]
CANCELLATIONS = ["exit_below", "cancel_waiting", "cancel_spinning", "cancel_anywhere", "main_exits"]

# target: (its variants, its scenarios with their arguments)
TARGETS = {
    "calls_arguments": (EVERY, [
        "integers", "int128", "floating", "variable", "error_number", "vectors", "cpu_state", "static_chain",
        "registers", "spare_registers",
    ]),
    "calls_nested": (USUAL, ["sum_up"]),
    "calls_exceptions": (EVERY, EXCEPTIONS),
    "calls_exceptions_static": (CHOSEN | ALL | ENTRY_ALL, EXCEPTIONS),
    "calls_own_unwinder": (EVERY, ["beside", "through_several"]),
    "calls_cancel": (USUAL, CANCELLATIONS),
    "calls_cancel_by_jump": (CHOSEN | ALL | ENTRY, CANCELLATIONS),
    "calls_destructors": (USUAL, ["exit_below", "cancel_below"]),
    "calls_jumps": (EVERY, [
        special("one", measures_memory=True), special("hundred", measures_memory=True),
        special("half", measures_memory=True), "with_mask", "builtin", "handler", "handler_on_its_own_stack",
    ]),
    "calls_coroutines": (EVERY, [
        "out_of_order", "side_by_side", "jumps", "jumps_side_by_side", "assembly", "on_the_main_stack",
        "on_two_threads", "after_its_thread", "never_finished", "stack_used_again",
    ]),
    "calls_children": (USUAL | ALONE, [
        "vfork_exec", "vfork_calls", "spawn", "shell", "fork_below", "fork_again", "fork_and_jump",
        "fork_in_threads", "clone_blank",
    ]),
    "calls_binding": (USUAL, [
        "beside_handler", "beside_fork", "keeps_mask",
        # Failures here are rare.
        special("beside_handler 100", variants=ALL), special("beside_fork 100", variants=CHOSEN),
    ]),
    "calls_signals": (CHOSEN | ALL | ENTRY, [
        "on_the_same_stack", "on_its_own_stack", "with_backtrace", "nested", "in_threads", "timer_threads",
        special("with_backtrace_on_its_own_stack", variants=EVERY),
    ]),
    "calls_depth": (CHOSEN | ALL | ENTRY | COUNT, ["returning", "jumped_out_of"]),
    "calls_backtrace": (USUAL, [
        "with_backtrace", "with_unwinder", "with_libunwind", "in_a_thread", "addresses", "all_frames",
    ]),
    "calls_endings": (USUAL, [
        "killed", "exit_at_once", "aborted", "segmentation_fault", "exit_below", "exit_quickly", "exec_itself",
        "return_beside_threads",
    ]),
    "calls_scarcity": (USUAL, [
        "close_range_all", "close_one_by_one", "become_a_daemon", "change_root {empty}", "no_memory",
        "no_memory_for_threads", "no_large_files",
    ]),
    "calls_loading": (USUAL, [
        "constructors", "runpath", "again_and_again", "in_threads", "closed_before_exec", "closed_by_libc", "static_tls 512", "static_tls 1024",
        "static_tls 1536", "name_space {folder}/libcalls.so",
        special("interposed", preload="libcalls_next.so", variants=CHOSEN | ALL | COUNT),
        special("interposed next_is_unseen", preload="libcalls_next.so", variants=GOT),
        # Libraries that are loaded from the start may have any amount of static TLS. Where an auditor leaves no room
        # for it, entries are patched after dlopen(), and its constructors are not seen.
        special("constructors", preload="calls_plugins/libcalls_plugin_tls8192.so", variants=BY_TABLES),
        special("constructors", preload="calls_plugins/libcalls_plugin_tls_page.so", variants=BY_TABLES),
        special("constructors", preload="calls_plugins/libcalls_plugin_tls_megabyte.so", variants=BY_TABLES),
    ]),
    "calls_threads": (CHOSEN | ALL | GOT | ENTRY | THREAD, [
        "at_once", "detached", "small_stacks",
        # 320 bytes per thread, and some for the rest.
        special("one_after_another", max_bytes=16 << 20, variants=CHOSEN),
    ]),
}


def beside_samples(variants):
    """Returns two of these variants: by the auditor and by GOT."""
    return {f"{name}, beside samples": [BESIDE_SAMPLES, *options]
            for name, options in variants.items() if name in CHOSEN | GOT}


def in_time(variants):
    """Returns fewer variants, because an emulator takes ten times as long: by the auditor and by GOT, or else the
    first one."""
    wanted = {name: options for name, options in variants.items() if name in CHOSEN | GOT}
    return wanted or dict([next(iter(variants.items()))])


def run_target(runner, target, places, sampled):
    variants, scenarios = TARGETS[target]
    for scenario in scenarios:
        words, needs = scenario if isinstance(scenario, tuple) else (scenario, {})
        needs = {"variants": variants, **needs}
        if runner.has(target) and not patches_entries(runner.dwell, runner.path(target)):
            needs["variants"] = {name: options for name, options in needs["variants"].items() if "entry" not in options}
        if EMULATED:
            needs["variants"] = in_time(needs["variants"])
        if words == "no_memory" and "HAS_COUNTERS" in os.environ:
            skip(f"{target} {words}", "gcov dies at the end of a program that has no memory left")
            continue
        measures_memory = needs.pop("measures_memory", False)
        if sampled and measures_memory:
            skip(f"{target} {words}", "it counts its pages, and the sampler takes some with its first samples")
            continue
        if sampled:
            needs["variants"] = beside_samples(needs["variants"])
        runner.points(target, *words.format(**places).split(), **needs)


def main(dwell, folder, *wanted):
    runner = Runner(dwell, folder)
    empty = runner.in_scratch("empty")
    os.mkdir(empty)
    sampled = wanted[:1] == ("--sampled",)
    for target in wanted[sampled:] or TARGETS:
        run_target(runner, target, {"empty": empty, "folder": runner.folder}, sampled)
    runner.close()
    done()


if __name__ == "__main__":
    main(*sys.argv[1:])
