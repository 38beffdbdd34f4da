/* SPDX-License-Identifier: MIT
 *
 * ruby.h - Ruby: what its versions keep where.
 */
#ifndef DWELL_INTERPRETER_RUBY_H
#define DWELL_INTERPRETER_RUBY_H

#include "interpreter.h"

/* Offsets of fields, by ruby_layouts.py. */
struct ruby_layout {
	int32_t version; /* major * 100 + minor */
	int32_t context_stack, context_stack_words, context_frame, context_bytes;
	int32_t frame_pc, frame_code, frame_ep, frame_bytes;
	int32_t flags;                    /* from ep */
	int32_t flag_finish, flag_native; /* the outermost of an activation; a method in C */
	int32_t code_mask, code_type, code_body;
	int32_t body_words, body_start, body_path, body_label, body_line, body_line_end,
		body_places, body_place_count, body_index, body_bytes;
	int32_t place_line, place_bytes;
	int32_t type_mask, type_text, type_list; /* in the first word of an object */
	int32_t text_outside, text_inside_shift, text_inside_mask;
	int32_t text_length, text_data, text_inside;
	int32_t list_inside_flag, list_data, list_inside;
};

#endif
