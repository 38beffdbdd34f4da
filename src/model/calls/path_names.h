/* SPDX-License-Identifier: MIT
 *
 * path_names.h - the meaning of paths in a recording: numbers of callers of several processes
 * become nodes of one tree, and functions of the same name in the same object are one. Part of
 * calls_tree.c.
 */
#ifndef DWELL_MODEL_CALLS_PATH_NAMES_H
#define DWELL_MODEL_CALLS_PATH_NAMES_H

#include "base/hash.h"
#include "calls_tree.h"
#include "model/prefix_tree.h"
#include "names.h"

struct path_names {
	const struct names *names;
	struct prefix_tree tree; /* of functions; the first node is the root */
	struct calls_tree_function *functions;
	size_t function_count;
	struct hash by_item;   /* FUNCTION -> index in functions */
	struct hash by_text;   /* key of a function's texts -> the same */
	struct hash by_caller; /* CALLER -> node */
};

/* Starts with the root, and with CALLS_TREE_LOST. Returns 0 or -ENOMEM, as those below; on both,
 * free with path_names_free(). */
int path_names_init(struct path_names *paths, const struct names *names);
void path_names_free(struct path_names *paths);

/* Finds the node of a function that was called by the caller of that number. A caller that had no
 * room, or is missing or damaged, is CALLS_TREE_LOST. process: NULL if unknown. */
int path_names_call(struct path_names *paths, const struct names_process *process,
		    uint32_t function, uint32_t caller, uint32_t *node);

/* Hands the functions over to a tree. */
void path_names_take(struct path_names *paths, struct calls_tree *tree);

#endif
