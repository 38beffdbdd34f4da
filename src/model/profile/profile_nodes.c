/* SPDX-License-Identifier: MIT */
#include "profile_nodes.h"

#include <stdlib.h>

/* The stack being looked at. */
struct profile_path {
	uint32_t node;
	uint32_t frames[]; /* long enough for the deepest one */
};

int profile_nodes_init(struct profile *profile, struct err *err)
{
	uint32_t root;

	return prefix_tree_find(&profile->tree, HASH_NONE, FRAME_NOWHERE, &root)
		       ? err_no_memory(err)
		       : 0;
}

int profile_nodes_finish(struct profile *profile, struct err *err)
{
	uint32_t deepest = 0;

	for (size_t i = 0; i < profile->stack_count; i++)
		if (profile->stacks[i].depth > deepest)
			deepest = profile->stacks[i].depth;
	profile->path = malloc(sizeof(*profile->path) + deepest * sizeof(uint32_t));
	prefix_tree_close(&profile->tree);
	if (!profile->path || prefix_links_make(&profile->links, &profile->tree))
		return err_no_memory(err);
	profile->path->node = HASH_NONE;
	return 0;
}

void profile_nodes_free(struct profile *profile)
{
	prefix_tree_free(&profile->tree);
	prefix_links_free(&profile->links);
	free(profile->path);
}

const uint32_t *profile_frames(const struct profile *profile, const struct profile_stack *stack)
{
	struct profile_path *path = profile->path;
	size_t depth = 0;

	if (path->node == stack->node)
		return path->frames;
	path->node = stack->node;
	for (uint32_t i = stack->node; i != PROFILE_ROOT; i = profile->tree.nodes[i].caller)
		path->frames[depth++] = profile->tree.nodes[i].key;
	return path->frames;
}

static void add(struct profile_amount *amount, const struct profile_amount *more)
{
	amount->samples += more->samples;
	amount->ns += more->ns;
}

struct profile_amount *profile_nodes_totals(const struct profile *profile)
{
	struct profile_amount *totals = calloc(profile->tree.count, sizeof(*totals));

	for (size_t i = 0; totals && i < profile->stack_count; i++)
		if (!profile->stacks[i].is_left_out)
			add(&totals[profile->stacks[i].node], &profile->stacks[i].amount);
	for (size_t i = profile->tree.count; totals && i-- > PROFILE_ROOT + 1;)
		add(&totals[profile->tree.nodes[i].caller], &totals[i]);
	return totals;
}

void profile_nodes_walk(const struct profile *profile, const struct profile_walk *walk)
{
	const uint32_t *first = profile->links.first, *next = profile->links.next;
	uint32_t at = first[PROFILE_ROOT];

	while (at != HASH_NONE && at != PROFILE_ROOT) {
		walk->enter(walk->argument, at);
		if (first[at] != HASH_NONE) {
			at = first[at];
			continue;
		}
		while (at != PROFILE_ROOT && next[at] == HASH_NONE) {
			walk->leave(walk->argument, at);
			at = profile->tree.nodes[at].caller;
		}
		if (at != PROFILE_ROOT) {
			walk->leave(walk->argument, at);
			at = next[at];
		}
	}
}
