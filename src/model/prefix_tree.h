/* SPDX-License-Identifier: MIT
 *
 * prefix_tree.h - the tree that stacks are kept in: a node is a key (a frame, a function, a unit of
 * a comparison), as called by another node. So a stack is one number, and what stacks have in
 * common is there once. Whatever else is known of nodes is kept beside the tree, by their numbers.
 */
#ifndef DWELL_MODEL_PREFIX_TREE_H
#define DWELL_MODEL_PREFIX_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* Invariant: its caller has a smaller number. */
struct prefix_node {
	uint32_t caller; /* HASH_NONE: none */
	uint32_t key;
};

/* Starts as all zeroes. */
struct prefix_tree {
	struct prefix_node *nodes;
	size_t count;
	struct hash by_call; /* of caller and key -> node */
};

void prefix_tree_free(struct prefix_tree *tree);

/* Finds the node of a key below a caller's, and adds it if it is new. Returns 0 or -ENOMEM. */
int prefix_tree_find(struct prefix_tree *tree, uint32_t caller, uint32_t key, uint32_t *node);

/* Drops all nodes but those that are marked (not HASH_NONE), with their callers; marks[] becomes
 * their new numbers. Returns 0 or -ENOMEM: all is as it was but the marks. */
int prefix_tree_compact(struct prefix_tree *tree, uint32_t *marks);

/* Gives back the memory by which nodes are found, when no more will come. */
void prefix_tree_close(struct prefix_tree *tree);

/* The way from a node to those that it calls, for trees whose first node is the root. */
struct prefix_links {
	uint32_t *first; /* that a node calls; HASH_NONE: it calls none */
	uint32_t *next;  /* of the same caller; HASH_NONE: it is the last */
};

/* Links no node yet, or all: of one caller's, what was added last comes first. Return 0 or -ENOMEM;
 * on both, free with prefix_links_free(). */
int prefix_links_init(struct prefix_links *links, const struct prefix_tree *tree);
int prefix_links_make(struct prefix_links *links, const struct prefix_tree *tree);
/* Links the nodes with at least this value, none of which has a smaller one above it: of one
 * caller's, the largest comes first, and of equal ones what was added first. */
int prefix_links_make_sorted(struct prefix_links *links, const struct prefix_tree *tree,
			     const uint64_t *values, uint64_t least);
void prefix_links_free(struct prefix_links *links);

/* Puts a node before all others of its caller. */
void prefix_links_add(struct prefix_links *links, const struct prefix_tree *tree, uint32_t node);

/* Returns the node that comes after `at` where each comes before what it calls; HASH_NONE at the
 * end. */
uint32_t prefix_links_next(const struct prefix_links *links, const struct prefix_tree *tree,
			   uint32_t at);

#endif
