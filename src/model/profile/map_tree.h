/* SPDX-License-Identifier: MIT
 *
 * map_tree.h - finds the last of many events, each of which covers some addresses, before an
 * instant. All addresses at which an event begins or ends divide the address space into pieces. The
 * tree is over those; each node has the events that cover all of it and not all of its parent: so
 * an event is in few nodes, and all events that cover an address are on the way from the root to
 * its piece.
 */
#ifndef DWELL_MODEL_PROFILE_MAP_TREE_H
#define DWELL_MODEL_PROFILE_MAP_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "recording/format.h"

/* A map or unmap event. */
struct map_event {
	uint64_t time, start, end;
	const struct record_map *map;       /* NULL: unmapped, or a script */
	const struct record_script *script; /* NULL: not one */
	size_t order;                       /* in the file */
};

struct map_tree {
	const struct map_event *events; /* by time; owned by the caller */
	uint64_t *edges;                /* of pieces, in order */
	size_t edge_count;
	size_t leaves;     /* a power of two; 0: no events */
	uint32_t *begins;  /* index of the first event of each node; one more than nodes */
	uint32_t *members; /* events of all nodes, by time in each */
};

#define MAP_TREE_NONE SIZE_MAX

/* Builds a tree. The events must be sorted by time, and outlive the tree. On success, free with
 * map_tree_free(). */
int map_tree_build(struct map_tree *tree, const struct map_event *events, size_t count,
		   struct err *err);
void map_tree_free(struct map_tree *tree);

/* Finds the last event at an address up to a time and the first one behind it; each may be
 * MAP_TREE_NONE. */
void map_tree_find(const struct map_tree *tree, uint64_t address, uint64_t time, size_t *last,
		   size_t *next);

#endif
