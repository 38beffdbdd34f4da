/* SPDX-License-Identifier: MIT
 *
 * symbols.h - the functions of the running program itself: where each begins, and its name.
 *
 * The names come from the symbol table in the program's file, the addresses are those in memory:
 * a position-independent program lies higher than its file says, by the load bias.
 */
#ifndef DWELL_EXAMPLES_SYMBOLS_H
#define DWELL_EXAMPLES_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct function {
	uintptr_t start;
	size_t size;
	const char *name;
};

struct symbols {
	uintptr_t text_start; /* the program's instructions are here, */
	size_t text_size;     /* up to text_start + text_size */
	struct function *functions;
	size_t count;

	const void *file; /* what the names point into */
	size_t file_size;
};

/* NULL when it went well, else what is wrong, in words. */
const char *symbols_open(struct symbols *symbols);
void symbols_close(struct symbols *symbols);

/* The function that address lies in, or NULL. */
const struct function *symbols_find(const struct symbols *symbols, uintptr_t address);

#endif
