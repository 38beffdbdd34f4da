/* SPDX-License-Identifier: MIT */
#include "call_tree.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"
#include "profile_nodes.h"

#define ROOT 0

/* A tree being built: nodes in the order in which they are met, the root first. */
struct growing {
	const struct profile *profile;
	enum call_tree_way way;
	uint64_t least_ns;
	struct profile_amount *through; /* sum through each node of the profile */
	uint32_t *open;          /* per function: how often it is on the way to the current node */
	uint64_t *totals;        /* per function, in ns */
	struct prefix_tree tree; /* of functions */
	struct prefix_links links;
	struct call_node *nodes; /* one for each of the tree */
};

static void add(struct profile_amount *amount, const struct profile_amount *more)
{
	amount->samples += more->samples;
	amount->ns += more->ns;
}

static void enter(void *argument, uint32_t node)
{
	struct growing *growing = argument;
	uint32_t function = profile_node_function(growing->profile, node);

	if (growing->open[function]++ == 0)
		growing->totals[function] += growing->through[node].ns;
}

static void leave(void *argument, uint32_t node)
{
	struct growing *growing = argument;

	growing->open[profile_node_function(growing->profile, node)]--;
}

/* Computes totals. No node has more than its function in all: so a stack is followed only up to the
 * first function below the threshold, and huge trees are never built. */
static int measure(struct growing *growing)
{
	const struct profile *profile = growing->profile;
	struct profile_walk walk = { .enter = enter, .leave = leave, .argument = growing };

	growing->through = profile_nodes_totals(profile);
	growing->open = calloc(profile->functions.count + 1, sizeof(*growing->open));
	growing->totals = calloc(profile->functions.count + 1, sizeof(*growing->totals));
	if (!growing->through || !growing->open || !growing->totals)
		return -ENOMEM;
	profile_nodes_walk(profile, &walk);
	return 0;
}

static int grow(struct growing *growing, uint32_t parent, uint32_t function, uint32_t *node)
{
	size_t count = growing->tree.count;
	struct call_node *more = vec_room(growing->nodes, count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	growing->nodes = more;
	if (prefix_tree_find(&growing->tree, parent, function, node))
		return -ENOMEM;
	if (*node == count)
		more[count] = (struct call_node){ .function = function,
						  .is_inlined = true,
						  .child = HASH_NONE,
						  .sibling = HASH_NONE };
	return 0;
}

/* Adds a node of the profile to that of its function below a parent; HASH_NONE for a function below
 * the threshold. */
static int add_frame(struct growing *growing, uint32_t parent, const struct frame *frame,
		     const struct profile_amount *total, uint32_t *node)
{
	int status = 0;

	*node = HASH_NONE;
	if (parent == HASH_NONE || growing->totals[frame->function] < growing->least_ns)
		return 0;
	status = grow(growing, parent, frame->function, node);
	if (status)
		return status;
	add(&growing->nodes[*node].total, total);
	if (frame->outer == HASH_NONE)
		growing->nodes[*node].is_inlined = false;
	return 0;
}

/* Stacks that have led to one node of the tree being built, and continue at one node of the
 * profile. */
struct strand {
	uint32_t node, at;
	struct profile_amount amount;
};

/* A level of the tree, which grows outwards from the samples. */
struct level {
	struct strand *strands;
	size_t count;
	struct hash by_place; /* node and at -> strand */
};

static int add_strand(struct level *level, const struct strand *strand)
{
	uint32_t *place = hash_place(&level->by_place, (uint64_t)strand->node << 32 | strand->at);
	struct strand *more;

	if (place && *place != HASH_NONE) {
		add(&level->strands[*place].amount, &strand->amount);
		return 0;
	}
	more = place ? vec_room(level->strands, level->count, sizeof(*more)) : NULL;
	if (!more)
		return -ENOMEM;
	level->strands = more;
	*place = (uint32_t)level->count++;
	more[*place] = *strand;
	return 0;
}

static void free_level(struct level *level)
{
	free(level->strands);
	hash_free(&level->by_place);
	*level = (struct level){ 0 };
}

/* Adds the nodes of a level, and stores in each strand the one that it has led to. */
static int grow_level(struct growing *growing, struct level *level)
{
	const struct profile *profile = growing->profile;
	int status = 0;

	for (size_t i = 0; i < level->count && !status; i++) {
		struct strand *strand = &level->strands[i];
		const struct frame *frame =
			profile_frame(profile, profile->tree.nodes[strand->at].key);
		bool is_first = strand->node == ROOT;

		status = add_frame(growing, strand->node, frame, &strand->amount, &strand->node);
		if (is_first && !status && strand->node != HASH_NONE)
			add(&growing->nodes[strand->node].self, &strand->amount);
	}
	return status;
}

/* Continues with the callers. A strand below the threshold is complete, and nothing grows from
 * it. */
static int next_level(struct growing *growing, const struct level *level, struct level *next)
{
	int status = 0;

	for (size_t i = 0; i < level->count && !status; i++) {
		struct strand strand = level->strands[i];

		strand.at = growing->profile->tree.nodes[strand.at].caller;
		if (strand.at != PROFILE_ROOT && strand.node != HASH_NONE &&
		    growing->nodes[strand.node].total.ns >= growing->least_ns)
			status = add_strand(next, &strand);
	}
	return status;
}

/* Adds stacks from the innermost frame outwards, level by level: stacks that have come to the same
 * place by the same functions continue as one, so that common parts are followed once. */
static int add_up(struct growing *growing)
{
	const struct profile *profile = growing->profile;
	struct level level = { 0 }, next = { 0 };
	int status = 0;

	for (size_t i = 0; i < profile->stack_count && !status; i++)
		if (!profile->stacks[i].is_left_out)
			status = add_strand(
				&level, &(struct strand){ .node = ROOT,
							  .at = profile->stacks[i].node,
							  .amount = profile->stacks[i].amount });
	while (level.count && !status) {
		status = grow_level(growing, &level);
		if (!status)
			status = next_level(growing, &level, &next);
		free_level(&level);
		level = next;
		next = (struct level){ 0 };
	}
	free_level(&level);
	return status;
}

/* Adds stacks from the outermost frame on, where they are a tree already, though one of frames. */
static int add_down(struct growing *growing)
{
	const struct profile *profile = growing->profile;
	uint32_t *node_of = calloc(profile->tree.count, sizeof(*node_of));
	int status = node_of ? 0 : -ENOMEM;

	for (uint32_t i = PROFILE_ROOT + 1; i < profile->tree.count && !status; i++)
		if (growing->through[i].samples)
			status = add_frame(growing, node_of[profile->tree.nodes[i].caller],
					   profile_frame(profile, profile->tree.nodes[i].key),
					   &growing->through[i], &node_of[i]);
	for (size_t i = 0; i < profile->stack_count && !status; i++) {
		const struct profile_stack *stack = &profile->stacks[i];

		if (!stack->is_left_out && node_of[stack->node] != HASH_NONE)
			add(&growing->nodes[node_of[stack->node]].self, &stack->amount);
	}
	free(node_of);
	return status;
}

static int add_stacks(struct growing *growing)
{
	uint32_t root;
	int status = grow(growing, HASH_NONE, 0, &root);

	if (status)
		return status;
	return growing->way == CALL_TREE_UP ? add_up(growing) : add_down(growing);
}

/* Links the nodes above the threshold to their parents, the largest first. */
static int link_nodes(struct growing *growing)
{
	const struct prefix_tree *tree = &growing->tree;
	uint64_t *values = calloc(tree->count, sizeof(*values));
	struct call_node *nodes = growing->nodes;
	int status;

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < tree->count; i++)
		values[i] = nodes[i].total.ns;
	status = prefix_links_make_sorted(&growing->links, tree, values, growing->least_ns);
	for (size_t i = 1; i < tree->count; i++)
		nodes[tree->nodes[i].caller].children += values[i] >= growing->least_ns;
	free(values);
	return status;
}

