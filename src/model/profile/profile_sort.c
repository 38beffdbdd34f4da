/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "model/sort.h"
#include "profile_rows.h"

#define MEMBER(member) offsetof(struct profile_row, member)

/* Puts lines of a file in their order, and rows that have none last. */
static int by_line(const void *left, const void *right, const void *context)
{
	const struct profile_row *a = left, *b = right;
	int order;

	(void)context;
	if (!a->source || !b->source)
		return !a->source - !b->source;
	order = strcmp(a->source, b->source);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

static const struct sort_column columns[] = {
	{ "self", SORT_UINT64, MEMBER(self.ns) },
	{ "total", SORT_UINT64, MEMBER(total.ns) },
	{ "samples", SORT_UINT64, MEMBER(self.samples) },
	{ "name", SORT_TEXT, MEMBER(name) },
	{ "line", SORT_ORDER, .order = by_line },
	{ "object", SORT_TEXT, MEMBER(object) },
};

static const char *const ties[] = { "self", "total", "name", "line", "object", NULL };

static const struct sort sort = { columns, sizeof(columns) / sizeof(columns[0]), ties };

bool profile_sort_known(const char *column)
{
	return sort_knows(&sort, column);
}

void profile_rows_sort(struct profile_rows *rows, const char *column)
{
	sort_rows(&sort, column, rows->rows, rows->count, sizeof(*rows->rows), NULL);
}
