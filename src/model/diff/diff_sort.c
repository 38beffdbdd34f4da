/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "calls_diff.h"
#include "diff.h"
#include "model/sort.h"

/* Returns the same for twice and for half as much, and the most for what is new or gone. */
static double factor(double before, double now)
{
	if (before <= 0 && now <= 0)
		return 0;
	return before <= 0 || now <= 0 ? INFINITY : fabs(log(now / before));
}

/* Rows of samples. */

static double old_of(const void *row, const void *context)
{
	(void)context;
	return ((const struct diff_row *)row)->self.sides[DIFF_OLD].value;
}

static double new_of(const void *row, const void *context)
{
	(void)context;
	return ((const struct diff_row *)row)->self.sides[DIFF_NEW].value;
}

static double change_of(const void *row, const void *context)
{
	(void)context;
	return fabs(diff_growth(&((const struct diff_row *)row)->self));
}

static double total_change_of(const void *row, const void *context)
{
	(void)context;
	return fabs(diff_growth(&((const struct diff_row *)row)->total));
}

static double relative_of(const void *row, const void *context)
{
	return factor(old_of(row, context), new_of(row, context));
}

/* Compares stacks from the innermost function on. */
static int by_name(const void *left, const void *right, const void *context)
{
	const struct diff *diff = context;
	uint32_t one = ((const struct diff_row *)left)->node;
	uint32_t other = ((const struct diff_row *)right)->node;
	int order = 0;

	/* Behind a common node there is nothing that differs. */
	while (one != other && one != DIFF_ROOT && other != DIFF_ROOT && !order) {
		order = strcmp(diff_unit(diff, one)->name, diff_unit(diff, other)->name);
		one = diff->tree.nodes[one].caller;
		other = diff->tree.nodes[other].caller;
	}
	return order || one == other ? order : one == DIFF_ROOT ? -1 : 1;
}

static const char *object_of(const struct diff *diff, const struct diff_row *row)
{
	const char *object = diff_unit(diff, row->node)->object;

	return object ? object : "";
}

static int by_object(const void *a, const void *b, const void *context)
{
	return strcmp(object_of(context, a), object_of(context, b));
}

static const struct sort_column columns[] = {
	{ "change", SORT_NUMBER, .number = change_of },
	{ "total", SORT_NUMBER, .number = total_change_of },
	{ "relative", SORT_NUMBER, .number = relative_of },
	{ "old", SORT_NUMBER, .number = old_of },
	{ "new", SORT_NUMBER, .number = new_of },
	{ "name", SORT_ORDER, .order = by_name },
	{ "object", SORT_ORDER, .order = by_object },
};

static const char *const ties[] = { "change", "total", "new", "name", "object", NULL };

static const struct sort sort = { columns, sizeof(columns) / sizeof(columns[0]), ties };

bool diff_sort_known(const char *column)
{
	return sort_knows(&sort, column);
}

void diff_sort(struct diff *diff, const char *column)
{
	sort_rows(&sort, column, diff->rows, diff->count, sizeof(*diff->rows), diff);
}

/* Rows of calls: by time, or by their number where there are no times. */

static double calls_value(const struct calls_diff_row *row, enum diff_side side,
			  const struct calls_diff *diff)
{
	return diff->has_times ? row->sides[side].total_ns : row->sides[side].calls;
}

static double calls_old_of(const void *row, const void *context)
{
	return calls_value(row, DIFF_OLD, context);
}

static double calls_new_of(const void *row, const void *context)
{
	return calls_value(row, DIFF_NEW, context);
}

static double calls_change_of(const void *row, const void *context)
{
	return fabs(calls_new_of(row, context) - calls_old_of(row, context));
}

static double calls_relative_of(const void *row, const void *context)
{
	return factor(calls_old_of(row, context), calls_new_of(row, context));
}

static double number_change_of(const void *row, const void *context)
{
	const struct calls_diff_row *calls = row;

	(void)context;
	return fabs(calls->sides[DIFF_NEW].calls - calls->sides[DIFF_OLD].calls);
}

static const struct sort_column calls_columns[] = {
	{ "change", SORT_NUMBER, .number = calls_change_of },
	{ "calls", SORT_NUMBER, .number = number_change_of },
	{ "relative", SORT_NUMBER, .number = calls_relative_of },
	{ "old", SORT_NUMBER, .number = calls_old_of },
	{ "new", SORT_NUMBER, .number = calls_new_of },
	{ "name", SORT_TEXT, offsetof(struct calls_diff_row, name) },
	{ "object", SORT_TEXT, offsetof(struct calls_diff_row, object) },
};

static const char *const calls_ties[] = { "change", "calls", "new", "name", "object", NULL };

static const struct sort calls_sorting = { calls_columns,
					   sizeof(calls_columns) / sizeof(calls_columns[0]),
					   calls_ties };

bool calls_diff_sort_known(const char *column)
{
	return sort_knows(&calls_sorting, column);
}

void calls_diff_sort(struct calls_diff *diff, const char *column)
{
	sort_rows(&calls_sorting, column, diff->rows, diff->count, sizeof(*diff->rows), diff);
}
