/* SPDX-License-Identifier: MIT
 *
 * profile_resolve.h - from recorded stacks of addresses to those of functions, and what recordings
 * say of their sampling. Parts of profile.c.
 */
#ifndef DWELL_MODEL_PROFILE_RESOLVE_H
#define DWELL_MODEL_PROFILE_RESOLVE_H

#include "model/profile.h"
#include "model/sampled.h"

struct profile_resolve_place {
	const struct maps_process *process; /* NULL: unknown */
	uint32_t thread;
	uint64_t time;
};

/* The stack that a recorded one, or NULL, means in a thread at a time: the same one for all samples
 * for which it is the same. NULL: no memory. */
struct profile_stack *profile_resolve(struct profile *profile, struct sampled_stack *stack,
				      const struct profile_resolve_place *place, struct err *err);

/* Fills in the totals that do not come from single samples. */
int profile_count(struct profile *profile, const struct reader *reader, struct err *err);

#endif
