/* SPDX-License-Identifier: MIT
 *
 * profile_nodes.h - the tree of a profile's stacks. Facts about all stacks are found by one walk
 * over the tree, in time proportional to its nodes: following each stack would take the product of
 * their number and depth.
 */
#ifndef DWELL_MODEL_PROFILE_PROFILE_NODES_H
#define DWELL_MODEL_PROFILE_PROFILE_NODES_H

#include "profile.h"

/* Makes the root. */
int profile_nodes_init(struct profile *profile, struct err *err);

/* Makes stacks available, once all are added. */
int profile_nodes_finish(struct profile *profile, struct err *err);

void profile_nodes_free(struct profile *profile);

/* Returns the sum of the stacks through each node, without those that the filter excludes. Free
 * with free(); NULL: no memory. */
struct profile_amount *profile_nodes_totals(const struct profile *profile);

/* Called for each node but the root: before everything below it, and after that. */
struct profile_walk {
	void (*enter)(void *argument, uint32_t node);
	void (*leave)(void *argument, uint32_t node);
	void *argument;
};

void profile_nodes_walk(const struct profile *profile, const struct profile_walk *walk);

#endif
