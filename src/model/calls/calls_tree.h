/* SPDX-License-Identifier: MIT
 *
 * calls_tree.h - the tree of wrapped calls, of a recording that was made with --tree: each function
 * below the wrapped function that called it, over all threads and processes.
 *
 * A function is on a path once: calls of one that is on the path already count there, see
 * docs/CALLS.md. The sums over the nodes of a function are those of its row in calls.h, in
 * nanoseconds as well: what is lost by rounding is made up for by the next node of the function.
 */
#ifndef DWELL_MODEL_CALLS_CALLS_TREE_H
#define DWELL_MODEL_CALLS_CALLS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "recording/read/reader.h"

/* The function that stands for callers without room; it has been called by none. */
#define CALLS_TREE_LOST 0

/* Texts belong to the reader, except for the name. */
struct calls_tree_function {
	char *name; /* demangled */
	const char *symbol;
	const char *version; /* NULL: none */
	const char *object;
};

/* A function, as called by those on the way to the root. */
struct calls_tree_node {
	uint32_t function;
	uint32_t depth;  /* 0: called by no wrapped function */
	uint32_t parent; /* index of a node; HASH_NONE: none */
	uint64_t calls;  /* 0: only calls below it are in the recording */
	uint64_t returned, escaped, abandoned, untimed, running;
	bool timed;          /* some returned, so the first two are valid */
	uint64_t total_ns;   /* without calls nested in calls of the same function */
	uint64_t self_ns;    /* without the time of other wrapped functions meanwhile */
	uint64_t subtree_ns; /* self time of the node and of all nodes below it */
};

struct calls_tree {
	struct calls_tree_function *functions;
	size_t function_count;
	struct calls_tree_node
		*nodes; /* each before its children; siblings from the largest down */
	size_t count;
	size_t left_out;     /* nodes below the threshold */
	uint64_t all_ns;     /* self time of all nodes, also of those left out */
	uint64_t lost_calls; /* whose callers had no room */
};

/* Returns true if the recording has paths. */
bool calls_tree_exists(const struct reader *reader);

/* Makes a tree without nodes whose subtree has less than this part (0...1) of all time. The reader
 * must outlive it. On success, free with calls_tree_free(). */
int calls_tree_make(struct calls_tree *tree, const struct reader *reader, double threshold,
		    struct err *err);
void calls_tree_free(struct calls_tree *tree);

#endif
