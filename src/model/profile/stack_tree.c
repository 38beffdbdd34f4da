/* SPDX-License-Identifier: MIT */
#include "stack_tree.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"
#include "profile_nodes.h"

#define ROOT 0

/* A node while the tree is built. The rest are indices of nodes; HASH_NONE: none. */
struct branch {
	uint32_t function;
	uint32_t parent, child, sibling;
};

/* Nodes in the order in which they are met. */
struct growing {
	const struct profile *profile;
	struct branch *branches;
	size_t count;
	struct hash by_call; /* parent and function -> branch */
};

static int add_branch(struct growing *growing, uint32_t parent, uint32_t function)
{
	struct branch *more = vec_room(growing->branches, growing->count, sizeof(*more));

	if (!more || growing->count >= HASH_NONE)
		return -ENOMEM;
	growing->branches = more;
	more[growing->count] = (struct branch){
		.function = function, .parent = parent, .child = HASH_NONE, .sibling = HASH_NONE
	};
	if (parent != HASH_NONE) {
		more[growing->count].sibling = more[parent].child;
		more[parent].child = (uint32_t)growing->count;
	}
	growing->count++;
	return 0;
}

/* Steps from a node to that of a function it calls. */
static int step(struct growing *growing, uint32_t *node, uint32_t function)
{
	uint32_t *place = hash_place(&growing->by_call, (uint64_t)*node << 32 | function);

	if (!place)
		return -ENOMEM;
	if (*place == HASH_NONE) {
		if (add_branch(growing, *node, function))
			return -ENOMEM;
		*place = (uint32_t)growing->count - 1;
	}
	*node = *place;
	return 0;
}

/* Adds all stacks. Nodes come after their callers. Nodes that occur only in excluded stacks have
 * none. */
static int add_stacks(struct growing *growing, uint32_t *places)
{
	const struct profile *profile = growing->profile;
	uint32_t *branch_of = calloc(profile->node_count, sizeof(*branch_of));
	struct profile_amount *totals = profile_nodes_totals(profile);
	int status = branch_of && totals ? add_branch(growing, HASH_NONE, HASH_NONE) : -ENOMEM;

	for (uint32_t i = PROFILE_ROOT + 1; i < profile->node_count && !status; i++) {
		branch_of[i] = branch_of[profile->nodes[i].caller];
		if (totals[i].samples)
			status = step(growing, &branch_of[i], profile_node_function(profile, i));
	}
	for (size_t i = 0; i < profile->stack_count && !status; i++)
		places[i] =
			profile->stacks[i].is_left_out ? ROOT : branch_of[profile->stacks[i].node];
	free(branch_of);
	free(totals);
	return status;
}

/* Returns the next one, where each comes before those below it. `depth` is that of the node. */
static uint32_t next_branch(const struct branch *branches, uint32_t at, uint32_t *depth)
{
	if (branches[at].child != HASH_NONE) {
		(*depth)++;
		return branches[at].child;
	}
	while (at != HASH_NONE && branches[at].sibling == HASH_NONE) {
		at = branches[at].parent;
		(*depth)--;
	}
	return at == HASH_NONE ? HASH_NONE : branches[at].sibling;
}

/* Sorts the nodes, and stores in `moved` where each went. */
static void arrange(struct stack_tree *tree, const struct branch *branches, uint32_t *moved)
{
	uint32_t depth = 0;

	for (uint32_t at = ROOT; at != HASH_NONE; at = next_branch(branches, at, &depth)) {
		moved[at] = (uint32_t)tree->count;
		tree->nodes[tree->count++] =
			(struct stack_node){ .function = branches[at].function, .depth = depth };
	}
}

static int finish(struct stack_tree *tree, const struct growing *growing)
{
	uint32_t *moved = calloc(growing->count, sizeof(*moved));

	tree->nodes = calloc(growing->count, sizeof(*tree->nodes));
	if (!moved || !tree->nodes) {
		free(moved);
		return -ENOMEM;
	}
	arrange(tree, growing->branches, moved);
	for (size_t i = 0; i < growing->profile->stack_count; i++)
		tree->places[i] = moved[tree->places[i]];
	free(moved);
	return 0;
}

int stack_tree_make(struct stack_tree *tree, const struct profile *profile, struct err *err)
{
	struct growing growing = { .profile = profile };
	int status;

	*tree = (struct stack_tree){ .places = calloc(profile->stack_count + 1, sizeof(uint32_t)) };
	status = tree->places ? add_stacks(&growing, tree->places) : -ENOMEM;
	if (!status)
		status = finish(tree, &growing);
	free(growing.branches);
	hash_free(&growing.by_call);
	if (status) {
		stack_tree_free(tree);
		return err_no_memory(err);
	}
	return 0;
}

void stack_tree_free(struct stack_tree *tree)
{
	free(tree->nodes);
	free(tree->places);
	*tree = (struct stack_tree){ 0 };
}
