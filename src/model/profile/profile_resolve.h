/* SPDX-License-Identifier: MIT
 *
 * profile_resolve.h - converts recorded stacks of addresses to stacks of frames, and counts what
 * recordings report about their sampling. Parts of profile.c.
 */
#ifndef DWELL_MODEL_PROFILE_PROFILE_RESOLVE_H
#define DWELL_MODEL_PROFILE_PROFILE_RESOLVE_H

#include "profile.h"
#include "sampled.h"

struct profile_resolve_place {
	const struct maps_process *process;   /* NULL: unknown */
	const struct sampled_process *frames; /* of that process; NULL: none */
	uint32_t thread;
	uint64_t time;
};

/* State of resolving the stacks of one run. Starts as all zeroes except for the first two. */
struct profile_resolving {
	struct profile *profile;
	enum profile_scripts scripts; /* which frames are shown */
	struct profile_known *known;  /* per frame of sampled.h */
	size_t count;
	size_t first;               /* the run's first one in profile.stacks */
	struct profile_span *spans; /* of its stacks, in their order */
};

/* Forgets a run, and goes on to the next. */
void profile_resolving_clear(struct profile_resolving *resolving);

/* Resolves the stack of a recorded frame, or NULL, in a thread at a time: the same result for all
 * samples for which it is the same. NULL: no memory. */
struct profile_stack *profile_resolve(struct profile_resolving *resolving,
				      struct sampled_frame *frame,
				      const struct profile_resolve_place *place, struct err *err);

/* Fills in the totals that do not come from single samples. */
int profile_count(struct profile *profile, const struct reader *reader, struct err *err);

#endif
