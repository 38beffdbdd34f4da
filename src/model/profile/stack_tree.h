/* SPDX-License-Identifier: MIT
 *
 * stack_tree.h - all stacks as one tree of functions, with a place in it for each stack: so a stack
 * is one number, and common parts are stored once. Nothing is summed up.
 */
#ifndef DWELL_MODEL_PROFILE_STACK_TREE_H
#define DWELL_MODEL_PROFILE_STACK_TREE_H

#include "profile.h"

/* A function, as called by those on the way to the root. */
struct stack_node {
	uint32_t function; /* of the root: none */
	uint32_t depth;    /* of the root: 0 */
};

/* Each node comes before those below it, and these before all others: so depths define the tree. */
struct stack_tree {
	struct stack_node *nodes; /* the first is the root */
	size_t count;
	uint32_t *places; /* node of each of the profile's stacks; the root if excluded */
};

/* Makes the tree. On success, free with stack_tree_free(). */
int stack_tree_make(struct stack_tree *tree, const struct profile *profile, struct err *err);
void stack_tree_free(struct stack_tree *tree);

#endif
