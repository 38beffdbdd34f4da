/* SPDX-License-Identifier: MIT
 *
 * imbalance.h - how uneven the time of each function is among groups of processes, mostly ranks. A
 * parallel program waits for its slowest rank: time above the mean is time in which others wait.
 */
#ifndef DWELL_MODEL_IMBALANCE_H
#define DWELL_MODEL_IMBALANCE_H

#include "groups.h"
#include "model/calls/calls.h"
#include "model/profile/profile.h"

/* The time of a function, or of all functions, in each group. A group without it counts as 0. Texts
 * belong to the profile, the calls or the groups. */
struct imbalance_row {
	const char *name;
	const char *object;
	uint64_t min_ns, max_ns;
	uint64_t sum_ns;
	uint64_t mean_ns;
	uint64_t saved_ns; /* max - mean: if the groups wait for each other, and all were even */
	const char *most;  /* the group with the maximum, the first of several */
	uint32_t present;  /* groups with any time */
};

struct imbalance {
	struct imbalance_row *rows; /* by the time that would be saved */
	size_t count;
	struct imbalance_row whole; /* all functions together; has no name */
};

/* Compares self time, by samples. On success, free with imbalance_free(). */
int imbalance_of_samples(struct imbalance *imbalance, const struct profile *profile,
			 const struct groups *groups, struct err *err);

/* Compares the time in calls, which must have rows by these groups: self time, or total time if
 * only a part of the calls was timed. */
int imbalance_of_calls(struct imbalance *imbalance, const struct calls *calls,
		       const struct groups *groups, struct err *err);

void imbalance_free(struct imbalance *imbalance);

#endif
