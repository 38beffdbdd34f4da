/* SPDX-License-Identifier: MIT
 *
 * lua_shadow.c - a module of Lua with functions that call a function each, and so leave their
 * number in the native stack: see lua_truth.lua. Lua's headers are not needed for so little.
 */
#include <stddef.h>
#include <stdint.h>

struct lua_State;
int luaopen_liblua_shadow(struct lua_State *lua);
void lua_createtable(struct lua_State *lua, int list, int named);
void lua_pushcclosure(struct lua_State *lua, int (*function)(struct lua_State *), int values);
void lua_rawseti(struct lua_State *lua, int index, long long key);
void lua_callk(struct lua_State *lua, int arguments, int results, intptr_t context, void *next);

/* shadow_K(function, depth) */
#define SHADOW(number)                                                                             \
	int shadow_##number(struct lua_State *lua);                                                \
	int shadow_##number(struct lua_State *lua)                                                 \
	{                                                                                          \
		lua_callk(lua, 1, 0, 0, NULL);                                                     \
		return 0;                                                                          \
	}

SHADOW(0)
SHADOW(1)
SHADOW(2)
SHADOW(3)
SHADOW(4)
SHADOW(5)
SHADOW(6)
SHADOW(7)

/* Returns a table of them, from 0 on. */
int luaopen_liblua_shadow(struct lua_State *lua)
{
	static int (*const functions[])(struct lua_State *) = { shadow_0, shadow_1, shadow_2,
								shadow_3, shadow_4, shadow_5,
								shadow_6, shadow_7 };

	lua_createtable(lua, 8, 0);
	for (int i = 0; i < 8; i++) {
		lua_pushcclosure(lua, functions[i], 0);
		lua_rawseti(lua, -2, i);
	}
	return 1;
}
