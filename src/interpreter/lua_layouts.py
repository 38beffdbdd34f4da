#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lua_layouts.py SOURCE... - prints lua_layouts.h: where Lua keeps what a walk reads, for each release whose source is in
a folder SOURCE: no package has these headers.

The committed table was made from Lua's own release 5.4.4:

    src/interpreter/lua_layouts.py lua-5.4.4/src
"""
from layouts import main, row

PROGRAM = r"""
#include <lua.h>
#include <lobject.h>
#include <lstate.h>
#include <lopcodes.h>
#include <ldebug.h>
#include <stddef.h>
#include <stdio.h>

#define SHOW(name, value) printf("\t\t.%s = %d,\n", name, (int)(value))

int main(void)
{
	printf("\t{\n");
	SHOW("release", LUA_VERSION_RELEASE_NUM);
	SHOW("state_frame", offsetof(lua_State, ci));
	SHOW("state_stack", offsetof(lua_State, stack));
	SHOW("state_stack_end", offsetof(lua_State, stack_last));
	SHOW("state_bytes", sizeof(lua_State));
	SHOW("state_type", LUA_VTHREAD);
	SHOW("object_type", offsetof(GCObject, tt));
	SHOW("frame_function", offsetof(CallInfo, func));
	SHOW("frame_previous", offsetof(CallInfo, previous));
	SHOW("frame_op", offsetof(CallInfo, u.l.savedpc));
	SHOW("frame_status", offsetof(CallInfo, callstatus));
	SHOW("frame_bytes", sizeof(CallInfo));
	SHOW("status_native", CIST_C);
	SHOW("status_fresh", CIST_FRESH);
	SHOW("value_type", offsetof(TValue, tt_));
	SHOW("value_bytes", sizeof(TValue));
	SHOW("type_closure", ctb(LUA_VLCL));
	SHOW("closure_code", offsetof(LClosure, p));
	SHOW("code_type", LUA_VPROTO);
	SHOW("code_count", offsetof(Proto, sizecode));
	SHOW("code_ops", offsetof(Proto, code));
	SHOW("code_lines", offsetof(Proto, lineinfo));
	SHOW("code_line_count", offsetof(Proto, sizelineinfo));
	SHOW("code_places", offsetof(Proto, abslineinfo));
	SHOW("code_place_count", offsetof(Proto, sizeabslineinfo));
	SHOW("code_line", offsetof(Proto, linedefined));
	SHOW("code_line_end", offsetof(Proto, lastlinedefined));
	SHOW("code_source", offsetof(Proto, source));
	SHOW("code_bytes", sizeof(Proto));
	SHOW("op_bytes", sizeof(Instruction));
	SHOW("text_short", LUA_VSHRSTR);
	SHOW("text_short_length", offsetof(TString, shrlen));
	SHOW("text_length", offsetof(TString, u.lnglen));
	SHOW("text", offsetof(TString, contents));
	printf("\t},\n");
	return 0;
}
"""


def row_of(folder):
    return row(PROGRAM, ["-I", folder])


if __name__ == "__main__":
    main(__doc__, "lua", "the source of each release", row_of)
