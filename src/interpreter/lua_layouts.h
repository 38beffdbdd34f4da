/* SPDX-License-Identifier: MIT
 *
 * lua_layouts.h - made by lua_layouts.py from the source of each release; do not edit.
 */
#ifndef DWELL_INTERPRETER_LUA_LAYOUTS_H
#define DWELL_INTERPRETER_LUA_LAYOUTS_H

#include "lua.h"

static const struct lua_layout layouts[] = {
	{
		.release = 50404,
		.state_frame = 32,
		.state_stack = 48,
		.state_stack_end = 40,
		.state_bytes = 200,
		.state_type = 8,
		.object_type = 8,
		.frame_function = 0,
		.frame_previous = 16,
		.frame_op = 32,
		.frame_status = 62,
		.frame_bytes = 64,
		.status_native = 2,
		.status_fresh = 4,
		.value_type = 8,
		.value_bytes = 16,
		.type_closure = 70,
		.closure_code = 24,
		.code_type = 10,
		.code_count = 24,
		.code_ops = 64,
		.code_lines = 88,
		.code_line_count = 28,
		.code_places = 96,
		.code_place_count = 40,
		.code_line = 44,
		.code_line_end = 48,
		.code_source = 112,
		.code_bytes = 128,
		.op_bytes = 4,
		.text_short = 4,
		.text_short_length = 11,
		.text_length = 16,
		.text = 24,
	},
};

#endif
