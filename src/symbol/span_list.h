/* SPDX-License-Identifier: MIT
 *
 * span_list.h - which of many spans of addresses, that may lie in each other, an address is in.
 * Spans are added in any order, and sorted when one is first looked for.
 */
#ifndef DWELL_SYMBOL_SPAN_LIST_H
#define DWELL_SYMBOL_SPAN_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t low, high; /* from, and to before */
	uint64_t reach;     /* the furthest high of this and all before it, once they are sorted */
	uint32_t value;     /* of whoever added it */
	uint32_t depth;     /* the deepest is meant where several overlap */
};

/* Starts as all zeroes. */
struct span_list {
	struct span *spans;
	size_t count;
	bool is_sorted;
};

/* One that is empty is left out. 0 or -ENOMEM. */
int span_list_add(struct span_list *list, const struct span *span);

/* Of several of the same depth, the one that begins last. NULL: there is none. */
const struct span *span_list_find(struct span_list *list, uint64_t address);

void span_list_free(struct span_list *list);

#endif
