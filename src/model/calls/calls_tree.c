/* SPDX-License-Identifier: MIT */
#include "calls_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/prefix_tree.h"
#include "names.h"
#include "path_names.h"
#include "recording/read/timescale.h"

#define ROOT 0

/* The sums of a node, in ticks. */
struct sums {
	struct calls_tree_node node;
	uint64_t total; /* as unsigned numbers, which add up even if one is negative */
	uint64_t self;
};

/* A tree while it is read. */
struct reading {
	struct names names;
	struct path_names paths;
	struct sums *sums; /* of the nodes of the paths */
	size_t count;      /* of sums */
	struct timescale scale;
};

bool calls_tree_exists(const struct reader *reader)
{
	return reader->header.flags & RECORD_BY_PATH;
}

/* Makes room for the sums of all nodes that there are by now. */
static int make_room(struct reading *reading)
{
	while (reading->count < reading->paths.tree.count) {
		struct sums *more = vec_room(reading->sums, reading->count, sizeof(*more));

		if (!more)
			return -ENOMEM;
		reading->sums = more;
		more[reading->count++] = (struct sums){ 0 };
	}
	return 0;
}

static void add_counts(struct calls_tree_node *node, const struct record_calls *item)
{
	node->calls += item->calls;
	node->returned += item->returned;
	node->escaped += item->escaped;
	node->abandoned += item->abandoned;
	node->untimed += item->untimed;
}

static int add_item(struct reading *reading, const struct names_process *process,
		    const struct record_calls *item)
{
	struct sums *sums;
	uint32_t node;
	int status = path_names_call(&reading->paths, process, item->function, item->caller, &node);

	if (!status)
		status = make_room(reading);
	if (status)
		return status;
	sums = &reading->sums[node];
	add_counts(&sums->node, item);
	if (reader_has_times(item)) {
		sums->total += item->sum - item->again;
		sums->self += (uint64_t)item->self;
	}
	return 0;
}

/* Returns the process of a segment of a thread; NULL: unknown. */
static const struct names_process *process_of(const struct reading *reading,
					      const struct reader *reader,
					      const struct reader_segment *segment)
{
	if (segment->kind == RECORD_COUNTS)
		segment = reader_segment_at(reader, segment->owner);
	return segment && segment->kind == RECORD_THREAD
		       ? names_process(&reading->names, segment->owner)
		       : NULL;
}

static int read_calls(struct reading *reading, const struct reader *reader)
{
	int status = 0;

	for (size_t i = 0; i < reader->count && !status; i++) {
		const struct reader_segment *segment = &reader->segments[i];
		const struct record_item *item = NULL;
		const struct names_process *process;

		if (segment->kind != RECORD_THREAD && segment->kind != RECORD_COUNTS)
			continue;
		process = process_of(reading, reader, segment);
		while (!status && (item = reader_next(segment, item)))
			if (item->kind == RECORD_CALLS)
				status = add_item(reading, process,
						  (const struct record_calls *)item);
	}
	return status ? status : make_room(reading);
}

/* ---- times ---- */

/* A sum in ticks that becomes nanoseconds part by part. */
struct rounding {
	uint64_t ticks, ns;
};

/* Returns the nanoseconds of the next part: so many that all parts up to it have those of their
 * sum. */
static uint64_t part_of(struct rounding *rounding, const struct timescale *scale, uint64_t ticks)
{
	uint64_t ns, before = rounding->ns;

	rounding->ticks += ticks;
	ns = (int64_t)rounding->ticks > 0 ? timescale_ns(scale, (double)rounding->ticks) : 0;
	if (ns <= before)
		return 0;
	rounding->ns = ns;
	return ns - before;
}

