/* SPDX-License-Identifier: MIT */
#include "map_tree.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/bisect.h"

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static int collect_edges(struct map_tree *tree, size_t count, struct err *err)
{
	size_t kept = 0;

	tree->edges = calloc(2 * count, sizeof(*tree->edges));
	if (!tree->edges)
		return err_no_memory(err);
	for (size_t i = 0; i < count; i++) {
		tree->edges[2 * i] = tree->events[i].start;
		tree->edges[2 * i + 1] = tree->events[i].end;
	}
	qsort(tree->edges, 2 * count, sizeof(*tree->edges), compare);
	for (size_t i = 0; i < 2 * count; i++)
		if (kept == 0 || tree->edges[kept - 1] != tree->edges[i])
			tree->edges[kept++] = tree->edges[i];
	tree->edge_count = kept;
	for (tree->leaves = 1; tree->leaves < kept; tree->leaves *= 2)
		;
	return 0;
}

static uint64_t edge_at(const void *edges, size_t i)
{
	return ((const uint64_t *)edges)[i];
}

/* Finds the piece that an address is in: the last edge up to it. False: it is before all. */
static bool piece_of(const struct map_tree *tree, uint64_t address, size_t *piece)
{
	size_t before = bisect(edge_at, tree->edges, tree->edge_count, address);

	*piece = before - 1;
	return before > 0;
}

/* Visits the nodes of an event: the fewest that cover all of its pieces and no others. With
 * members, stores it there; else only counts it, one node further on, so that sums become start
 * indices. */
static void place(struct map_tree *tree, size_t event, uint32_t *at)
{
	size_t low, high;

	if (!piece_of(tree, tree->events[event].start, &low) ||
	    !piece_of(tree, tree->events[event].end, &high))
		return;
	for (low += tree->leaves, high += tree->leaves; low < high; low /= 2, high /= 2) {
		size_t nodes[2], count = 0;

		if (low & 1)
			nodes[count++] = low++;
		if (high & 1)
			nodes[count++] = --high;
		while (count--) {
			if (tree->members)
				tree->members[at[nodes[count]]++] = (uint32_t)event;
			else
				tree->begins[nodes[count] + 1]++;
		}
	}
}

static int fill(struct map_tree *tree, size_t count, struct err *err)
{
	size_t nodes = 2 * tree->leaves;
	uint32_t *at = calloc(nodes, sizeof(*at)), *members;

	tree->begins = calloc(nodes + 1, sizeof(*tree->begins));
	if (!at || !tree->begins) {
		free(at);
		return err_no_memory(err);
	}
	for (size_t i = 0; i < count; i++)
		place(tree, i, NULL);
	for (size_t i = 0; i < nodes; i++) {
		tree->begins[i + 1] += tree->begins[i];
		at[i] = tree->begins[i];
	}
	members = calloc((size_t)tree->begins[nodes] + 1, sizeof(*members));
	tree->members = members;
	for (size_t i = 0; members && i < count; i++)
		place(tree, i, at);
	free(at);
	return members ? 0 : err_no_memory(err);
}

int map_tree_build(struct map_tree *tree, const struct map_event *events, size_t count,
		   struct err *err)
{
	int status;

	*tree = (struct map_tree){ .events = events };
	if (count == 0)
		return 0;
	/* An event is in at most 2 * 32 nodes; so all members can be counted in 32 bits. */
	if (count > UINT32_MAX / 128)
		return err_set(err, EINVAL, "the recording is damaged: it contains too many maps");
	status = collect_edges(tree, count, err);
	if (!status)
		status = fill(tree, count, err);
	if (status)
		map_tree_free(tree);
	return status;
}

void map_tree_free(struct map_tree *tree)
{
	free(tree->edges);
	free(tree->begins);
	free(tree->members);
	*tree = (struct map_tree){ 0 };
}

/* Takes the event of one node that is nearer to the time than the result so far. */
static void look(const struct map_tree *tree, size_t node, uint64_t time, size_t *last,
		 size_t *next)
{
	uint32_t low = tree->begins[node], high = tree->begins[node + 1], end = high;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (tree->events[tree->members[middle]].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > tree->begins[node] && (*last == MAP_TREE_NONE || *last < tree->members[low - 1]))
		*last = tree->members[low - 1];
	if (low<end && * next> tree->members[low])
		*next = tree->members[low];
}

void map_tree_find(const struct map_tree *tree, uint64_t address, uint64_t time, size_t *last,
		   size_t *next)
{
	size_t piece;

	*last = *next = MAP_TREE_NONE;
	if (!tree->leaves || !piece_of(tree, address, &piece))
		return;
	for (size_t node = tree->leaves + piece; node; node /= 2)
		look(tree, node, time, last, next);
}
