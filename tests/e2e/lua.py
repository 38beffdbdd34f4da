#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lua.py DWELL PROGRAMS - functions of Lua in stacks: right by name, with their lines; coroutines, errors, tail calls, metamethods; a release
that is not supported."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from sampled import Recording, program, run, text, unharmed  # noqa: E402
from scripted import PROGRAMS, Truth, check_order, check_outside, check_shown, check_unsupported, evaluation_of  # noqa: E402
from tap import done, skip  # noqa: E402

LUA = "/usr/bin/lua5.4"
RELEASE = "5.4.4"  # the supported one
# The others are marked, some 0.6 %: the stack of a state moves, or a function returns.
RIGHT = 0.98
CALLEES = {
    "f_K": ["inline_K"],
    "inline_K": ["go_on", "leaf_sorted_K", "leaf_replaced_K", "leaf_raised_K", "leaf_tail_K", "tail_K", "leaf_made_K", "leaf_coroutine_K"],
    "go_on": ["call"],
    "leaf_sorted_K": ["compare_K"],
    "compare_K": ["spin_K"],
    "leaf_replaced_K": ["replaced_K"],
    "replaced_K": ["spin_K"],
    "leaf_raised_K": ["raise_K", "spin_K"],
    "raise_K": ["raise_K"],
    "tail_K": ["spin_K"],
    "leaf_made_K": ["add_K", "close_K"],
    "add_K": ["spin_K"],
    "close_K": ["spin_K"],
    "leaf_coroutine_K": ["body_K"],
    "body_K": ["inside_K", "spin_K"],
    "inside_K": ["spin_K"],
}

PROGRAM = """local leaf
local function crunch(seconds)
    local started, x = os.clock(), 0
    while os.clock() - started < seconds do for i = 1, 1000 do
        x = x + leaf(i)  -- line 5
    end end
end
function leaf(i)
    return math.sqrt(i) // 1
end
local function sorted()
    table.sort({ 2, 1 }, function(a, b) crunch(0.2) return a < b end)
end
local function resumed()
    local go = coroutine.wrap(function()
        pcall(function()  -- line 16
            coroutine.yield()
            crunch(0.2)
        end)
    end)
    go()
    go()
end
local function outside()
    local started, x = os.clock(), 0
    while os.clock() - started < 0.5 do
        for i = 1, 100000 do x = x + i * i % 7 end
    end
end
({ sorted = sorted, resumed = resumed, outside = outside })[arg[1]]()
"""


def shown(folder, script, evaluation):
    data = os.path.join(folder, "data")
    recording = Recording(LUA, script, "sorted", keep=data)
    unharmed(run(LUA, script, "sorted"), recording.run, "a program that sorts")
    check_shown(recording, data, ("function <app.lua:2>", "app.lua", 2, 5, 7), "Lua", evaluation)
    Recording(LUA, script, "resumed", keep=data)
    check_order(data, "a coroutine that was resumed",
                ["main chunk", "function <app.lua:14>", "function <app.lua:15>", "function <app.lua:16>", "function <app.lua:2>"])


def why_not():
    """Returns why functions of Lua cannot be shown here; None: they can."""
    if not os.path.exists(LUA):
        return f"{LUA} is not installed"
    said = text(run(LUA, "-v").stdout).split()
    return None if said[1] == RELEASE else f"{LUA} is {said[1]}, not {RELEASE}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "app.lua")
        with open(script, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        reason = why_not()
        if not reason:
            evaluation = evaluation_of((LUA, script, "outside"))
            truth = Truth(["main chunk", "main", "call"], CALLEES, evaluation, lambda name: re.sub(r"function <(\w+):1>", r"\1", name))
            truth.check((LUA, os.path.join(PROGRAMS, "lua_truth.lua"), program("liblua_shadow.so")), RIGHT)
            shown(folder, script, evaluation)
            check_outside(folder, [LUA, script, "outside"], ["function <app.lua:24>"])  # by a tail call
        else:
            skip("functions of Lua", reason)
        check_unsupported(folder, "lua_other", "Lua functions have no names: this dwell supports Lua 5.4.4, not 5.9")
    done()


main()
