/* SPDX-License-Identifier: MIT */
#include "symbol/span_list.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"

int span_list_add(struct span_list *list, const struct span *span)
{
	struct span *more;

	if (span->low >= span->high)
		return 0;
	more = vec_room(list->spans, list->count, sizeof(*more));
	if (!more)
		return -ENOMEM;
	list->spans = more;
	list->spans[list->count++] = *span;
	list->is_sorted = false;
	return 0;
}

static int by_low(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return (a->value > b->value) - (a->value < b->value);
}

static void sort(struct span_list *list)
{
	uint64_t reach = 0;

	if (list->count)
		qsort(list->spans, list->count, sizeof(*list->spans), by_low);
	for (size_t i = 0; i < list->count; i++) {
		if (reach < list->spans[i].high)
			reach = list->spans[i].high;
		list->spans[i].reach = reach;
	}
	list->is_sorted = true;
}

static uint64_t low_at(const void *spans, size_t i)
{
	return ((const struct span *)spans)[i].low;
}

/* Returns how many begin at or before an address. */
static size_t count_before(const struct span_list *list, uint64_t address)
{
	return bisect(low_at, list->spans, list->count, address);
}

const struct span *span_list_find(struct span_list *list, uint64_t address)
{
	const struct span *best = NULL;

	if (!list->is_sorted)
		sort(list);
	for (size_t i = count_before(list, address); i > 0; i--) {
		const struct span *span = &list->spans[i - 1];

		if (span->reach <= address)
			break;
		if (address < span->high && (!best || span->depth > best->depth))
			best = span;
	}
	return best;
}

void span_list_free(struct span_list *list)
{
	free(list->spans);
	*list = (struct span_list){ 0 };
}
