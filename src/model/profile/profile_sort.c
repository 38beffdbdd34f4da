/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "profile_rows.h"

typedef int compare_rows(const struct profile_row *a, const struct profile_row *b);

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int by_self(const struct profile_row *a, const struct profile_row *b)
{
	return compare_numbers(a->self.ns, b->self.ns);
}

static int by_total(const struct profile_row *a, const struct profile_row *b)
{
	return compare_numbers(a->total.ns, b->total.ns);
}

static int by_samples(const struct profile_row *a, const struct profile_row *b)
{
	return compare_numbers(a->self.samples, b->self.samples);
}

static int by_name(const struct profile_row *a, const struct profile_row *b)
{
	return strcmp(a->name, b->name);
}

/* Compares lines of a file; rows without one come last. */
static int by_line(const struct profile_row *a, const struct profile_row *b)
{
	int order;

	if (!a->source || !b->source)
		return !a->source - !b->source;
	order = strcmp(a->source, b->source);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int by_object(const struct profile_row *a, const struct profile_row *b)
{
	return strcmp(a->object ? a->object : "", b->object ? b->object : "");
}

static const struct {
	const char *name;
	compare_rows *compare;
} columns[] = {
	{ "self", by_self }, { "total", by_total }, { "samples", by_samples },
	{ "name", by_name }, { "line", by_line },   { "object", by_object },
};

static compare_rows *find(const char *column)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (strcmp(columns[i].name, column) == 0)
			return columns[i].compare;
	return NULL;
}

bool profile_sort_known(const char *column)
{
	return find(column);
}

/* Compares two rows by the column; equal ones by further columns, so that the order is useful. */
static int compare(const void *left, const void *right, void *column)
{
	const struct profile_row *a = left, *b = right;
	int order = (*(compare_rows **)column)(a, b);

	if (!order)
		order = by_self(a, b);
	if (!order)
		order = by_total(a, b);
	if (!order)
		order = by_name(a, b);
	if (!order)
		order = by_line(a, b);
	return order ? order : by_object(a, b);
}

void profile_rows_sort(struct profile_rows *rows, const char *column)
{
	compare_rows *chosen = column ? find(column) : NULL;

	if (!chosen)
		chosen = by_self;
	if (rows->count)
		qsort_r(rows->rows, rows->count, sizeof(*rows->rows), compare, &chosen);
}
