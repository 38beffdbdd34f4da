#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""php.py DWELL PROGRAMS - functions of PHP in stacks: right by name, with their lines; fibers, generators, exceptions; a version that is not supported."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import Recording, program, run, text, unharmed  # noqa: E402
from scripted import PROGRAMS, Truth, check_order, check_outside, check_shown, check_unsupported, seconds_of  # noqa: E402
from tap import done, ok, skip  # noqa: E402

PHP = "/usr/bin/php8.2"
EVALUATION = "execute_ex"
RIGHT = 0.999
FIBER = "make_fcontext"  # the first function of a fiber's native stack
TRUTH = Truth(["{main}", "main", "call"], {
    "f_K": ["inline_K"],
    "inline_K": ["go_on", "leaf_generator_K", "leaf_sorted_K", "leaf_raised_K", "leaf_made_K", "leaf_fiber_K"],
    "go_on": ["call"],
    # The generator that runs is the innermost; the one that delegates to it waits.
    "leaf_generator_K": ["delegate_K", "number_K"],
    "delegate_K": ["number_K"],
    "number_K": ["spin_K"],
    "leaf_sorted_K": ["compare_K"],
    "compare_K": ["spin_K"],
    "leaf_raised_K": ["raise_K", "spin_K"],
    "raise_K": ["raise_K"],
    "leaf_made_K": ["Made_K::__construct", "Made_K::__toString", "Made_K::__destruct"],
    "Made_K::__construct": ["spin_K"],
    "Made_K::__toString": ["spin_K"],
    "Made_K::__destruct": ["spin_K"],
    "fibered_K": ["spin_K"],
}, EVALUATION)

PROGRAM = """<?php
function cpu() { $used = getrusage(); return $used['ru_utime.tv_sec'] + $used['ru_utime.tv_usec'] / 1e6; }
class Worker {
    function crunch($seconds) {
        $started = cpu();
        while (cpu() - $started < $seconds)
            for ($i = 0; $i < 1000; $i++) $x = $this->leaf($i);  // line 7
    }
    private function leaf($i) {
        return sqrt($i) . '';
    }
}
function forked() {
    if (pcntl_fork() == 0) {
        only_child();
        exit(0);
    }
    pcntl_wait($status);
}
function only_child() { (new Worker)->crunch(0.2); }
function mapped() { return array_map(function ($seconds) { (new Worker)->crunch($seconds); }, [0.1, 0.1]); }
function fiber() {
    $fiber = new Fiber(function () { (new Worker)->crunch(0.1); Fiber::suspend(1); (new Worker)->crunch(0.1); });
    $fiber->start();
    $fiber->resume();
}
function outside() {
    $started = cpu();
    for ($x = 0; cpu() - $started < 0.5;)
        for ($i = 0; $i < 100000; $i++)
            $x += $i * $i % 7;
}
$argv[1]();
"""


def shown(folder, script):
    data = os.path.join(folder, "data")
    recording = Recording(PHP, script, "forked")
    unharmed(run(PHP, script, "forked"), recording.run, "a program that forks")
    ok(seconds_of(recording.rows, "only_child") > 0.15 and seconds_of(recording.rows, "forked") > 0.15,
       "functions of a child, and of its parent before it, have their names")
    recording = Recording(PHP, script, "mapped", keep=data)
    ok(seconds_of(recording.rows, "mapped") > 0.15 and seconds_of(recording.rows, "{closure}") > 0.15,
       "closures that C code calls have their names")
    check_shown(recording, data, ("Worker::crunch", "app.php", 4, 7, 8), "PHP", EVALUATION)
    recording = Recording(PHP, script, "fiber", keep=data)
    unharmed(run(PHP, script, "fiber"), recording.run, "a program with a fiber")
    check_order(data, "in a fiber", ["{closure}", "Worker::crunch"])


def ffi_of():
    """Returns the command of PHP with FFI; None: there is none. A package that was only unpacked loads no extensions by itself."""
    for loads in ([], ["-d", "extension=ffi"]) if os.path.exists(PHP) else []:
        if "FFI" in text(run(PHP, *loads, "-m").stdout):
            return [PHP, *loads, "-d", "ffi.enable=1"]
    return None


def main():
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "app.php")
        with open(script, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        with_ffi = ffi_of()
        if with_ffi:
            TRUTH.check((*with_ffi, os.path.join(PROGRAMS, "php_truth.php"), program("libpython_shadow.so")),
                        RIGHT, (FIBER, "fibered_K"))
            shown(folder, script)
            check_outside(folder, [PHP, script, "outside"], ["{main}", "outside"])
        else:
            skip("functions of PHP", f"{PHP} is not installed, or has no FFI")
        check_unsupported(folder, "php_other", "PHP functions have no names: this dwell supports PHP 8.2")
    done()


main()
