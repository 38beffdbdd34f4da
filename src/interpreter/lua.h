/* SPDX-License-Identifier: MIT
 *
 * lua.h - Lua: what its releases keep where.
 */
#ifndef DWELL_INTERPRETER_LUA_H
#define DWELL_INTERPRETER_LUA_H

#include "interpreter.h"

/* Offsets of fields, by lua_layouts.py. */
struct lua_layout {
	int32_t release;     /* 50404: 5.4.4 */
	int32_t state_frame; /* the innermost */
	int32_t state_stack, state_stack_end, state_bytes, state_type;
	int32_t object_type; /* of any object */
	int32_t frame_function, frame_previous, frame_op, frame_status, frame_bytes;
	int32_t status_native, status_fresh; /* a function in C; the outermost of an activation */
	int32_t value_type, value_bytes, type_closure;
	int32_t closure_code;
	int32_t code_type, code_count, code_ops, code_lines, code_line_count, code_places,
		code_place_count, code_line, code_line_end, code_source, code_bytes;
	int32_t op_bytes; /* an instruction */
	int32_t text_short, text_short_length, text_length, text;
};

#endif
