/* SPDX-License-Identifier: MIT */
#include "imbalance.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* The time of one function in one group. */
struct share {
	uint32_t row;
	uint32_t group;
	uint64_t ns;
};

/* Times while they are collected: most functions are in few groups. */
struct shares {
	struct share *list;
	size_t count;
	struct hash by_place; /* row and group -> index */
};

static int add(struct shares *shares, uint32_t row, uint32_t group, uint64_t ns)
{
	uint32_t *place = hash_place(&shares->by_place, (uint64_t)row << 32 | group);
	struct share *more;

	if (!place)
		return -ENOMEM;
	if (*place == HASH_NONE) {
		more = vec_room(shares->list, shares->count, sizeof(*more));
		if (!more)
			return -ENOMEM;
		shares->list = more;
		*place = (uint32_t)shares->count;
		shares->list[shares->count++] = (struct share){ .row = row, .group = group };
	}
	shares->list[*place].ns += ns;
	return 0;
}

static void free_shares(struct shares *shares)
{
	free(shares->list);
	hash_free(&shares->by_place);
}

/* Adds the time in one group to a row. Groups may come in any order. */
static void put(struct imbalance_row *row, const struct groups *groups, uint32_t group, uint64_t ns)
{
	const char *value = groups->values[group];

	row->sum_ns += ns;
	if (!row->present || ns < row->min_ns)
		row->min_ns = ns;
	if (!row->present || ns > row->max_ns)
		row->most = value;
	if (ns > row->max_ns)
		row->max_ns = ns;
	row->present += ns > 0;
}

static void finish(struct imbalance_row *row, size_t groups)
{
	if (row->present < groups)
		row->min_ns = 0;
	row->mean_ns = row->sum_ns / groups;
	row->saved_ns = row->max_ns - row->mean_ns;
}

static int by_place(const void *left, const void *right)
{
	const struct share *a = left, *b = right;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return (a->group > b->group) - (a->group < b->group);
}

static int by_saving(const void *left, const void *right)
{
	const struct imbalance_row *a = left, *b = right;
	int order;

	if (a->saved_ns != b->saved_ns)
		return a->saved_ns > b->saved_ns ? -1 : 1;
	if (a->max_ns != b->max_ns)
		return a->max_ns > b->max_ns ? -1 : 1;
	order = strcmp(a->name, b->name);
	return order ? order : strcmp(a->object, b->object);
}

/* Adds the times of all functions in each group. */
static int put_whole(struct imbalance *imbalance, const struct shares *shares,
		     const struct groups *groups)
{
	uint64_t *sums = calloc(groups->count, sizeof(*sums));

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < shares->count; i++)
		sums[shares->list[i].group] += shares->list[i].ns;
	for (uint32_t i = 0; i < groups->count; i++)
		put(&imbalance->whole, groups, i, sums[i]);
	finish(&imbalance->whole, groups->count);
	free(sums);
	return 0;
}

/* Sums up rows that have their names, drops those without time, and sorts the rest. */
static int sum_up(struct imbalance *imbalance, struct shares *shares, const struct groups *groups)
{
	size_t kept = 0;

	if (shares->count)
		qsort(shares->list, shares->count, sizeof(*shares->list), by_place);
	for (size_t i = 0; i < shares->count; i++)
		if (shares->list[i].ns)
			put(&imbalance->rows[shares->list[i].row], groups, shares->list[i].group,
			    shares->list[i].ns);
	for (size_t i = 0; i < imbalance->count; i++) {
		if (!imbalance->rows[i].present)
			continue;
		finish(&imbalance->rows[i], groups->count);
		imbalance->rows[kept++] = imbalance->rows[i];
	}
	imbalance->count = kept;
	if (kept)
		qsort(imbalance->rows, kept, sizeof(*imbalance->rows), by_saving);
	return put_whole(imbalance, shares, groups);
}

