/* SPDX-License-Identifier: MIT */
#include "calls_sort.h"

#include "model/sort.h"

#define MEMBER(member) offsetof(struct calls_row, member)

static const struct sort_column columns[] = {
	{ "calls", SORT_UINT64, MEMBER(calls) },  { "total", SORT_UINT64, MEMBER(total_ns) },
	{ "self", SORT_UINT64, MEMBER(self_ns) }, { "mean", SORT_DOUBLE, MEMBER(mean_ns) },
	{ "p50", SORT_UINT64, MEMBER(p50_ns) },   { "p90", SORT_UINT64, MEMBER(p90_ns) },
	{ "p99", SORT_UINT64, MEMBER(p99_ns) },   { "min", SORT_UINT64, MEMBER(min_ns) },
	{ "max", SORT_UINT64, MEMBER(max_ns) },   { "name", SORT_TEXT, MEMBER(name) },
	{ "library", SORT_TEXT, MEMBER(object) }, { "cpu", SORT_UINT64, MEMBER(cpu_ns) },
};

static const char *const ties[] = { "total", "calls", "name", NULL };

static const struct sort sort = { columns, sizeof(columns) / sizeof(columns[0]), ties };

bool calls_sort_known(const char *column)
{
	return sort_knows(&sort, column);
}

void calls_sort(struct calls *calls, const char *column)
{
	if (!column && calls->counted)
		column = "calls";
	sort_rows(&sort, column, calls->rows, calls->count, sizeof(*calls->rows), NULL);
}
