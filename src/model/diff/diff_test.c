/* SPDX-License-Identifier: MIT */
#include "diff_test.h"

#include <stddef.h>
#include <stdlib.h>

#include "significance.h"

/* Returns the mean ns per sample of a side; 0: no samples. */
static double usual_weight(const struct diff *diff, enum diff_side side)
{
	const struct diff_amount *all = &diff->all.sides[side];

	return all->samples ? all->ns / (double)all->samples : 0;
}

/* Returns the weight of the samples of a row, relative to the mean. A sum of s samples of weight w
 * varies as w * w * s; if weights differ, w is this mean, in which the heavier ones count more.
 * Computed from both sides together, since they would be alike if nothing had changed. */
static double weight_of(const struct diff *diff, const struct diff_change *change)
{
	double squares = 0, sum = 0;

	for (enum diff_side side = DIFF_OLD; side < DIFF_SIDES; side++) {
		double usual = usual_weight(diff, side);

		if (!(usual > 0))
			continue;
		squares += change->sides[side].squares / usual / usual;
		sum += change->sides[side].ns / usual;
	}
	return sum > 0 ? squares / sum : 0;
}

/* Returns the number of samples of equal weight with the same significance. */
static struct significance_count count_of(const struct diff *diff, const struct diff_change *change,
					  enum diff_side side)
{
	double weight = weight_of(diff, change) * usual_weight(diff, side);
	double whole =
		diff->options.is_normalized ? diff->all.sides[side].ns : (double)diff->runs[side];

	if (!(weight > 0))
		return (struct significance_count){ 0 };
	return (struct significance_count){ change->sides[side].ns / weight, whole / weight };
}

/* Takes the complement. If shares are compared and this one is most of all, the rest is rare, and
 * varies as rare events do. */
static void take_rest(struct significance_count counts[DIFF_SIDES])
{
	double events = counts[DIFF_OLD].events + counts[DIFF_NEW].events;
	double exposure = counts[DIFF_OLD].exposure + counts[DIFF_NEW].exposure;

	if (events <= exposure / 2)
		return;
	for (int side = 0; side < DIFF_SIDES; side++)
		counts[side].events = counts[side].events < counts[side].exposure
					      ? counts[side].exposure - counts[side].events
					      : 0;
}

static struct significance_runs runs_of(const struct diff *diff, const struct diff_change *change,
					enum diff_side side)
{
	const struct diff_amount *amount = &change->sides[side];
	double count = (double)diff->runs[side], spread;

	if (diff->runs[side] < 2)
		return (struct significance_runs){ 0 };
	spread = amount->run_squares - amount->run_sum * amount->run_sum / count;
	return (struct significance_runs){ .count = diff->runs[side],
					   .mean = amount->run_sum / count,
					   .variance = spread > 0 ? spread / (count - 1) : 0 };
}

/* Returns p: a change must exceed the variation of samples and, as far as known, that of runs. */
static double p_of(const struct diff *diff, const struct diff_change *change, bool is_share)
{
	struct significance_count counts[DIFF_SIDES];
	struct significance_runs runs[DIFF_SIDES];
	double of_counts, of_runs;

	for (enum diff_side side = DIFF_OLD; side < DIFF_SIDES; side++) {
		counts[side] = count_of(diff, change, side);
		runs[side] = runs_of(diff, change, side);
	}
	if (is_share)
		take_rest(counts);
	of_counts = significance_of_counts(&counts[DIFF_OLD], &counts[DIFF_NEW]);
	if (!diff_is_repeated(diff))
		return of_counts;
	of_runs = significance_of_means(&runs[DIFF_OLD], &runs[DIFF_NEW]);
	return of_runs > of_counts ? of_runs : of_counts;
}

static bool is_testable(const struct diff_change *change)
{
	return change->sides[DIFF_OLD].samples + change->sides[DIFF_NEW].samples >= DIFF_FEWEST;
}

static void put_values(const struct diff *diff, struct diff_change *change)
{
	for (enum diff_side side = DIFF_OLD; side < DIFF_SIDES; side++) {
		double whole = diff->options.is_normalized ? diff->all.sides[side].ns
							   : (double)diff->runs[side];

		change->sides[side].value = whole > 0 ? change->sides[side].ns / whole : 0;
	}
	change->p = is_testable(change) ? p_of(diff, change, diff->options.is_normalized) : 1;
}

static struct diff_change *change_at(const struct diff *diff, size_t row, size_t offset)
{
	return (struct diff_change *)((char *)&diff->rows[row] + offset);
}

/* Self and total, by their offset in a row. */
static const size_t kinds[] = { offsetof(struct diff_row, self), offsetof(struct diff_row, total) };

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static size_t collect(const struct diff *diff, size_t offset, double *values)
{
	size_t tested = 0;

	for (size_t i = 0; i < diff->count; i++)
		if (is_testable(change_at(diff, i, offset)))
			values[tested++] = change_at(diff, i, offset)->p;
	return tested;
}

/* Marks all tested changes together, so that the same p gives the same verdict. */
static int mark(struct diff *diff)
{
	double *values = calloc(KINDS * diff->count + 1, sizeof(*values)), limit;
	size_t tested;

	if (!values)
		return -ENOMEM;
	diff->tested = collect(diff, kinds[0], values);
	tested = diff->tested + collect(diff, kinds[1], values + diff->tested);
	limit = significance_limit(values, tested, DIFF_LEVEL);
	for (size_t i = 0; i < KINDS * diff->count; i++) {
		struct diff_change *change = change_at(diff, i / KINDS, kinds[i % KINDS]);

		change->is_significant = is_testable(change) && change->p <= limit;
	}
	free(values);
	return 0;
}

static void test_all(struct diff *diff)
{
	struct diff_change *all = &diff->all;
	bool is_normalized = diff->options.is_normalized;

	diff->options.is_normalized = false;
	put_values(diff, all);
	diff->options.is_normalized = is_normalized;
	all->is_significant = all->p <= DIFF_LEVEL;
}

int diff_test(struct diff *diff)
{
	for (size_t i = 0; i < diff->count; i++) {
		put_values(diff, &diff->rows[i].self);
		put_values(diff, &diff->rows[i].total);
	}
	test_all(diff);
	return mark(diff);
}

int diff_finish(struct diff *diff, int status, struct err *err)
{
	if (!status)
		status = diff_test(diff);
	if (!status)
		return 0;
	diff_free(diff);
	return err_no_memory(err);
}
