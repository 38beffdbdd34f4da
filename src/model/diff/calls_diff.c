/* SPDX-License-Identifier: MIT */
#include "calls_diff.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "diff.h"
#include "significance.h"

/* Finds the row of a function, by object and name, as functions of samples are matched. */
static int find_row(struct calls_diff *diff, const struct calls_row *row, uint32_t *number)
{
	size_t known = diff->keys.count;
	struct calls_diff_row *more = vec_room(diff->rows, known, sizeof(*more));
	char *title = match_title(row->object), *key = NULL;
	int size = title ? asprintf(&key, "%s\n%s", title, row->name) : -1;
	int status = -ENOMEM;

	free(title);
	if (more)
		diff->rows = more;
	if (more && size >= 0)
		status = match_number(&diff->keys, key, (size_t)size, number);
	if (size >= 0)
		free(key);
	if (!status && diff->keys.count > known)
		diff->rows[diff->count++] = (struct calls_diff_row){ 0 };
	return status;
}

/* Adds to sums, which become means per run at the end; until then mean_ns is the sum of all
 * times. */
static void add_row(struct calls_diff_amount *amount, const struct calls_row *row)
{
	double total_ns = row->timed && !row->total_unknown ? (double)row->total_ns : 0;

	amount->calls += (double)row->calls;
	amount->total_ns += total_ns;
	amount->this_run += total_ns;
	amount->mean_ns += row->timed ? row->mean_ns * (double)row->calls : 0;
	amount->is_timed = amount->is_timed || (row->timed && !row->total_unknown);
}

/* Returns the time of the functions of a run: each without the others, or the one that contains all
 * of them. */
static double whole_of(const struct calls *calls)
{
	double whole = (double)calls->totals.self_ns;

	for (size_t i = 0; i < calls->count; i++)
		if (calls->rows[i].timed && (double)calls->rows[i].total_ns > whole)
			whole = (double)calls->rows[i].total_ns;
	return whole;
}

/* Ends a run: its sums become one measurement of each row. */
static void end_run(struct calls_diff *diff, enum diff_side side)
{
	for (size_t i = 0; i < diff->count; i++) {
		struct calls_diff_amount *amount = &diff->rows[i].sides[side];

		amount->run_squares += amount->this_run * amount->this_run;
		amount->this_run = 0;
	}
	diff->runs[side]++;
}

static int add_calls(struct calls_diff *diff, enum diff_side side, const struct calls *calls)
{
	int status = 0;

	for (size_t i = 0; i < calls->count && !status; i++) {
		const struct calls_row *row = &calls->rows[i];
		uint32_t number;

		status = find_row(diff, row, &number);
		if (status)
			break;
		diff->rows[number].name = row->name;
		diff->rows[number].symbol = row->symbol;
		diff->rows[number].object = row->object;
		add_row(&diff->rows[number].sides[side], row);
	}
	end_run(diff, side);
	diff->calls[side] += (double)calls->totals.calls;
	diff->whole_ns[side] += whole_of(calls);
	diff->has_times = diff->has_times && !calls->counted;
	diff->event = calls->event;
	return status;
}

static void make_means(struct calls_diff *diff, enum diff_side side)
{
	double runs = (double)diff->runs[side];

	for (size_t i = 0; i < diff->count; i++) {
		struct calls_diff_amount *amount = &diff->rows[i].sides[side];

		amount->mean_ns = amount->calls > 0 ? amount->mean_ns / amount->calls : 0;
		amount->calls /= runs;
		amount->total_ns /= runs;
	}
	diff->calls[side] /= runs;
	diff->whole_ns[side] /= runs;
}

static struct significance_runs runs_of(const struct calls_diff *diff,
					const struct calls_diff_row *row, enum diff_side side)
{
	const struct calls_diff_amount *amount = &row->sides[side];
	double count = (double)diff->runs[side];
	double spread = amount->run_squares - amount->total_ns * amount->total_ns * count;

	return (struct significance_runs){ .count = diff->runs[side],
					   .mean = amount->total_ns,
					   .variance = spread > 0 ? spread / (count - 1) : 0 };
}

/* Tests changes of time. Times vary from run to run, and only several runs show how much. */
static int test(struct calls_diff *diff)
{
	double *values = calloc(diff->count + 1, sizeof(*values)), limit;

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < diff->count; i++) {
		struct significance_runs before = runs_of(diff, &diff->rows[i], DIFF_OLD);
		struct significance_runs now = runs_of(diff, &diff->rows[i], DIFF_NEW);

		values[i] = diff->rows[i].p = significance_of_means(&before, &now);
	}
	limit = significance_limit(values, diff->count, DIFF_LEVEL);
	for (size_t i = 0; i < diff->count; i++)
		diff->rows[i].is_significant = diff->rows[i].p <= limit;
	free(values);
	return 0;
}

int calls_diff_make(struct calls_diff *diff, const struct calls_diff_runs sides[DIFF_SIDES],
		    struct err *err)
{
	int status = 0;

	*diff = (struct calls_diff){ .has_times = true };
	for (enum diff_side side = DIFF_OLD; side < DIFF_SIDES; side++) {
		for (size_t i = 0; i < sides[side].count && !status; i++)
			status = add_calls(diff, side, sides[side].calls[i]);
		if (diff->runs[side])
			make_means(diff, side);
	}
	diff->is_repeated = diff->runs[DIFF_OLD] > 1 && diff->runs[DIFF_NEW] > 1;
	if (!status && diff->is_repeated)
		status = test(diff);
	if (!status)
		return 0;
	calls_diff_free(diff);
	return err_no_memory(err);
}

void calls_diff_free(struct calls_diff *diff)
{
	match_table_free(&diff->keys);
	free(diff->rows);
	*diff = (struct calls_diff){ 0 };
}