/* Makes the rows of the shares, which are freed. */
static int conclude(struct imbalance *imbalance, struct shares *shares, const struct groups *groups,
		    int status, struct err *err)
{
	if (!status)
		status = sum_up(imbalance, shares, groups);
	free_shares(shares);
	if (status) {
		imbalance_free(imbalance);
		err_no_memory(err);
	}
	return status;
}

/* Adds the self time of each function. A stack without frames is hidden as a whole. */
static int add_stacks(struct shares *shares, const struct profile *profile,
		      const struct groups *groups)
{
	int status = 0;

	for (size_t i = 0; i < profile->stack_count && !status; i++) {
		const struct profile_stack *stack = &profile->stacks[i];
		const struct maps_process *process = profile->threads[stack->thread].process;
		uint32_t group = process ? groups_of(groups, process->offset) : GROUPS_NONE;

		if (!stack->is_left_out && stack->node != PROFILE_ROOT && group != GROUPS_NONE)
			status = add(shares, profile_node_function(profile, stack->node), group,
				     stack->amount.ns);
	}
	return status;
}

int imbalance_of_samples(struct imbalance *imbalance, const struct profile *profile,
			 const struct groups *groups, struct err *err)
{
	size_t count = profile->functions.count;
	struct shares shares = { 0 };
	int status;

	*imbalance = (struct imbalance){ .count = count };
	imbalance->rows = calloc(count + 1, sizeof(*imbalance->rows));
	if (!imbalance->rows)
		return err_no_memory(err);
	for (size_t i = 0; i < count; i++) {
		imbalance->rows[i].name = profile->functions.list[i].name;
		imbalance->rows[i].object = profile->functions.list[i].object;
	}
	status = add_stacks(&shares, profile, groups);
	return conclude(imbalance, &shares, groups, status, err);
}

static int by_function(const void *left, const void *right)
{
	const struct calls_row *a = *(const struct calls_row *const *)left;
	const struct calls_row *b = *(const struct calls_row *const *)right;
	int order = strcmp(a->symbol, b->symbol);

	if (!order)
		order = strcmp(a->object, b->object);
	return order ? order : strcmp(a->version ? a->version : "", b->version ? b->version : "");
}

/* Adds the rows of all functions, in the order of functions. */
static int add_calls(struct imbalance *imbalance, struct shares *shares, const struct calls *calls,
		     const struct calls_row **order)
{
	int status = 0;

	for (size_t i = 0; i < calls->count && !status; i++) {
		const struct calls_row *row = order[i];
		uint64_t ns = calls->sampled ? row->total_ns : row->self_ns;

		if (i == 0 || by_function(&order[i - 1], &order[i]) != 0)
			imbalance->rows[imbalance->count++] =
				(struct imbalance_row){ .name = row->name, .object = row->object };
		if (row->group != GROUPS_NONE && row->timed)
			status = add(shares, (uint32_t)imbalance->count - 1, row->group, ns);
	}
	return status;
}

int imbalance_of_calls(struct imbalance *imbalance, const struct calls *calls,
		       const struct groups *groups, struct err *err)
{
	const struct calls_row **order = calloc(calls->count + 1, sizeof(*order));
	struct shares shares = { 0 };
	int status;

	*imbalance = (struct imbalance){ 0 };
	imbalance->rows = calloc(calls->count + 1, sizeof(*imbalance->rows));
	status = order && imbalance->rows ? 0 : -ENOMEM;
	for (size_t i = 0; i < calls->count && !status; i++)
		order[i] = &calls->rows[i];
	if (!status && calls->count)
		qsort(order, calls->count, sizeof(*order), by_function);
	if (!status)
		status = add_calls(imbalance, &shares, calls, order);
	free(order);
	return conclude(imbalance, &shares, groups, status, err);
}

void imbalance_free(struct imbalance *imbalance)
{
	free(imbalance->rows);
	*imbalance = (struct imbalance){ 0 };
}
