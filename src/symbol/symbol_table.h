/* SPDX-License-Identifier: MIT
 *
 * symbol_table.h - finds the function that an address belongs to. Symbols are added in any order,
 * then sorted once; of several that begin at the same address, the best known name is kept.
 */
#ifndef DWELL_SYMBOL_SYMBOL_TABLE_H
#define DWELL_SYMBOL_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t start;
	uint64_t end;     /* start: unknown, up to the next one, or the limit */
	uint64_t limit;   /* end of its section */
	uint64_t reach;   /* the greatest end of this and all before it (symbol_table_sort()) */
	const char *name; /* owned by the caller */
	bool is_label;    /* not marked as a function; may be inside one */
	bool is_local, is_weak;
	uint32_t order; /* the lowest of otherwise equal ones is kept */
};

/* Starts as all zeroes. */
struct symbol_table {
	struct symbol *symbols;
	size_t count;
};

/* Returns 0 or -ENOMEM. */
int symbol_table_add(struct symbol_table *table, const struct symbol *symbol);

/* Sorts, after the last was added and before the first search. */
void symbol_table_sort(struct symbol_table *table);

/* Finds the one that begins last. NULL: none. */
const struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t address);

void symbol_table_free(struct symbol_table *table);

#endif
