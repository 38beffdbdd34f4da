/* SPDX-License-Identifier: MIT */
#include "sort.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TIES_MAX 5

static const struct sort_column *find(const struct sort *sort, const char *column)
{
	for (size_t i = 0; i < sort->count; i++)
		if (strcmp(sort->columns[i].name, column) == 0)
			return &sort->columns[i];
	return NULL;
}

bool sort_knows(const struct sort *sort, const char *column)
{
	return find(sort, column);
}

/* The columns of one call, the chosen one first. */
struct order {
	const struct sort_column *columns[1 + TIES_MAX];
	size_t count;
	const void *context;
};

static const void *member_of(const struct sort_column *column, const void *row)
{
	return (const char *)row + column->member;
}

static const char *text_of(const struct sort_column *column, const void *row)
{
	const char *text = *(const char *const *)member_of(column, row);

	return text ? text : "";
}

static int compare_doubles(double a, double b)
{
	return (a < b) - (a > b);
}

static int compare_by(const struct sort_column *column, const void *a, const void *b,
		      const void *context)
{
	switch (column->kind) {
	case SORT_UINT64: {
		uint64_t left = *(const uint64_t *)member_of(column, a);
		uint64_t right = *(const uint64_t *)member_of(column, b);

		return (left < right) - (left > right);
	}
	case SORT_DOUBLE:
		return compare_doubles(*(const double *)member_of(column, a),
				       *(const double *)member_of(column, b));
	case SORT_TEXT:
		return strcmp(text_of(column, a), text_of(column, b));
	case SORT_NUMBER:
		return compare_doubles(column->number(a, context), column->number(b, context));
	case SORT_ORDER:
		break;
	}
	return column->order(a, b, context);
}

static int compare(const void *a, const void *b, void *argument)
{
	const struct order *order = argument;
	int result = 0;

	for (size_t i = 0; i < order->count && !result; i++)
		result = compare_by(order->columns[i], a, b, order->context);
	return result;
}

void sort_rows(const struct sort *sort, const char *column, void *rows, size_t count, size_t size,
	       const void *context)
{
	struct order order = { .context = context };
	const struct sort_column *chosen = column ? find(sort, column) : NULL;

	if (chosen)
		order.columns[order.count++] = chosen;
	for (size_t i = 0; sort->ties[i] && i < TIES_MAX; i++)
		order.columns[order.count++] = find(sort, sort->ties[i]);
	if (count)
		qsort_r(rows, count, size, compare, &order);
}
