/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

typedef int compare_rows(const struct diff *diff, const struct diff_row *a,
			 const struct diff_row *b);

static int compare_numbers(double a, double b)
{
	return (a < b) - (a > b);
}

static int by_change(const struct diff *diff, const struct diff_row *a, const struct diff_row *b)
{
	(void)diff;
	return compare_numbers(fabs(diff_growth(&a->self)), fabs(diff_growth(&b->self)));
}

static int by_total(const struct diff *diff, const struct diff_row *a, const struct diff_row *b)
{
	(void)diff;
	return compare_numbers(fabs(diff_growth(&a->total)), fabs(diff_growth(&b->total)));
}

/* Returns the factor of a change: the same for twice and half as much, and largest for a new or
 * removed row. */
static double factor(const struct diff_change *change)
{
	double before = change->sides[DIFF_OLD].value, now = change->sides[DIFF_NEW].value;

	if (before <= 0 && now <= 0)
		return 0;
	return before <= 0 || now <= 0 ? INFINITY : fabs(log(now / before));
}

static int by_relative(const struct diff *diff, const struct diff_row *a, const struct diff_row *b)
{
	(void)diff;
	return compare_numbers(factor(&a->self), factor(&b->self));
}

static int by_old(const struct diff *diff, const struct diff_row *a, const struct diff_row *b)
{
	(void)diff;
	return compare_numbers(a->self.sides[DIFF_OLD].value, b->self.sides[DIFF_OLD].value);
}

static int by_new(const struct diff *diff, const struct diff_row *a, const struct diff_row *b)
{
	(void)diff;
	return compare_numbers(a->self.sides[DIFF_NEW].value, b->self.sides[DIFF_NEW].value);
}

/* Compares names; of stacks, from the innermost on. */
static int by_name(const struct diff *diff, const struct diff_row *a, const struct diff_row *b)
{
	uint32_t one = a->node, other = b->node;
	int order = 0;

	/* Nothing differs behind a common node. */
	while (one != other && one != DIFF_ROOT && other != DIFF_ROOT && !order) {
		order = strcmp(diff_unit(diff, one)->name, diff_unit(diff, other)->name);
		one = diff->nodes[one].caller;
		other = diff->nodes[other].caller;
	}
	return order || one == other ? order : one == DIFF_ROOT ? -1 : 1;
}

static const char *object_of(const struct diff *diff, const struct diff_row *row)
{
	const char *object = diff_unit(diff, row->node)->object;

	return object ? object : "";
}

static int by_object(const struct diff *diff, const struct diff_row *a, const struct diff_row *b)
{
	return strcmp(object_of(diff, a), object_of(diff, b));
}

static const struct {
	const char *name;
	compare_rows *compare;
} columns[] = {
	{ "change", by_change }, { "total", by_total }, { "relative", by_relative },
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

bool diff_sort_known(const char *column)
{
	return find(column);
}

struct order {
	const struct diff *diff;
	compare_rows *chosen;
};

/* Compares two rows by the column; equal ones by further columns, so that the order is useful. */
static int compare(const void *left, const void *right, void *argument)
{
	static compare_rows *const next[] = { by_change, by_total, by_new, by_name, by_object };
	const struct order *order = argument;
	int answer = order->chosen(order->diff, left, right);

	for (size_t i = 0; !answer && i < sizeof(next) / sizeof(next[0]); i++)
		answer = next[i](order->diff, left, right);
	return answer;
}

void diff_sort(struct diff *diff, const char *column)
{
	struct order order = { .diff = diff, .chosen = column ? find(column) : NULL };

	if (!order.chosen)
		order.chosen = by_change;
	if (diff->count)
		qsort_r(diff->rows, diff->count, sizeof(*diff->rows), compare, &order);
}
