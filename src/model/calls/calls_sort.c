/* SPDX-License-Identifier: MIT */
#include "calls_sort.h"

#include <stdlib.h>
#include <string.h>

typedef int compare_rows(const struct calls_row *a, const struct calls_row *b);

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

#define BY_NUMBER(column, member)                                                                  \
	static int by_##column(const struct calls_row *a, const struct calls_row *b)               \
	{                                                                                          \
		return compare_numbers(a->member, b->member);                                      \
	}

BY_NUMBER(calls, calls)
BY_NUMBER(total, total_ns)
BY_NUMBER(self, self_ns)
BY_NUMBER(p50, p50_ns)
BY_NUMBER(p90, p90_ns)
BY_NUMBER(p99, p99_ns)
BY_NUMBER(min, min_ns)
BY_NUMBER(max, max_ns)

static int by_mean(const struct calls_row *a, const struct calls_row *b)
{
	return (a->mean_ns < b->mean_ns) - (a->mean_ns > b->mean_ns);
}

static int by_name(const struct calls_row *a, const struct calls_row *b)
{
	return strcmp(a->name, b->name);
}

static int by_library(const struct calls_row *a, const struct calls_row *b)
{
	return strcmp(a->object, b->object);
}

static const struct {
	const char *name;
	compare_rows *compare;
} columns[] = {
	{ "calls", by_calls }, { "total", by_total },     { "self", by_self },
	{ "mean", by_mean },   { "p50", by_p50 },         { "p90", by_p90 },
	{ "p99", by_p99 },     { "min", by_min },         { "max", by_max },
	{ "name", by_name },   { "library", by_library },
};

static compare_rows *find(const char *column)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (strcmp(columns[i].name, column) == 0)
			return columns[i].compare;
	return NULL;
}

bool calls_sort_known(const char *column)
{
	return find(column);
}

/* Compares two rows by the column; equal ones by further columns, so that the order is useful. */
static int compare(const void *left, const void *right, void *column)
{
	const struct calls_row *a = left, *b = right;
	int order = (*(compare_rows **)column)(a, b);

	if (!order)
		order = by_total(a, b);
	if (!order)
		order = by_calls(a, b);
	return order ? order : by_name(a, b);
}

void calls_sort(struct calls *calls, const char *column)
{
	compare_rows *chosen = find(column ? column : calls->counted ? "calls" : "total");

	if (calls->count)
		qsort_r(calls->rows, calls->count, sizeof(*calls->rows), compare, &chosen);
}
