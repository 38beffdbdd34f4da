/* SPDX-License-Identifier: MIT
 *
 * php_layouts.h - made by php_layouts.py from the headers of each version; do not edit.
 */
#ifndef DWELL_INTERPRETER_PHP_LAYOUTS_H
#define DWELL_INTERPRETER_PHP_LAYOUTS_H

#include "php.h"

static const struct php_layout layouts[] = {
	{
		.version = 802,
		.executor_bytes = 1800,
		.compiler_bytes = 568,
		.frame_op = 0,
		.frame_function = 24,
		.frame_info = 40,
		.frame_previous = 48,
		.frame_bytes = 80,
		.info_top = 131072,
		.function_type = 0,
		.type_user = 2,
		.type_eval = 4,
		.function_name = 8,
		.function_class = 16,
		.function_ops = 88,
		.function_op_count = 80,
		.function_file = 152,
		.function_line = 160,
		.function_line_end = 164,
		.function_bytes = 248,
		.class_name = 8,
		.text_length = 16,
		.text = 24,
		.op_line = 24,
		.op_bytes = 32,
	},
	{
		.version = 802,
		.executor_bytes = 1776,
		.compiler_bytes = 568,
		.frame_op = 0,
		.frame_function = 24,
		.frame_info = 40,
		.frame_previous = 48,
		.frame_bytes = 80,
		.info_top = 131072,
		.function_type = 0,
		.type_user = 2,
		.type_eval = 4,
		.function_name = 8,
		.function_class = 16,
		.function_ops = 88,
		.function_op_count = 80,
		.function_file = 152,
		.function_line = 160,
		.function_line_end = 164,
		.function_bytes = 248,
		.class_name = 8,
		.text_length = 16,
		.text = 24,
		.op_line = 24,
		.op_bytes = 32,
	},
};

#endif
