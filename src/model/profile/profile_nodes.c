/* SPDX-License-Identifier: MIT */
#include "profile_nodes.h"

#include <stdlib.h>

#include "base/vec.h"

/* The stack being looked at. */
struct profile_path {
	uint32_t node;
	uint32_t frames[]; /* long enough for the deepest one */
};

static int append(struct profile *profile, const struct profile_node *node, struct err *err)
{
	struct profile_node *more = vec_room(profile->nodes, profile->node_count, sizeof(*more));

	if (!more || profile->node_count >= HASH_NONE)
		return err_no_memory(err);
	profile->nodes = more;
	profile->nodes[profile->node_count++] = *node;
	return 0;
}

int profile_nodes_init(struct profile *profile, struct err *err)
{
	struct profile_node root = { .frame = FRAME_NOWHERE,
				     .caller = HASH_NONE,
				     .callee = HASH_NONE,
				     .sibling = HASH_NONE };

	return append(profile, &root, err);
}

int profile_nodes_find(struct profile *profile, struct hash *by_call, uint32_t caller,
		       uint32_t frame, uint32_t *node, struct err *err)
{
	uint32_t *place = hash_place(by_call, (uint64_t)caller << 32 | frame);

	if (!place)
		return err_no_memory(err);
	if (*place == HASH_NONE) {
		struct profile_node added = { .frame = frame,
					      .caller = caller,
					      .callee = HASH_NONE,
					      .sibling = profile->nodes[caller].callee };
		int status = append(profile, &added, err);

		if (status)
			return status;
		*place = (uint32_t)profile->node_count - 1;
		profile->nodes[caller].callee = *place;
	}
	*node = *place;
	return 0;
}

int profile_nodes_finish(struct profile *profile, struct err *err)
{
	uint32_t deepest = 0;

	for (size_t i = 0; i < profile->stack_count; i++)
		if (profile->stacks[i].depth > deepest)
			deepest = profile->stacks[i].depth;
	profile->path = malloc(sizeof(*profile->path) + deepest * sizeof(uint32_t));
	if (!profile->path)
		return err_no_memory(err);
	profile->path->node = HASH_NONE;
	return 0;
}

void profile_nodes_free(struct profile *profile)
{
	free(profile->nodes);
	free(profile->path);
}

const uint32_t *profile_frames(const struct profile *profile, const struct profile_stack *stack)
{
	struct profile_path *path = profile->path;
	size_t depth = 0;

	if (path->node == stack->node)
		return path->frames;
	path->node = stack->node;
	for (uint32_t i = stack->node; i != PROFILE_ROOT; i = profile->nodes[i].caller)
		path->frames[depth++] = profile->nodes[i].frame;
	return path->frames;
}

static void add(struct profile_amount *amount, const struct profile_amount *more)
{
	amount->samples += more->samples;
	amount->ns += more->ns;
}

struct profile_amount *profile_nodes_totals(const struct profile *profile)
{
	struct profile_amount *totals = calloc(profile->node_count, sizeof(*totals));

	for (size_t i = 0; totals && i < profile->stack_count; i++)
		if (!profile->stacks[i].is_left_out)
			add(&totals[profile->stacks[i].node], &profile->stacks[i].amount);
	for (size_t i = profile->node_count; totals && i-- > PROFILE_ROOT + 1;)
		add(&totals[profile->nodes[i].caller], &totals[i]);
	return totals;
}

void profile_nodes_walk(const struct profile *profile, const struct profile_walk *walk)
{
	const struct profile_node *nodes = profile->nodes;
	uint32_t at = nodes[PROFILE_ROOT].callee;

	while (at != HASH_NONE && at != PROFILE_ROOT) {
		walk->enter(walk->argument, at);
		if (nodes[at].callee != HASH_NONE) {
			at = nodes[at].callee;
			continue;
		}
		while (at != PROFILE_ROOT && nodes[at].sibling == HASH_NONE) {
			walk->leave(walk->argument, at);
			at = nodes[at].caller;
		}
		if (at != PROFILE_ROOT) {
			walk->leave(walk->argument, at);
			at = nodes[at].sibling;
		}
	}
}
