/* SPDX-License-Identifier: MIT
 *
 * perl.h - offsets in versions of Perl. perl.c finds it and its native
 * frames, perl_contexts.c walks, perl_text.c names.
 */
#ifndef DWELL_INTERPRETER_PERL_H
#define DWELL_INTERPRETER_PERL_H

#include "interpreter.h"

/* Offsets of fields and values of flags, by perl_layouts.py. */
struct perl_layout {
	int32_t version; /* major * 100 + minor */
	int32_t state_cop, state_stack, state_runops, state_compiled, state_main_code,
		state_main_start, state_main_file, state_bytes;
	int32_t stack_contexts, stack_previous, stack_last, stack_last_function, stack_type,
		stack_bytes;
	int32_t stack_type_main, stack_type_sort;
	int32_t context_type, context_cop, context_return, context_outer, context_code,
		context_depth, context_file, context_bytes;
	int32_t type_mask, type_none, type_sub, type_format, type_eval;
	int32_t flag_repeated, flag_block, flag_text;
	int32_t value_body, value_flags, value_type_mask, value_code, value_format, value_text,
		value_bytes;
	int32_t code_start, code_root, code_stash, code_name, code_file, code_flags, code_depth,
		code_bytes, code_flag_named;
	int32_t glob_name, glob_stash;
	int32_t hash_name, hash_name_count, hash_flag;
	int32_t key_length, key_text;
	int32_t op_next, op_type, op_type_mask, op_type_line, op_type_line_debugged;
	int32_t line_number, line_file, line_bytes;
	int32_t slot_place, slot_op, slab_next, slab_head, slab_words, slab_slots;
};

/* Objects of describe(): a sub; the state; a statement of a file; the name of one; the statement
 * that runs a text: each at its address, with one of these added. */
enum perl_kind { PERL_SUB, PERL_MAIN, PERL_FILE, PERL_COMPILED, PERL_EVAL, PERL_KINDS };

/* Returns the number of activations in the contexts of a state; -1: they cannot be read. has_main:
 * the outermost one is that of the program. */
int perl_activations(struct script_walk *walk, uintptr_t state, bool has_main);

/* Adds the frames of one of them, counted from the innermost, to the walk. is_called: Perl itself
 * has called it; else it is code that C calls repeatedly. False: it is not such a one, or cannot be
 * read. */
bool perl_add_activation(struct script_walk *walk, uintptr_t state, bool has_main, int number,
			 bool is_called);

/* Returns the line of the first statement of a function, by its first operation; 0: unknown. */
uint32_t perl_first_line(struct peek *peek, const struct perl_layout *layout, uintptr_t op);

/* Implements describe() of struct interpreter. */
bool perl_describe(struct peek *peek, const struct interpreter_found *found, uintptr_t object,
		   struct script_facts *facts);

#endif
