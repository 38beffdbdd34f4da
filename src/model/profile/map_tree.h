/* SPDX-License-Identifier: MIT
 *
 * map_tree.h - finds the last of many events, each of which covers some addresses, before an
 * instant. All addresses at which an event begins or ends cut the address space into pieces. A tree
 * over those, where each node has the events that cover all of it and not all of its parent: so an
 * event is in few nodes, and what covers an address is on the way from the root to its piece.
 */
#ifndef DWELL_MODEL_PROFILE_MAP_TREE_H
#define DWELL_MODEL_PROFILE_MAP_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "recording/format.h"

/* Something was mapped, or unmapped. */
struct map_event {
	uint64_t time, start, end;
	const struct record_map *map; /* NULL: unmapped */
	size_t order;                 /* in the file */
};

struct map_tree {
	const struct map_event *events; /* by time; of the owner */
	uint64_t *edges;                /* of pieces, in order */
	size_t edge_count;
	size_t leaves;     /* a power of two; 0: there are no events */
	uint32_t *begins;  /* where the events of each node begin; one more than nodes */
	uint32_t *members; /* events of all nodes, by time in each */
};

#define MAP_TREE_NONE SIZE_MAX

/* The events must be sorted by time, and outlive the tree. On success, map_tree_free() is due. */
int map_tree_build(struct map_tree *tree, const struct map_event *events, size_t count,
		   struct err *err);
void map_tree_free(struct map_tree *tree);

/* Of the events at an address, the last one up to a time and the first one behind it; each may be
 * MAP_TREE_NONE. */
void map_tree_find(const struct map_tree *tree, uint64_t address, uint64_t time, size_t *last,
		   size_t *next);

#endif
