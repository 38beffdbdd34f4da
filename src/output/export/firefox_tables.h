/* SPDX-License-Identifier: MIT
 *
 * firefox_tables.h - the Firefox Profiler's tables of a thread, which refer to each other by index:
 * a sample has a stack, a stack a frame and its caller's stack, a frame a function and a symbol,
 * and functions and symbols are in libraries. Libraries, sources and texts are shared by all
 * threads.
 */
#ifndef DWELL_OUTPUT_EXPORT_FIREFOX_TABLES_H
#define DWELL_OUTPUT_EXPORT_FIREFOX_TABLES_H

#include "model/profile/profile.h"
#include "string_table.h"

/* Maps numbers of something else to indexes in order of first use. */
struct firefox_list {
	uint64_t *items;
	size_t count;
	struct hash by_item; /* -> index */
};

/* The tables shared by all threads. All zeroes at first but for the profile. */
struct firefox_common {
	const struct profile *profile;
	struct string_table strings;
	struct string_table sources;
	const char **function_sources; /* of each function of the profile; NULL: unknown */
	struct firefox_list libs;      /* objects of the symbolizer, by number */
	bool failed;                   /* out of memory: numbers are wrong */
};

struct firefox_frame {
	uint32_t number; /* in the profile */
	uint32_t inline_depth;
	uint32_t function; /* index in functions */
	uint32_t symbol;   /* index in symbols; HASH_NONE: it is in no library */
};

struct firefox_tables {
	struct firefox_common *common;
	struct firefox_list stacks;   /* caller's index + 1, and the frame's index */
	struct firefox_list by_frame; /* numbers of frames in the profile; same indexes as below */
	struct firefox_frame *frames;
	struct firefox_list functions; /* numbers in the profile */
	struct firefox_list
		symbols; /* numbers in the profile, of functions that are in libraries */
	struct firefox_list resources; /* indexes in libs */
};

void firefox_tables_init(struct firefox_tables *tables, struct firefox_common *common);
void firefox_tables_free(struct firefox_tables *tables);
void firefox_common_free(struct firefox_common *common);

/* Returns the index of a stack of the profile. */
uint32_t firefox_tables_stack(struct firefox_tables *tables, const struct profile_stack *stack);

/* Returns the index of a function's library in libs, or HASH_NONE. */
uint32_t firefox_common_lib(struct firefox_common *common, const struct function *function);

/* Returns the index of a number, which is added if it is new. */
uint32_t firefox_list_place(struct firefox_list *list, uint64_t item, bool *failed);

#endif
