/* SPDX-License-Identifier: MIT
 *
 * profile_arcs.h - calls that functions built with -pg have counted themselves: exact numbers, by
 * the place that each was called from.
 */
#ifndef DWELL_MODEL_PROFILE_PROFILE_ARCS_H
#define DWELL_MODEL_PROFILE_PROFILE_ARCS_H

#include "profile.h"

/*
 * Those of all processes that the filter wants, in the order of the recording: the same may be
 * there several times. They have no thread and no time. Adds them to the profile. 0 or -errno.
 */
int profile_arcs_read(struct profile *profile, const struct reader *reader,
		      const struct profile_filter *filter, struct err *err);

/* How many calls there are, of all processes; without a look at what they are of. */
uint64_t profile_arcs_sum(const struct reader *reader);

#endif
