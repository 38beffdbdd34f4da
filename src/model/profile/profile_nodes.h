/* SPDX-License-Identifier: MIT
 *
 * profile_nodes.h - the tree that a profile's stacks are kept in. What is to be known of all stacks
 * is found by one walk over the tree, which takes as long as it has nodes: to follow each stack
 * would take the product of how many there are and how deep they are.
 */
#ifndef DWELL_MODEL_PROFILE_PROFILE_NODES_H
#define DWELL_MODEL_PROFILE_PROFILE_NODES_H

#include "base/hash.h"
#include "profile.h"

/* Makes the root. */
int profile_nodes_init(struct profile *profile, struct err *err);

/* The node of a frame below a caller's, which is added if it is new. The table, of caller and frame
 * -> node, starts as all zeroes and is the caller's. */
int profile_nodes_find(struct profile *profile, struct hash *by_call, uint32_t caller,
		       uint32_t frame, uint32_t *node, struct err *err);

/* Lets stacks be asked for: when all are there. */
int profile_nodes_finish(struct profile *profile, struct err *err);

void profile_nodes_free(struct profile *profile);

/* What stacks took that go through each node, without those that the filter leaves out. To be
 * freed; NULL: no memory. */
struct profile_amount *profile_nodes_totals(const struct profile *profile);

/* Is told of each node but the root: before all that is below it, and after that. */
struct profile_walk {
	void (*enter)(void *argument, uint32_t node);
	void (*leave)(void *argument, uint32_t node);
	void *argument;
};

void profile_nodes_walk(const struct profile *profile, const struct profile_walk *walk);

#endif
