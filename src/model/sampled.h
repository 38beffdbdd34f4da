/* SPDX-License-Identifier: MIT
 *
 * sampled.h - the stacks of a recording by their numbers, and which process the items of a segment
 * are of.
 */
#ifndef DWELL_MODEL_SAMPLED_H
#define DWELL_MODEL_SAMPLED_H

#include "base/err.h"
#include "base/hash.h"
#include "record/reader.h"

/* A stack as it was recorded. */
struct sampled_stack {
	const struct record_stack *record;
	uint32_t first; /* in the profile: what it was resolved to; HASH_NONE: not yet */
};

/* A process's stacks are numbered as they come, so that places by number are an array. */
struct sampled_process {
	uint32_t *places; /* in the stacks of all */
	size_t count;
};

/* Starts as all zeroes. */
struct sampled {
	struct sampled_stack *stacks;
	size_t count;
	struct sampled_process *processes;
	size_t process_count;
	struct hash by_offset; /* of a PROCESS segment -> place in processes */
	struct hash others;    /* process and number of a stack that is out of order -> place in
				* stacks */
};

/* Finds all stacks. On success and failure, sampled_free() is due. */
int sampled_read(struct sampled *sampled, const struct reader *reader, struct err *err);
void sampled_free(struct sampled *sampled);

/* Whether a segment may have stacks and samples, and then where the segment of their process is. */
bool sampled_owner(const struct reader *reader, const struct reader_segment *segment,
		   uint64_t *process);

/* The number of the process; HASH_NONE: it has no stacks. */
uint32_t sampled_process(const struct sampled *sampled, uint64_t offset);

/* NULL: there is none. */
struct sampled_stack *sampled_stack(const struct sampled *sampled, uint32_t process, uint32_t id);

#endif
