/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calls_diff.h"

typedef int compare_rows(const struct calls_diff_row *a, const struct calls_diff_row *b,
			 bool has_times);

static double value(const struct calls_diff_row *row, enum diff_side side, bool has_times)
{
	return has_times ? row->sides[side].total_ns : row->sides[side].calls;
}

static int compare_numbers(double a, double b)
{
	return (a < b) - (a > b);
}

static double growth(const struct calls_diff_row *row, bool has_times)
{
	return value(row, DIFF_NEW, has_times) - value(row, DIFF_OLD, has_times);
}

static int by_change(const struct calls_diff_row *a, const struct calls_diff_row *b, bool has_times)
{
	return compare_numbers(fabs(growth(a, has_times)), fabs(growth(b, has_times)));
}

static int by_calls(const struct calls_diff_row *a, const struct calls_diff_row *b, bool has_times)
{
	(void)has_times;
	return by_change(a, b, false);
}

/* Returns the factor of a change: the same for twice and half as much, and largest for a new or
 * removed row. */
static double factor(const struct calls_diff_row *row, bool has_times)
{
	double before = value(row, DIFF_OLD, has_times), now = value(row, DIFF_NEW, has_times);

	if (before <= 0 && now <= 0)
		return 0;
	return before <= 0 || now <= 0 ? INFINITY : fabs(log(now / before));
}

static int by_relative(const struct calls_diff_row *a, const struct calls_diff_row *b,
		       bool has_times)
{
	return compare_numbers(factor(a, has_times), factor(b, has_times));
}

static int by_old(const struct calls_diff_row *a, const struct calls_diff_row *b, bool has_times)
{
	return compare_numbers(value(a, DIFF_OLD, has_times), value(b, DIFF_OLD, has_times));
}

static int by_new(const struct calls_diff_row *a, const struct calls_diff_row *b, bool has_times)
{
	return compare_numbers(value(a, DIFF_NEW, has_times), value(b, DIFF_NEW, has_times));
}

static int by_name(const struct calls_diff_row *a, const struct calls_diff_row *b, bool has_times)
{
	(void)has_times;
	return strcmp(a->name, b->name);
}

static int by_object(const struct calls_diff_row *a, const struct calls_diff_row *b, bool has_times)
{
	(void)has_times;
	return strcmp(a->object, b->object);
}

static const struct {
	const char *name;
	compare_rows *compare;
} columns[] = {
	{ "change", by_change }, { "calls", by_calls }, { "relative", by_relative },
	{ "old", by_old },       { "new", by_new },     { "name", by_name },
	{ "object", by_object },
};

static compare_rows *find(const char *column)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (strcmp(columns[i].name, column) == 0)
			return columns[i].compare;
	return NULL;
}

bool calls_diff_sort_known(const char *column)
{
	return find(column);
}

struct order {
	compare_rows *chosen;
	bool has_times;
};

/* Compares two rows by the column; equal ones by further columns, so that the order is useful. */
static int compare(const void *left, const void *right, void *argument)
{
	static compare_rows *const next[] = { by_change, by_calls, by_new, by_name, by_object };
	const struct order *order = argument;
	int answer = order->chosen(left, right, order->has_times);

	for (size_t i = 0; !answer && i < sizeof(next) / sizeof(next[0]); i++)
		answer = next[i](left, right, order->has_times);
	return answer;
}

void calls_diff_sort(struct calls_diff *diff, const char *column)
{
	struct order order = { .chosen = column ? find(column) : NULL,
			       .has_times = diff->has_times };

	if (!order.chosen)
		order.chosen = by_change;
	if (diff->count)
		qsort_r(diff->rows, diff->count, sizeof(*diff->rows), compare, &order);
}
