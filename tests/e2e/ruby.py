#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ruby.py DWELL PROGRAMS - functions of Ruby in stacks: right by name, with their lines; threads, fibers, exceptions, blocks; a version that is not
supported."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import Recording, program, run, text, unharmed  # noqa: E402
from scripted import PROGRAMS, Truth, check_order, check_outside, check_shown, check_unsupported, evaluation_of, seconds_of  # noqa: E402
from surroundings import read_debug_files  # noqa: E402
from tap import done, ok, skip  # noqa: E402

read_debug_files()
RUBY = ("/usr/bin/ruby3.1", "--disable-gems")
RIGHT = 0.99  # the others are marked
CALLEES = {
    "f_K": ["inline_K"],
    "inline_K": ["go_on", "leaf_sorted_K", "leaf_raised_K", "leaf_made_K", "leaf_yield_K", "leaf_sent_K", "leaf_fiber_K"],
    "go_on": ["dispatch"],
    "leaf_sorted_K": ["block in leaf_sorted_K"],
    "block in leaf_sorted_K": ["spin_K"],
    "leaf_raised_K": ["raise_K", "rescue in leaf_raised_K", "ensure in leaf_raised_K", "spin_K"],
    "rescue in leaf_raised_K": ["spin_K"],
    "ensure in leaf_raised_K": ["spin_K"],
    "raise_K": ["raise_K"],
    "leaf_made_K": ["initialize", "<=>"],
    "initialize": ["spin_K"],
    "<=>": ["spin_K"],
    "leaf_yield_K": ["lazy_K"],
    "lazy_K": ["block in lazy_K"],
    "block in lazy_K": ["spin_K", "block in leaf_yield_K"],
    "block in leaf_yield_K": ["spin_K"],
    # A method that define_method() has made of a block.
    "leaf_sent_K": ["spin_K", "block (2 levels) in <main>"],
    "block (2 levels) in <main>": ["spin_K"],
    "block in leaf_fiber_K": ["fibered_K"],
    "fibered_K": ["block in fibered_K"],
    "block in fibered_K": ["spin_K"],
}

PROGRAM = """
class Worker
  def crunch(seconds)
    started = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
    x = 0
    while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - started < seconds
      i = 0
      while i < 1000
        x += leaf(i); i += 1 # line 9
      end
    end
  end

  def leaf(i)
    Math.sqrt(i)
  end
end

def mapped
  [0.1, 0.1].each { |seconds| Worker.new.crunch(seconds) }
end

def only_child
  Worker.new.crunch(0.2)
end

def forked
  Process.wait(fork { only_child })
end

def threaded
  Thread.new { Worker.new.crunch(0.2) }.join
end

def fiber
  Fiber.new { Fiber.yield; Worker.new.crunch(0.2) }.then { |made| made.resume; made.resume }
end

def outside
  started = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
  while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - started < 0.5
    i = x = 0
    while i < 100000
      x += i * i % 7
      i += 1
    end
  end
end

send(ARGV[0])
"""


def shown(folder, script, evaluation):
    data = os.path.join(folder, "data")
    recording = Recording(*RUBY, script, "forked")
    unharmed(run(*RUBY, script, "forked"), recording.run, "a program that forks")
    ok(seconds_of(recording.rows, "only_child") > 0.15 and seconds_of(recording.rows, "forked") > 0.15,
       "functions of a child, and of its parent before it, have their names")
    recording = Recording(*RUBY, script, "mapped", keep=data)
    check_shown(recording, data, ("crunch", "app.rb", 3, 9, 12), "Ruby", evaluation)
    check_order(data, "a block that C code calls", ["<main>", "mapped", "block in mapped", "crunch"])
    for name in ("threaded", "fiber"):
        recording = Recording(*RUBY, script, name, keep=data)
        unharmed(run(*RUBY, script, name), recording.run, f"a program with a {name}")
        check_order(data, name, [f"block in {name}", "crunch"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "app.rb")
        with open(script, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        if os.path.exists(RUBY[0]) and run(*RUBY, "-rfiddle", "-e", "1").returncode == 0:
            evaluation = evaluation_of((*RUBY, script, "outside"))
            truth = Truth(["block (2 levels) in <main>", "main", "dispatch"], CALLEES, evaluation)
            truth.check((*RUBY, os.path.join(PROGRAMS, "ruby_truth.rb"), program("libpython_shadow.so")), RIGHT, (None, "block in leaf_fiber_K"))
            shown(folder, script, evaluation)
            check_outside(folder, [*RUBY, script, "outside"], ["outside"])
        else:
            skip("functions of Ruby", f"{RUBY[0]} is not installed, or has no fiddle")
        check_unsupported(folder, "ruby_other", "Ruby functions have no names: this dwell supports Ruby 3.1, not 3.9")
    done()


main()
