/* SPDX-License-Identifier: MIT
 *
 * cut_taken.h - remembers what earlier pieces of a recording contain: how many samples of each item
 * that is still being filled, and the values of counters that grow.
 */
#ifndef DWELL_RECORDING_MAKE_CUT_TAKEN_H
#define DWELL_RECORDING_MAKE_CUT_TAKEN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"

/* An item, or the head of a process, identified by its offset in the file. */
struct cut_mark {
	uint64_t offset;
	uint32_t count; /* samples that pieces contain */
	uint64_t time;  /* reached by them */
	char *copy;     /* its counters as pieces contain them; NULL: none */
	size_t size;    /* of the copy */
};

/* Starts as all zeroes; free with cut_taken_free(). */
struct cut_taken {
	struct cut_mark *marks;
	size_t count;
	struct hash by_offset; /* -> index in marks */
};

/* Returns NULL if nothing of it was taken. */
const struct cut_mark *cut_taken_find(const struct cut_taken *taken, uint64_t offset);

/* Returns the copy of an item if it is at least that long, otherwise NULL. */
const void *cut_taken_copy(const struct cut_taken *taken, uint64_t offset, size_t size);

/* Adds a mark. The second copies the bytes. Return 0 or -errno. */
int cut_taken_add(struct cut_taken *taken, const struct cut_mark *mark, struct err *err);
int cut_taken_keep(struct cut_taken *taken, uint64_t offset, const void *bytes, size_t size,
		   struct err *err);

void cut_taken_free(struct cut_taken *taken);

#endif
