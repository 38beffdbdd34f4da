/* SPDX-License-Identifier: MIT
 *
 * scratch.h - memory for one survey, straight from the kernel and freed as a whole. The auditor's
 * libc is not notified of the program's forks, so its malloc() could find its lock taken.
 */
#ifndef DWELL_ENTRY_SCRATCH_H
#define DWELL_ENTRY_SCRATCH_H

#include <stddef.h>

struct scratch_block;

/* Starts as all zeroes. */
struct scratch {
	struct scratch_block *blocks;
};

/* Returns zeroed memory, aligned to 16 bytes, or NULL. */
void *scratch_take(struct scratch *scratch, size_t size);
void scratch_free(struct scratch *scratch);

#endif
