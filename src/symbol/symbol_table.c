/* SPDX-License-Identifier: MIT */
#include "symbol/symbol_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/vec.h"

int symbol_table_add(struct symbol_table *table, const struct symbol *symbol)
{
	struct symbol *more = vec_room(table->symbols, table->count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	table->symbols = more;
	table->symbols[table->count++] = *symbol;
	return 0;
}

/* Returns true for the name by which glibc calls a function of its own without the PLT. */
static bool is_internal(const char *name)
{
	return strncmp(name, "__GI_", 5) == 0;
}

/* Compares two names of one function: the better known one is not glibc's internal one, and has
 * fewer leading underscores. */
static int compare_names(const char *a, const char *b)
{
	size_t one = strspn(a, "_"), other = strspn(b, "_");

	if (is_internal(a) != is_internal(b))
		return is_internal(a) - is_internal(b);
	if (one != other)
		return one < other ? -1 : 1;
	return strcmp(a, b);
}

static int compare(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->is_label != b->is_label)
		return a->is_label - b->is_label;
	if (a->is_local != b->is_local)
		return a->is_local - b->is_local;
	if (a->is_weak != b->is_weak)
		return a->is_weak - b->is_weak;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return compare_names(a->name, b->name);
}

/* Keeps one for each start, as long as the longest of those. */
static void drop_aliases(struct symbol_table *table)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->count; i++) {
		struct symbol *symbol = &table->symbols[i];
		struct symbol *last = kept ? &table->symbols[kept - 1] : NULL;

		if (!last || last->start != symbol->start)
			table->symbols[kept++] = *symbol;
		else if (last->end < symbol->end)
			last->end = symbol->end;
	}
	table->count = kept;
}

/* Removes symbols without a size inside one with a size: they are labels in it. */
static void drop_labels(struct symbol_table *table)
{
	uint64_t reach = 0;
	size_t kept = 0;

	for (size_t i = 0; i < table->count; i++) {
		struct symbol *symbol = &table->symbols[i];

		if (symbol->end == symbol->start && symbol->start < reach)
			continue;
		if (symbol->end > reach)
			reach = symbol->end;
		table->symbols[kept++] = *symbol;
	}
	table->count = kept;
}

static void extend(struct symbol_table *table)
{
	uint64_t reach = 0;

	for (size_t i = 0; i < table->count; i++) {
		struct symbol *symbol = &table->symbols[i];
		uint64_t next = i + 1 < table->count ? symbol[1].start : UINT64_MAX;

		if (symbol->end == symbol->start)
			symbol->end = next < symbol->limit ? next : symbol->limit;
		if (symbol->end > reach)
			reach = symbol->end;
		symbol->reach = reach;
	}
}

void symbol_table_sort(struct symbol_table *table)
{
	if (table->count)
		qsort(table->symbols, table->count, sizeof(*table->symbols), compare);
	drop_aliases(table);
	drop_labels(table);
	extend(table);
}

static uint64_t start_at(const void *symbols, size_t i)
{
	return ((const struct symbol *)symbols)[i].start;
}

const struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t address)
{
	size_t low = bisect(start_at, table->symbols, table->count, address);

	for (; low && table->symbols[low - 1].reach > address; low--)
		if (table->symbols[low - 1].end > address)
			return &table->symbols[low - 1];
	return NULL;
}

void symbol_table_free(struct symbol_table *table)
{
	free(table->symbols);
	*table = (struct symbol_table){ 0 };
}
