/* SPDX-License-Identifier: MIT
 *
 * symbol_table.h - which function an address belongs to. Symbols are added in any order, then
 * sorted once; of several that begin at the same address, the one is kept that people would call it
 * by.
 */
#ifndef DWELL_SYMBOL_SYMBOL_TABLE_H
#define DWELL_SYMBOL_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t start;
	uint64_t end;     /* start: as far as the next one, or the limit */
	uint64_t limit;   /* where its section ends */
	uint64_t reach;   /* the furthest end of this and all before it (symbol_table_sort()) */
	const char *name; /* of whoever added it */
	bool is_label;    /* not said to be a function; it may be inside of one */
	bool is_local, is_weak;
	uint32_t order; /* of otherwise equal ones, the lowest is kept */
};

/* Starts as all zeroes. */
struct symbol_table {
	struct symbol *symbols;
	size_t count;
};

/* 0 or -ENOMEM. */
int symbol_table_add(struct symbol_table *table, const struct symbol *symbol);

/* After the last was added, and before any is looked for. */
void symbol_table_sort(struct symbol_table *table);

/* Of several, the one that begins last. NULL: there is none. */
const struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t address);

void symbol_table_free(struct symbol_table *table);

#endif
