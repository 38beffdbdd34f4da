/* SPDX-License-Identifier: MIT
 *
 * call_tree.h - all stacks merged into a tree of calls with their time. Top-down from the outermost
 * functions, or bottom-up from the sampled ones to their callers.
 */
#ifndef DWELL_MODEL_PROFILE_CALL_TREE_H
#define DWELL_MODEL_PROFILE_CALL_TREE_H

#include "profile.h"

/* A function, as called by those on the way to the root. */
struct call_node {
	uint32_t function;
	uint32_t depth;  /* 0: at the beginning of stacks */
	uint32_t parent; /* index of a node, as those below; HASH_NONE: none */
	uint32_t child;
	uint32_t sibling;
	uint32_t children; /* number of those worth showing */
	bool is_inlined;   /* never called there: part of another function's code */
	struct profile_amount self;
	struct profile_amount total; /* with everything below it */
};

struct call_tree {
	struct call_node *nodes; /* each before its children; siblings from the largest down */
	size_t count;
	size_t left_out; /* calls below the threshold */
};

enum call_tree_way { CALL_TREE_DOWN, CALL_TREE_UP };

/* Makes a tree without nodes below this part (0...1) of the total time. On success, free with
 * call_tree_free(). */
int call_tree_make(struct call_tree *tree, const struct profile *profile, enum call_tree_way way,
		   double threshold, struct err *err);
void call_tree_free(struct call_tree *tree);

#endif
