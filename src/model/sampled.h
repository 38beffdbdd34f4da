/* SPDX-License-Identifier: MIT
 *
 * sampled.h - the stacks of a recording by their numbers, and which thread the items of a segment
 * are of.
 */
#ifndef DWELL_MODEL_SAMPLED_H
#define DWELL_MODEL_SAMPLED_H

#include "base/err.h"
#include "base/hash.h"
#include "model/maps.h"
#include "record/reader.h"

/* A stack as it was recorded. */
struct sampled_stack {
	const struct record_stack *record;
	uint32_t first; /* in the profile: what it was resolved to; HASH_NONE: not yet */
};

/* A thread's stacks are numbered as they come, so that places by number are an array. */
struct sampled_thread {
	uint32_t *places; /* in the stacks of all */
	size_t count;
};

/* Starts as all zeroes. */
struct sampled {
	struct sampled_stack *stacks;
	size_t count;
	struct sampled_thread *threads;
	size_t thread_count;
	struct hash by_offset; /* of a THREAD segment -> place in threads */
	struct hash
		others; /* thread and number of a stack that is out of order -> place in stacks */
};

/* Finds all stacks. On success and failure, sampled_free() is due. */
int sampled_read(struct sampled *sampled, const struct reader *reader, struct err *err);
void sampled_free(struct sampled *sampled);

/* Whether a segment has stacks and samples, and then the number of its thread and the process. */
bool sampled_owner(const struct sampled *sampled, const struct reader *reader,
		   const struct reader_segment *segment, const struct maps *maps, uint32_t *thread,
		   const struct maps_process **process);

/* NULL: there is none. */
struct sampled_stack *sampled_stack(const struct sampled *sampled, uint32_t thread, uint32_t id);

#endif
