/* SPDX-License-Identifier: MIT */
#include "profile_ends.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static int by_time(const void *left, const void *right)
{
	const struct profile_end *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return strcmp(a->object, b->object);
}

/* Finds an object. There are few, and it is nearly always among the first. */
static struct profile_end *find(struct profile_end *list, size_t count, const char *object)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].object == object || strcmp(list[i].object, object) == 0)
			return &list[i];
	return NULL;
}

/* Returns the place of an object in the list, adding it if new. NULL: no memory. */
static struct profile_end *place_of(struct profile_end **list, size_t *count, const char *object)
{
	struct profile_end *end = find(*list, *count, object);

	if (end)
		return end;
	end = vec_room(*list, *count, sizeof(*end));
	if (!end)
		return NULL;
	*list = end;
	end += (*count)++;
	*end = (struct profile_end){ .object = object };
	return end;
}

/* Returns for each node that of the outermost frame. Free with free(); NULL: no memory. */
static uint32_t *outermost_nodes(const struct profile *profile)
{
	uint32_t *outermost = calloc(profile->tree.count, sizeof(*outermost));

	for (uint32_t i = PROFILE_ROOT + 1; outermost && i < profile->tree.count; i++) {
		uint32_t caller = profile->tree.nodes[i].caller;

		outermost[i] = caller == PROFILE_ROOT ? i : outermost[caller];
	}
	return outermost;
}

int profile_ends(const struct profile *profile, struct profile_end **list, size_t *count,
		 struct err *err)
{
	uint32_t *outermost = outermost_nodes(profile);

	*list = NULL;
	*count = 0;
	if (!outermost)
		return err_no_memory(err);
	for (size_t i = 0; i < profile->stack_count; i++) {
		const struct profile_stack *stack = &profile->stacks[i];
		const struct function *last;
		struct profile_end *end;

		if (stack->end != RECORD_STACK_BROKEN || !stack->depth)
			continue;
		last = &profile->functions
				.list[profile_node_function(profile, outermost[stack->node])];
		if (!last->object || !stack->amount.samples)
			continue;
		end = place_of(list, count, last->object);
		if (!end) {
			free(outermost);
			free(*list);
			return err_no_memory(err);
		}
		end->ns += stack->amount.ns;
	}
	free(outermost);
	if (*count)
		qsort(*list, *count, sizeof(**list), by_time);
	return 0;
}
