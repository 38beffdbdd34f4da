/* SPDX-License-Identifier: MIT
 *
 * php.h - PHP: what its versions keep where.
 */
#ifndef DWELL_INTERPRETER_PHP_H
#define DWELL_INTERPRETER_PHP_H

#include "interpreter.h"

/* Offsets of fields, by php_layouts.py. */
struct php_layout {
	int32_t version; /* major * 100 + minor */
	/* Sizes of global variables, by which it is recognised. */
	int32_t executor_bytes, compiler_bytes;
	int32_t frame_op, frame_function, frame_info, frame_previous, frame_bytes;
	int32_t info_top; /* of the outermost frame of an activation */
	int32_t function_type, type_user, type_eval;
	int32_t function_name, function_class, function_ops, function_op_count, function_file,
		function_line, function_line_end, function_bytes;
	int32_t class_name;
	int32_t text_length, text;
	int32_t op_line, op_bytes; /* an instruction */
};

#endif
