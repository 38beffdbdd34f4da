/* SPDX-License-Identifier: MIT
 *
 * fixed.h - addresses in low memory, for jumps that do not depend on where they are executed: a
 * program may copy a function, with the jump at its entry, and call the copy. There are none on
 * CPUs whose jumps contain the address.
 */
#ifndef DWELL_ENTRY_FIXED_H
#define DWELL_ENTRY_FIXED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fixed {
	uint64_t start;
	size_t size; /* in bytes; 0: there is no memory */
	size_t count;
	bool is_ready; /* for fixed_add() */
};

/* Maps memory for so many addresses; none are needed: maps nothing. Returns 0 or -errno. */
int fixed_begin(struct fixed *fixed, size_t count);

/* Returns what arch_entry_fixed_jump() takes: the place in which the address was stored, or the
 * address itself. Called at most `count` times. */
uint64_t fixed_add(struct fixed *fixed, uint64_t address);

/* Makes them read-only. Returns 0 or -errno. */
int fixed_finish(const struct fixed *fixed);

void fixed_drop(const struct fixed *fixed);

#endif