static int by_function(const void *left, const void *right, void *argument)
{
	const struct prefix_node *nodes = argument;
	const uint32_t *a = left, *b = right;

	if (nodes[*a].key != nodes[*b].key)
		return nodes[*a].key < nodes[*b].key ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

static void put_times(struct reading *reading, const uint32_t *order)
{
	const struct prefix_node *nodes = reading->paths.tree.nodes;
	struct rounding total = { 0 }, self = { 0 };

	for (size_t i = 0; i + 1 < reading->count; i++) {
		struct sums *sums = &reading->sums[order[i]];
		struct calls_tree_node *node = &sums->node;
		uint64_t ended = node->returned + node->escaped + node->abandoned + node->untimed;

		if (i == 0 || nodes[order[i]].key != nodes[order[i - 1]].key)
			total = self = (struct rounding){ 0 };
		node->function = nodes[order[i]].key;
		node->running = node->calls > ended ? node->calls - ended : 0;
		node->timed = node->returned;
		node->total_ns = part_of(&total, &reading->scale, sums->total);
		node->self_ns = part_of(&self, &reading->scale, sums->self);
		node->subtree_ns = node->self_ns;
	}
	for (size_t i = reading->count - 1; i > ROOT; i--)
		reading->sums[nodes[i].caller].node.subtree_ns += reading->sums[i].node.subtree_ns;
}

/* Sets the times of all nodes, function by function. */
static int measure(struct reading *reading)
{
	uint32_t *order = calloc(reading->count, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 1; i < reading->count; i++)
		order[i - 1] = (uint32_t)i;
	qsort_r(order, reading->count - 1, sizeof(*order), by_function, reading->paths.tree.nodes);
	put_times(reading, order);
	free(order);
	return 0;
}

/* ---- the result ---- */

static int link_nodes(const struct reading *reading, struct prefix_links *links, uint64_t least)
{
	uint64_t *values = calloc(reading->count, sizeof(*values));
	int status;

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < reading->count; i++)
		values[i] = reading->sums[i].node.subtree_ns;
	status = prefix_links_make_sorted(links, &reading->paths.tree, values, least);
	free(values);
	return status;
}

/* Copies the linked nodes, without the root. */
static int flatten(struct calls_tree *tree, const struct reading *reading,
		   const struct prefix_links *links)
{
	const struct prefix_tree *paths = &reading->paths.tree;
	uint32_t *places = calloc(reading->count, sizeof(*places));

	tree->nodes = calloc(reading->count, sizeof(*tree->nodes));
	if (!places || !tree->nodes) {
		free(places);
		return -ENOMEM;
	}
	for (uint32_t at = links->first[ROOT]; at != HASH_NONE;
	     at = prefix_links_next(links, paths, at)) {
		struct calls_tree_node *node = &tree->nodes[tree->count];
		uint32_t caller = paths->nodes[at].caller;

		places[at] = (uint32_t)tree->count++;
		*node = reading->sums[at].node;
		node->parent = caller == ROOT ? HASH_NONE : places[caller];
		node->depth = caller == ROOT ? 0 : tree->nodes[node->parent].depth + 1;
	}
	tree->left_out = reading->count - 1 - tree->count;
	free(places);
	return 0;
}

/* Returns the calls below the lost callers: they have no further ones. */
static uint64_t lost_calls_of(const struct reading *reading)
{
	const struct prefix_node *nodes = reading->paths.tree.nodes;
	uint64_t calls = 0;

	for (size_t i = 1; i < reading->count; i++)
		if (nodes[i].caller != ROOT && nodes[nodes[i].caller].key == CALLS_TREE_LOST)
			calls += reading->sums[i].node.calls;
	return calls;
}

static int make(struct calls_tree *tree, struct reading *reading, double threshold)
{
	struct prefix_links links = { 0 };
	double least;
	int status = measure(reading);

	if (status)
		return status;
	tree->all_ns = reading->sums[ROOT].node.subtree_ns;
	tree->lost_calls = lost_calls_of(reading);
	least = (double)tree->all_ns * threshold;
	status = link_nodes(reading, &links, least < 1.8e19 ? (uint64_t)least : UINT64_MAX);
	if (!status)
		status = flatten(tree, reading, &links);
	prefix_links_free(&links);
	path_names_take(&reading->paths, tree);
	return status;
}

int calls_tree_make(struct calls_tree *tree, const struct reader *reader, double threshold,
		    struct err *err)
{
	struct reading reading = { .scale = timescale_of(&reader->header) };
	int status = names_read(&reading.names, reader, err);

	*tree = (struct calls_tree){ 0 };
	if (status)
		return status;
	status = path_names_init(&reading.paths, &reading.names);
	if (!status)
		status = read_calls(&reading, reader);
	if (!status)
		status = make(tree, &reading, threshold);
	path_names_free(&reading.paths);
	names_free(&reading.names);
	free(reading.sums);
	if (status) {
		calls_tree_free(tree);
		return err_no_memory(err);
	}
	return 0;
}

void calls_tree_free(struct calls_tree *tree)
{
	for (size_t i = 0; i < tree->function_count; i++)
		free(tree->functions[i].name);
	free(tree->functions);
	free(tree->nodes);
	*tree = (struct calls_tree){ 0 };
}
