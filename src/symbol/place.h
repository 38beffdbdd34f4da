/* SPDX-License-Identifier: MIT
 *
 * place.h - what is known of one address of a file: the functions that its code is of, and lines of
 * their source.
 */
#ifndef DWELL_SYMBOL_PLACE_H
#define DWELL_SYMBOL_PLACE_H

#include <stddef.h>
#include <stdint.h>

/* Of functions that are inlined in each other deeper than that, the outer ones are not told. */
#define PLACE_DEPTH 64

/* Texts belong to who was asked. The same function has the same symbol, as a pointer, and the same
 * start, whether it is inlined or not. */
struct place_frame {
	const char *symbol; /* as it is in the file; NULL: nobody knows */
	uint64_t start; /* of the function; by its unwind table if it has no symbol; else the place.
			 * 0: it is only ever inlined */
	const char
		*source; /* the file that it was compiled from; NULL: unknown, or not asked for */
	uint32_t line;   /* of that; 0: unknown, or none in particular */
};

struct place {
	uint64_t address; /* as the file counts: less the bias */
	size_t depth;     /* at least 1 */
	/* The innermost first, with the line that the code is of; each other one with the line that
	 * the one before it was called in. The last is the function that is really there; all
	 * before it are inlined. */
	struct place_frame frames[PLACE_DEPTH];
};

/* The function that is really there. */
static inline struct place_frame *place_function(struct place *place)
{
	return &place->frames[place->depth - 1];
}

#endif
