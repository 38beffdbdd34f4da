-- SPDX-License-Identifier: MIT
--
-- lua_truth.lua LIBRARY SECONDS - a program whose native stack says what its Lua stack is.
--
-- Each function f_K is called through the native function shadow_K of LIBRARY (lua_shadow.c): so a stack that has both can be
-- checked. From f_K on, Lua calls Lua, through functions of its own in C as well: inline_K, then one of the leaves of that number.
-- Functions of Lua have no names: so each has a source of its own, which is called like it.

local COUNT, DEPTH = 8, 6
local shadow = assert(package.loadlib(arg[1], "luaopen_liblua_shadow"))()

local SOURCES = {
	spin_K = [[function(n)
		local total = 0
		for i = 1, n do total = total + i * i % 7 end
		return total
	end]],
	compare_K = "function(a, b) spin_K(5) return a < b end",
	leaf_sorted_K = [[function(n)
		local list = {}
		for i = 1, n do list[i] = n - i end
		table.sort(list, compare_K)
		return #list
	end]],
	replaced_K = "function(word) spin_K(5) return word end",
	leaf_replaced_K = [[function(n) return (string.gsub("a b c", "%a", replaced_K)) end]],
	raise_K = "function(n) if n > 0 then raise_K(n - 1) end error('raised') end",
	leaf_raised_K = "function(n) pcall(raise_K, n) return (spin_K(n)) end",
	-- A tail call leaves nothing of its caller.
	tail_K = "function(n) return (spin_K(n)) end",
	leaf_tail_K = "function(n) return tail_K(n) end",
	add_K = "function(a, b) spin_K(8) return a end",
	close_K = "function() spin_K(8) end",
	leaf_made_K = [[function(n)
		local made <close> = setmetatable({}, made_K)
		return made + made
	end]],
	-- Its function goes on after a yield, inside of a protected call.
	inside_K = "function(n) spin_K(n) coroutine.yield(n) return (spin_K(n)) end",
	body_K = "function(n) pcall(inside_K, n) return (spin_K(n)) end",
	leaf_coroutine_K = [[function(n)
		local go = coroutine.wrap(body_K)
		go(n)
		return (go())
	end]],
	inline_K = [[function(depth)
		go_on(depth)
		leaf_sorted_K(8)
		leaf_replaced_K(8)
		leaf_raised_K(8)
		leaf_tail_K(30)
		leaf_made_K(8)
		leaf_coroutine_K(30)
	end]],
	f_K = "function(depth) inline_K(depth) end",
}

local function define(name, source)
	_G[name] = assert(load("return " .. source, "=" .. name))()
end

local random = math.random
_G.shadow, _G.random, _G.COUNT = shadow, random, COUNT
define("go_on", "function(depth) if depth > 0 then call(random(0, COUNT - 1), depth - 1) end end")
define("call", "function(number, depth) shadow[number](_G['f_' .. number], depth) end")
define("main", [[function(seconds)
	local started = os.clock()
	while os.clock() - started < seconds do call(random(0, COUNT - 1), DEPTH) end
end]])
_G.DEPTH = DEPTH
for number = 0, COUNT - 1 do
	for name, source in pairs(SOURCES) do
		define((name:gsub("_K", "_" .. number)), (source:gsub("_K", "_" .. number)))
	end
	_G["made_" .. number] = { __add = _G["add_" .. number], __close = _G["close_" .. number] }
end
math.randomseed(1)
main(tonumber(arg[2]))
