/* SPDX-License-Identifier: MIT */
#include "stack_tree.h"

#include <stdlib.h>

#include "profile_nodes.h"

#define ROOT 0

/* Adds all stacks. Nodes come after their callers. Nodes that occur only in excluded stacks have
 * none. */
static int add_stacks(struct prefix_tree *growing, const struct profile *profile, uint32_t *places)
{
	uint32_t *branch_of = calloc(profile->tree.count, sizeof(*branch_of));
	struct profile_amount *totals = profile_nodes_totals(profile);
	uint32_t root;
	int status = -ENOMEM;

	if (branch_of && totals)
		status = prefix_tree_find(growing, HASH_NONE, HASH_NONE, &root);
	for (uint32_t i = PROFILE_ROOT + 1; i < profile->tree.count && !status; i++) {
		branch_of[i] = branch_of[profile->tree.nodes[i].caller];
		if (totals[i].samples)
			status = prefix_tree_find(growing, branch_of[i],
						  profile_node_function(profile, i), &branch_of[i]);
	}
	for (size_t i = 0; i < profile->stack_count && !status; i++)
		places[i] =
			profile->stacks[i].is_left_out ? ROOT : branch_of[profile->stacks[i].node];
	free(branch_of);
	free(totals);
	return status;
}

/* Sorts the nodes, and stores in `moved` where each went. */
static int arrange(struct stack_tree *tree, const struct prefix_tree *growing, uint32_t *moved)
{
	struct prefix_links links;
	int status = prefix_links_make(&links, growing);

	for (uint32_t at = ROOT; at != HASH_NONE && !status;
	     at = prefix_links_next(&links, growing, at)) {
		const struct prefix_node *node = &growing->nodes[at];
		uint32_t depth = at == ROOT ? 0 : tree->nodes[moved[node->caller]].depth + 1;

		moved[at] = (uint32_t)tree->count;
		tree->nodes[tree->count++] =
			(struct stack_node){ .function = node->key, .depth = depth };
	}
	prefix_links_free(&links);
	return status;
}

static int finish(struct stack_tree *tree, const struct prefix_tree *growing, size_t stack_count)
{
	uint32_t *moved = calloc(growing->count, sizeof(*moved));
	int status = -ENOMEM;

	tree->nodes = calloc(growing->count, sizeof(*tree->nodes));
	if (moved && tree->nodes)
		status = arrange(tree, growing, moved);
	for (size_t i = 0; i < stack_count && !status; i++)
		tree->places[i] = moved[tree->places[i]];
	free(moved);
	return status;
}

int stack_tree_make(struct stack_tree *tree, const struct profile *profile, struct err *err)
{
	struct prefix_tree growing = { 0 };
	int status;

	*tree = (struct stack_tree){ .places = calloc(profile->stack_count + 1, sizeof(uint32_t)) };
	status = tree->places ? add_stacks(&growing, profile, tree->places) : -ENOMEM;
	if (!status)
		status = finish(tree, &growing, profile->stack_count);
	prefix_tree_free(&growing);
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
