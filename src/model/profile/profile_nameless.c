/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "profile_rows.h"

static int by_time(const void *left, const void *right)
{
	const struct profile_nameless *a = left, *b = right;

	return (a->ns < b->ns) - (a->ns > b->ns);
}

static void count_stack(const struct profile *profile, const struct profile_stack *stack,
			struct profile_nameless *list)
{
	const struct symbolizer_object *const *objects =
		(const struct symbolizer_object *const *)profile->functions.symbolizer.objects;
	const struct function *function;

	if (stack->is_left_out)
		return;
	function = &profile->functions.list[profile_node_function(profile, stack->node)];
	if (!function->file)
		return;
	list[function->file->number].object = objects[function->file->number];
	list[function->file->number].whole_ns += stack->amount.ns;
	if (!function->symbol)
		list[function->file->number].ns += stack->amount.ns;
}

int profile_nameless(const struct profile *profile, struct profile_nameless **list, size_t *count,
		     struct err *err)
{
	size_t all = profile->functions.symbolizer.count, kept = 0;

	*list = calloc(all + 1, sizeof(**list));
	if (!*list)
		return err_no_memory(err);
	for (size_t i = 0; i < profile->stack_count; i++)
		count_stack(profile, &profile->stacks[i], *list);
	for (size_t i = 0; i < all; i++)
		if ((*list)[i].ns)
			(*list)[kept++] = (*list)[i];
	qsort(*list, kept, sizeof(**list), by_time);
	*count = kept;
	return 0;
}

struct profile_made profile_made_nameless(const struct profile *profile)
{
	struct profile_made made = { 0 };
	uint64_t most = 0;

	for (size_t i = 0; i < profile->stack_count; i++) {
		const struct profile_stack *stack = &profile->stacks[i];
		const struct function *function =
			&profile->functions.list[profile_node_function(profile, stack->node)];

		if (stack->is_left_out || function->file || function->symbol || !function->object ||
		    !maps_is_memory(function->object))
			continue;
		made.ns += stack->amount.ns;
		if (stack->amount.ns < most)
			continue;
		most = stack->amount.ns;
		made.process = profile->threads[stack->thread].process;
	}
	return made;
}
