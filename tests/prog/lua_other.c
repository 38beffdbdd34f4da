/* SPDX-License-Identifier: MIT
 *
 * lua_other.c - looks like an interpreter of Lua of an unknown release.
 */
#include "record_load.h"

const char lua_ident[] = "$LuaVersion: Lua 5.9.1  Copyright (C) PUC-Rio $";
int lua_newstate;

DEFINE_BURNER(luaV_execute)

int main(void)
{
	luaV_execute(0.1);
	return lua_newstate;
}
