/* SPDX-License-Identifier: MIT
 *
 * ruby_layouts.h - made by ruby_layouts.py from the headers of each version; do not edit.
 */
#ifndef DWELL_INTERPRETER_RUBY_LAYOUTS_H
#define DWELL_INTERPRETER_RUBY_LAYOUTS_H

#include "ruby.h"

static const struct ruby_layout layouts[] = {
	{
		.version = 301,
		.context_stack = 0,
		.context_stack_words = 8,
		.context_frame = 16,
		.context_bytes = 24,
		.frame_pc = 0,
		.frame_code = 16,
		.frame_ep = 32,
		.frame_bytes = 64,
		.flags = 0,
		.flag_finish = 32,
		.flag_native = 128,
		.code_mask = 61471,
		.code_type = 28698,
		.code_body = 16,
		.body_words = 4,
		.body_start = 8,
		.body_path = 64,
		.body_label = 80,
		.body_line = 88,
		.body_line_end = 108,
		.body_places = 120,
		.body_place_count = 136,
		.body_index = 144,
		.body_bytes = 152,
		.place_line = 0,
		.place_bytes = 12,
		.type_mask = 31,
		.type_text = 5,
		.type_list = 7,
		.text_outside = 8192,
		.text_inside_shift = 14,
		.text_inside_mask = 31,
		.text_length = 16,
		.text_data = 24,
		.text_inside = 16,
		.list_inside_flag = 8192,
		.list_data = 32,
		.list_inside = 16,
	},
};

#endif
