/* SPDX-License-Identifier: MIT
 *
 * unmapping.h - parts of the recording that are mapped here for processes that have ended. Weights
 * of their last samples may still change: so they stay for a while, and are unmapped afterwards. A
 * process may have no more than some 65,000 mappings, and a watched process may start more
 * processes than that in a day.
 */
#ifndef DWELL_ATTACH_UNMAPPING_H
#define DWELL_ATTACH_UNMAPPING_H

#include <stddef.h>

struct unmapping_part {
	char *start;
	size_t bytes;
};

/* Starts as all zeroes. */
struct unmapping {
	struct unmapping_part *parts;
	size_t count;
};

/* Adds a part. Without memory to remember it, it stays mapped. */
void unmapping_add(struct unmapping *unmapping, void *start, size_t bytes);

/* Unmaps all, except for the part that `kept` is in; NULL: keeps none. */
void unmapping_unmap(struct unmapping *unmapping, const void *kept);

void unmapping_free(struct unmapping *unmapping);

#endif
