/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "annotation.h"

/* How much time there is in and below each function that was chosen. */
struct choosing {
	const struct profile *profile;
	bool *chosen;   /* of each function */
	uint64_t *self; /* in its code, with what is inlined there, in ns */
	uint64_t *total;
	uint32_t *marks; /* the last stack, counted from 1, that it was met on */
};

static void count_stack(struct choosing *choosing, const struct profile_stack *stack, uint32_t mark)
{
	const struct profile *profile = choosing->profile;
	const uint32_t *frames = profile_frames(profile, stack);
	uint32_t inner = frames[0];
	bool is_self = true;

	for (uint32_t i = 0; i < stack->depth; i++) {
		uint32_t number = frames[i];
		uint32_t function = profile_frame(profile, number)->function;

		/* As far as they are inlined in each other, the code is that of all of them. */
		if (i && is_self)
			is_self = profile_frame(profile, inner)->outer == number;
		inner = number;
		if (!choosing->chosen[function] || choosing->marks[function] == mark)
			continue;
		choosing->marks[function] = mark;
		choosing->total[function] += stack->amount.ns;
		if (is_self)
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

	for (size_t i = 0; i < profile->stack_count; i++)
		if (!profile->stacks[i].is_left_out)
			count_stack(choosing, &profile->stacks[i], (uint32_t)i + 1);
	for (size_t i = 0; i < profile->functions.count; i++)
		if (choosing->total[i])
			functions[(*count)++] = (uint32_t)i;
	qsort_r(functions, *count, sizeof(*functions), by_time, choosing);
}

int annotation_choose(const struct profile *profile, struct spec_list *specs, uint32_t **functions,
		      size_t *count, struct err *err)
{
	size_t all = profile->functions.count;
	struct choosing choosing = { .profile = profile,
				     .chosen = calloc(all + 1, sizeof(bool)),
				     .self = calloc(all + 1, sizeof(uint64_t)),
				     .total = calloc(all + 1, sizeof(uint64_t)),
				     .marks = calloc(all + 1, sizeof(uint32_t)) };
	bool is_ready = choosing.chosen && choosing.self && choosing.total && choosing.marks;

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
	free(choosing.marks);
	if (is_ready)
		return 0;
	free(*functions);
	return err_no_memory(err);
}
