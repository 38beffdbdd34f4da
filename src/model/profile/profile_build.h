/* SPDX-License-Identifier: MIT
 *
 * profile_build.h - makes a profile of names and sums that come from elsewhere than a recording. It
 * has no addresses, maps or single samples; rows, trees and comparisons are made of it as of any
 * other.
 */
#ifndef DWELL_MODEL_PROFILE_PROFILE_BUILD_H
#define DWELL_MODEL_PROFILE_PROFILE_BUILD_H

#include "model/diff/match.h"
#include "profile.h"

/* A profile with the texts that it points to. Must not be moved. */
struct profile_build {
	struct profile profile; /* complete after profile_build_finish() */
	struct match_table functions, objects, threads;
	uint32_t *frame_of; /* per function of that table */
	uint32_t *depth_of; /* per node */
	size_t depth_room;
};

/* On success, free with profile_build_free(). */
int profile_build_init(struct profile_build *build, struct err *err);
void profile_build_free(struct profile_build *build);

/* Finds the node of a function that is called by another node, or by PROFILE_ROOT. Each returns 0
 * or -errno. */
int profile_build_node(struct profile_build *build, uint32_t caller, const char *name,
		       const char *object, uint32_t *node, struct err *err);

/* Adds the samples of a node alone, in a thread of this name. */
int profile_build_add(struct profile_build *build, const char *thread, uint32_t node,
		      struct profile_amount amount, struct err *err);

int profile_build_finish(struct profile_build *build, struct err *err);

/* Makes single samples of the sums, for pages and comparisons: equal ones of each stack, without a
 * time. If there were more than so many, each stands for several, and noise seems larger than it
 * is. */
int profile_build_samples(struct profile_build *build, size_t most, struct err *err);

#endif
