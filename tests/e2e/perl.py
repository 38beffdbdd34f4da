#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perl.py DWELL PROGRAMS - subs of Perl in stacks: right by name, with their lines; sorting, ties, overloading, destructors, regular expressions,
evals, blocks that C calls; a version that is not supported."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import Recording, program, run, text, unharmed  # noqa: E402
from scripted import PROGRAMS, Truth, check_order, check_outside, check_shown, check_unsupported  # noqa: E402
from tap import done, skip  # noqa: E402

PERL = "/usr/bin/perl"
VERSION = "v5.36."
EVALUATION = "Perl_runops_standard"
RIGHT = 0.995  # the others are marked
CALLEES = {
    "f_K": ["inline_K"],
    "inline_K": ["go_on", "leaf_sorted_K", "leaf_sorted_by_K", "leaf_died_K", "leaf_tied_K", "leaf_made_K", "leaf_regex_K", "leaf_text_K",
                 "leaf_first_K", "leaf_jump_K", "spin_K", "Made_K::DESTROY"],
    "go_on": ["call"],
    # A block that sort calls is in the sub that has it, and so is code of a regular expression.
    "leaf_sorted_K": ["leaf_sorted_K", "spin_K"],
    "leaf_sorted_by_K": ["by_K"],
    "by_K": ["spin_K", "die_K"],
    "die_K": ["die_K"],
    "leaf_died_K": ["die_K", "spin_K"],
    "leaf_tied_K": ["Tied_K::TIESCALAR", "Tied_K::FETCH"],
    "Tied_K::FETCH": ["spin_K"],
    "leaf_made_K": ["Made_K::new", "Made_K::add", "Made_K::__ANON__", "Made_K::DESTROY"],
    "Made_K::new": ["spin_K"],
    "Made_K::add": ["spin_K"],
    "Made_K::__ANON__": ["spin_K"],
    "Made_K::DESTROY": ["spin_K"],
    "leaf_regex_K": ["leaf_regex_K", "spin_K"],
    "leaf_text_K": ["(eval)"],
    "(eval)": ["spin_K"],
    "leaf_first_K": ["__ANON__"],
    "__ANON__": ["spin_K"],
}

PROGRAM = """use strict;
package Worker;
sub crunch {
    my ($seconds) = @_;
    my ($started, $x) = ((times)[0], 0);
    while ((times)[0] - $started < $seconds) {
        for my $i (1 .. 1000) {
            $x += leaf($i);  # line 8
        }
    }
}
sub leaf {
    return int sqrt $_[0];
}
package main;
sub sorted {
    my @sorted = sort { Worker::crunch(0.2); $a <=> $b } 2, 1;
}
sub caught {
    my @sorted = sort by 2, 1;
}
sub by {
    eval { die "thrown" };
    Worker::crunch(0.2);
    return $a <=> $b;
}
sub outside {
    my $x = 0;
    while ((times)[0] < 0.5) {
        for my $i (1 .. 100000) { $x += $i * $i % 7 }
    }
}
my %kinds = (sorted => \\&sorted, caught => \\&caught, outside => \\&outside);
$kinds{$ARGV[0]}->();
"""


def shown(folder, script):
    data = os.path.join(folder, "data")
    recording = Recording(PERL, script, "sorted", keep=data)
    unharmed(run(PERL, script, "sorted"), recording.run, "a program that sorts")
    check_shown(recording, data, ("Worker::crunch", "app.pl", 4, 8, 10), "Perl", EVALUATION)
    check_order(data, "a block that sort calls", ["(main)", "main::sorted", "main::sorted", "Worker::crunch"])
    Recording(PERL, script, "caught", keep=data)
    check_order(data, "an error that was caught", ["(main)", "main::caught", "main::by", "Worker::crunch"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "app.pl")
        with open(script, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        if os.path.exists(PERL) and text(run(PERL, "-e", "print $^V").stdout).startswith(VERSION):
            truth = Truth(["(main)", "work", "call"], CALLEES, EVALUATION, lambda name: re.sub(r"^main::|\[.*\]$", "", name))
            truth.check((PERL, os.path.join(PROGRAMS, "perl_truth.pl"), program("libperl_shadow.so")), RIGHT)
            shown(folder, script)
            check_outside(folder, [PERL, script, "outside"], ["(main)", "main::outside"])
        else:
            skip("functions of Perl", f"{PERL} is not of {VERSION}")
        check_unsupported(folder, "perl_other", "Perl functions have no names: this dwell supports Perl 5.36 with threads, not 5.9")
    done()


main()
