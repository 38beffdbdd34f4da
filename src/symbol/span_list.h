/* SPDX-License-Identifier: MIT
 *
 * span_list.h - finds the span that an address is in, among many that may be nested. Spans are
 * added in any order, and sorted at the first search.
 */
#ifndef DWELL_SYMBOL_SPAN_LIST_H
#define DWELL_SYMBOL_SPAN_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t low, high; /* first, and behind the last */
	uint64_t reach;     /* the greatest high of this and all before it, once sorted */
	uint32_t value;     /* for the caller's use */
	uint32_t depth;     /* the deepest is found if several overlap */
};

/* Starts as all zeroes. */
struct span_list {
	struct span *spans;
	size_t count;
	bool is_sorted;
};

/* Ignores an empty one. Returns 0 or -ENOMEM. */
int span_list_add(struct span_list *list, const struct span *span);

/* Finds the one that begins last among several of the same depth. NULL: none. */
const struct span *span_list_find(struct span_list *list, uint64_t address);

void span_list_free(struct span_list *list);

#endif
