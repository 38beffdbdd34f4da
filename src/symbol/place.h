/* SPDX-License-Identifier: MIT
 *
 * place.h - the functions and source lines at one address of a file.
 */
#ifndef DWELL_SYMBOL_PLACE_H
#define DWELL_SYMBOL_PLACE_H

#include <stddef.h>
#include <stdint.h>

/* Limit of nested inlined functions: outer ones beyond it are left out. */
#define PLACE_DEPTH 64

/* Texts belong to the symbolizer. The same function has the same symbol, as a pointer, and the same
 * start, inlined or not. */
struct place_frame {
	const char *symbol; /* as in the file; NULL: unknown */
	uint64_t start; /* of the function; by its unwind table if it has no symbol; else the place.
			 * 0: always inlined */
	const char *source; /* its source file; NULL: unknown, or not requested */
	uint32_t line;      /* in the source; 0: unknown, or none in particular */
};

struct place {
	uint64_t address; /* as in the file: less the bias */
	size_t depth;     /* at least 1 */
	/* The innermost first, with the line of the code; each other one with the line of the call
	 * of the one before it. The last is the function that is really there; all before it are
	 * inlined. */
	struct place_frame frames[PLACE_DEPTH];
};

/* Returns the function that is really there. */
static inline struct place_frame *place_function(struct place *place)
{
	return &place->frames[place->depth - 1];
}

#endif
