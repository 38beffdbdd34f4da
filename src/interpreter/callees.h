/* SPDX-License-Identifier: MIT
 *
 * callees.h - finds a function that an object does not export: a large one that an exported one
 * calls, as evaluation functions are; and checks that a function is compiled as expected. Functions
 * are known by the index of call frame information (.eh_frame_hdr).
 */
#ifndef DWELL_INTERPRETER_CALLEES_H
#define DWELL_INTERPRETER_CALLEES_H

#include "dynsym.h"

/* Returns the first function of at least so many bytes that a function calls by itself, or through
 * others that are smaller: at most `through` of them, one after the other. *end receives the start
 * of the next function. 0: there is none. Any context. */
uintptr_t callees_find(const struct dynsym *symbols, uintptr_t function, size_t least_bytes,
		       int through, uintptr_t *end);

/* Returns true if the first bytes of a function have these instructions, one after the other with
 * any code between. Each ends with a 0. Any context. */
bool callees_starts(const struct dynsym *symbols, uintptr_t function,
		    const char *const *instructions, size_t count);

#endif
