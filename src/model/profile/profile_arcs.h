/* SPDX-License-Identifier: MIT
 *
 * profile_arcs.h - calls counted by functions built with -pg: exact numbers, by call site.
 */
#ifndef DWELL_MODEL_PROFILE_PROFILE_ARCS_H
#define DWELL_MODEL_PROFILE_PROFILE_ARCS_H

#include "profile.h"

/* Adds the arcs of all processes that the filter selects to the profile, in the order of the
 * recording: the same may occur several times. They have no thread and no time. Returns 0 or
 * -errno. */
int profile_arcs_read(struct profile *profile, const struct reader *reader,
		      const struct profile_filter *filter, struct err *err);

/* Returns the number of calls in all processes, without resolving them. */
uint64_t profile_arcs_sum(const struct reader *reader);

#endif
