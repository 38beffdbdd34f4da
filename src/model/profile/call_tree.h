/* SPDX-License-Identifier: MIT
 *
 * call_tree.h - all stacks laid on top of each other: who calls whom, and what that took. Top-down
 * from the outermost functions, or bottom-up from those that samples were in to their callers.
 */
#ifndef DWELL_MODEL_PROFILE_CALL_TREE_H
#define DWELL_MODEL_PROFILE_CALL_TREE_H

#include "profile.h"

/* A function, as called by those on the way to the root. */
struct call_node {
	uint32_t function;
	uint32_t depth;  /* 0: it is at the beginning of stacks */
	uint32_t parent; /* as those below, a place among the nodes; HASH_NONE: there is none */
	uint32_t child;
	uint32_t sibling;
	uint32_t children; /* how many of them are worth showing */
	bool is_inlined;   /* it was never called there, but is part of another function's code */
	struct profile_amount self;
	struct profile_amount total; /* with all that is below it */
};

struct call_tree {
	struct call_node *nodes; /* each before its children; siblings from the largest down */
	size_t count;
	size_t left_out; /* of what was met: calls that are below the threshold */
};

enum call_tree_way { CALL_TREE_DOWN, CALL_TREE_UP };

/* Nodes with less than that part (0...1) of the time of all are left out. On success,
 * call_tree_free() is due. */
int call_tree_make(struct call_tree *tree, const struct profile *profile, enum call_tree_way way,
		   double threshold, struct err *err);
void call_tree_free(struct call_tree *tree);

#endif
