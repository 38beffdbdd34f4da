/* SPDX-License-Identifier: MIT
 *
 * firefox_tables.h - the tables that the Firefox Profiler has for each thread, which refer to each
 * other by number: samples have a stack, a stack a frame and the stack of its caller, a frame a
 * function and a symbol, and functions and symbols are in libraries. Libraries, sources and texts
 * are common to all threads.
 */
#ifndef DWELL_OUTPUT_EXPORT_FIREFOX_TABLES_H
#define DWELL_OUTPUT_EXPORT_FIREFOX_TABLES_H

#include "model/profile/profile.h"
#include "string_table.h"

/* Numbers in order of their first use, for numbers of something else. */
struct firefox_list {
	uint64_t *items;
	size_t count;
	struct hash by_item; /* -> place */
};

/* What all threads have in common. Starts as all zeroes but for the profile. */
struct firefox_common {
	const struct profile *profile;
	struct string_table strings;
	struct string_table sources;
	const char **function_sources; /* of each function of the profile; NULL: unknown */
	struct firefox_list libs;      /* objects of the symbolizer, by number */
	bool failed;                   /* there was no memory, and numbers are wrong */
};

struct firefox_frame {
	uint32_t number; /* in the profile */
	uint32_t inline_depth;
	uint32_t function; /* a place in functions */
	uint32_t symbol;   /* a place in symbols; HASH_NONE: it is in no library */
};

struct firefox_tables {
	struct firefox_common *common;
	struct firefox_list stacks;   /* caller's place + 1, and the frame's place */
	struct firefox_list by_frame; /* numbers of frames in the profile; places as below */
	struct firefox_frame *frames;
	struct firefox_list functions; /* numbers in the profile */
	struct firefox_list
		symbols; /* numbers in the profile, of functions that are in libraries */
	struct firefox_list resources; /* places in libs */
};

void firefox_tables_init(struct firefox_tables *tables, struct firefox_common *common);
void firefox_tables_free(struct firefox_tables *tables);
void firefox_common_free(struct firefox_common *common);

/* The place of a stack of the profile. */
uint32_t firefox_tables_stack(struct firefox_tables *tables, const struct profile_stack *stack);

/* The place of the library of a function among libs; HASH_NONE: it is in none. */
uint32_t firefox_common_lib(struct firefox_common *common, const struct function *function);

/* The place of a number; it is added if it is new. */
uint32_t firefox_list_place(struct firefox_list *list, uint64_t item, bool *failed);

#endif