/* Copies the linked nodes, without the root. Their places change, so links are set again. */
static int flatten(struct call_tree *tree, struct growing *growing)
{
	const struct prefix_node *nodes = growing->tree.nodes;
	const struct prefix_links *links = &growing->links;
	uint32_t *places = calloc(growing->tree.count, sizeof(*places));
	uint32_t at = links->first[ROOT];

	tree->nodes = calloc(growing->tree.count, sizeof(*tree->nodes));
	if (!places || !tree->nodes) {
		free(places);
		return -ENOMEM;
	}
	for (; at != HASH_NONE; at = prefix_links_next(links, &growing->tree, at)) {
		struct call_node *node = &tree->nodes[tree->count];
		bool is_first = nodes[at].caller == ROOT;

		places[at] = (uint32_t)tree->count;
		*node = growing->nodes[at];
		node->parent = is_first ? HASH_NONE : places[nodes[at].caller];
		node->depth = is_first ? 0 : tree->nodes[node->parent].depth + 1;
		node->child = node->children ? (uint32_t)tree->count + 1 : HASH_NONE;
		tree->count++;
	}
	for (at = links->first[ROOT]; at != HASH_NONE;
	     at = prefix_links_next(links, &growing->tree, at))
		if (links->next[at] != HASH_NONE)
			tree->nodes[places[at]].sibling = places[links->next[at]];
	tree->left_out = growing->tree.count - 1 - tree->count;
	free(places);
	return 0;
}

int call_tree_make(struct call_tree *tree, const struct profile *profile, enum call_tree_way way,
		   double threshold, struct err *err)
{
	struct growing growing = { .profile = profile, .way = way };
	double least = (double)profile->totals.kept.ns * threshold;
	int status;

	*tree = (struct call_tree){ 0 };
	growing.least_ns = least < 1.8e19 ? (uint64_t)least : UINT64_MAX;
	status = measure(&growing);
	if (!status)
		status = add_stacks(&growing);
	if (!status)
		status = link_nodes(&growing);
	if (!status)
		status = flatten(tree, &growing);
	free(growing.through);
	free(growing.open);
	free(growing.totals);
	free(growing.nodes);
	prefix_links_free(&growing.links);
	prefix_tree_free(&growing.tree);
	if (status) {
		call_tree_free(tree);
		return err_no_memory(err);
	}
	return 0;
}

void call_tree_free(struct call_tree *tree)
{
	free(tree->nodes);
	*tree = (struct call_tree){ 0 };
}
