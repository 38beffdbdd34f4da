/* SPDX-License-Identifier: MIT
 *
 * unmapping.h - parts of the recording that are mapped here, and that processes which have ended
 * will write to no more. Their last samples may still be given their weights: so they stay for a
 * while, and are unmapped when that is done. A process may have no more than some 65,000 mappings,
 * and those that a watched one starts in a day may be more than that.
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

/* Where there is no memory to remember it, it stays mapped. */
void unmapping_add(struct unmapping *unmapping, void *start, size_t bytes);

/* Unmaps all, but for the part that `kept` is in; NULL: none is kept. */
void unmapping_unmap(struct unmapping *unmapping, const void *kept);

void unmapping_free(struct unmapping *unmapping);

#endif
