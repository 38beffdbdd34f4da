/* SPDX-License-Identifier: MIT
 *
 * fixed.h - addresses in low memory, for jumps that do not depend on where they are executed: a
 * program may copy a function, with the jump at its entry, and call the copy.
 */
#ifndef DWELL_ENTRY_FIXED_H
#define DWELL_ENTRY_FIXED_H

#include <stddef.h>
#include <stdint.h>

struct fixed {
	uint64_t start;
	size_t size; /* in bytes; 0: there is no memory */
	size_t count;
};

/* Maps memory for so many addresses; none are needed: maps nothing. Returns 0 or -errno. */
int fixed_begin(struct fixed *fixed, size_t count);

/* Returns the place in which the address was stored. Called at most `count` times. */
uint64_t fixed_add(struct fixed *fixed, uint64_t address);

/* Makes them read-only. Returns 0 or -errno. */
int fixed_finish(const struct fixed *fixed);

void fixed_drop(const struct fixed *fixed);

#endif
