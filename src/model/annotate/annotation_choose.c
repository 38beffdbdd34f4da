/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "annotation.h"
#include "model/profile/profile_nodes.h"

/* Time in and below each chosen function. */
struct choosing {
	const struct profile *profile;
	bool *chosen;   /* per function */
	uint64_t *self; /* in its code, with inlined functions, in ns */
	uint64_t *total;
	uint32_t *open;                      /* how often it is on the way to the current node */
	const struct profile_amount *totals; /* per node */
};

/* Counts a function that is on a stack several times once. */
static void enter(void *argument, uint32_t node)
{
	struct choosing *choosing = argument;
	uint32_t function = profile_node_function(choosing->profile, node);

	if (choosing->open[function]++ == 0 && choosing->chosen[function])
		choosing->total[function] += choosing->totals[node].ns;
}

static void leave(void *argument, uint32_t node)
{
	struct choosing *choosing = argument;

	choosing->open[profile_node_function(choosing->profile, node)]--;
}

/* Returns true if a function is among the nodes from one up to another one further out. */
static bool is_met(const struct profile *profile, uint32_t from, uint32_t until, uint32_t function)
{
	for (; from != until; from = profile->tree.nodes[from].caller)
		if (profile_node_function(profile, from) == function)
			return true;
	return false;
}

/* Counts self time. The code belongs to all functions that are inlined in each other. */
static void count_self(struct choosing *choosing, const struct profile_stack *stack)
{
	const struct profile *profile = choosing->profile;
	uint32_t inner = HASH_NONE;

	for (uint32_t i = stack->node; i != PROFILE_ROOT; i = profile->tree.nodes[i].caller) {
		uint32_t number = profile->tree.nodes[i].key;
		uint32_t function = profile_frame(profile, number)->function;

		if (inner != HASH_NONE && profile_frame(profile, inner)->outer != number)
			break;
		inner = number;
		if (choosing->chosen[function] && !is_met(profile, stack->node, i, function))
			choosing->self[function] += stack->amount.ns;
	}
}

static int by_time(const void *left, const void *right, void *argument)
{
	const struct choosing *choosing = argument;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (choosing->self[a] != choosing->self[b])
		return choosing->self[a] > choosing->self[b] ? -1 : 1;
	if (choosing->total[a] != choosing->total[b])
		return choosing->total[a] > choosing->total[b] ? -1 : 1;
	return (a > b) - (a < b);
}

static void list(struct choosing *choosing, uint32_t *functions, size_t *count)
{
	const struct profile *profile = choosing->profile;
	struct profile_walk walk = { .enter = enter, .leave = leave, .argument = choosing };

	profile_nodes_walk(profile, &walk);
	for (size_t i = 0; i < profile->stack_count; i++)
		if (!profile->stacks[i].is_left_out)
			count_self(choosing, &profile->stacks[i]);
	for (size_t i = 0; i < profile->functions.count; i++)
		if (choosing->total[i])
			functions[(*count)++] = (uint32_t)i;
	qsort_r(functions, *count, sizeof(*functions), by_time, choosing);
}

int annotation_choose(const struct profile *profile, struct spec_list *specs, uint32_t **functions,
		      size_t *count, struct err *err)
{
	size_t all = profile->functions.count;
	struct profile_amount *totals = profile_nodes_totals(profile);
	struct choosing choosing = { .profile = profile,
				     .totals = totals,
				     .chosen = calloc(all + 1, sizeof(bool)),
				     .self = calloc(all + 1, sizeof(uint64_t)),
				     .total = calloc(all + 1, sizeof(uint64_t)),
				     .open = calloc(all + 1, sizeof(uint32_t)) };
	bool is_ready =
		totals && choosing.chosen && choosing.self && choosing.total && choosing.open;

	*count = 0;
	*functions = calloc(all + 1, sizeof(**functions));
	is_ready = is_ready && *functions;
	for (size_t i = 0; is_ready && i < all; i++)
		choosing.chosen[i] = functions_match(&profile->functions.list[i], specs);
	if (is_ready)
		list(&choosing, *functions, count);
	free(choosing.chosen);
	free(choosing.self);
	free(choosing.total);
	free(choosing.open);
	free(totals);
	if (is_ready)
		return 0;
	free(*functions);
	return err_no_memory(err);
}
