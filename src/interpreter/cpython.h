/* SPDX-License-Identifier: MIT
 *
 * cpython.h - CPython: what its versions keep where, and how its texts are read. cpython.c walks,
 * cpython_text.c names.
 */
#ifndef DWELL_INTERPRETER_CPYTHON_H
#define DWELL_INTERPRETER_CPYTHON_H

#include "interpreter.h"

/* Offsets of fields, by cpython_layouts.py. */
struct cpython_layout {
	uint32_t version; /* major and minor, a byte each */
	int32_t runtime_key, runtime_has_key;
	int32_t runtime_current;      /* 0: it has none */
	int32_t runtime_interpreters; /* the first of a list, the newest; the oldest is: */
	int32_t runtime_main;
	int32_t interpreter_next, interpreter_threads;
	int32_t thread_next; /* each of which has a list of thread states */
	int32_t thread_id;
	int32_t thread_frame;                  /* its innermost cframe, or frame */
	int32_t cframe_frame, cframe_previous; /* -1: it has no cframes */
	int32_t frame_code, frame_previous, frame_instruction;
	int32_t frame_unit; /* bytes of the code that its instruction counts; 0: it is an address */
	int32_t frame_owner;
	int32_t frame_is_entry;    /* 0: entry frames are of their own, and ... */
	int32_t frame_stack_owner; /* ... have this owner */
	int32_t frame_bytes;
	int32_t code_units;        /* number of instructions, which follow the object; or ... */
	int32_t code_instructions; /* ... the object that has them; then frames are objects, too */
	int32_t code_line, code_file, code_name, code_table, code_bytes;
	int32_t type_basic, type_item; /* sizes that a type has */
	int32_t text_length, text_state, text_ascii, text_wide;
	int32_t bytes_length, bytes_data;
};

/* Implements describe() of struct interpreter. */
bool cpython_describe(struct peek *peek, const struct interpreter_found *found, uintptr_t code,
		      struct script_facts *facts);

#endif
