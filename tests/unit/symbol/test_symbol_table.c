/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "symbol/symbol_table.h"
#include "tap.h"

static struct symbol_table table;

static void add(uint64_t start, uint64_t size, const char *name, const char *kind)
{
	struct symbol symbol = { .start = start,
				 .end = start + size,
				 .limit = 1000,
				 .name = name,
				 .is_label = strchr(kind, 'n'),
				 .is_local = strchr(kind, 'l'),
				 .is_weak = strchr(kind, 'w') };

	if (symbol_table_add(&table, &symbol))
		bail_out("no memory");
}

static bool is(uint64_t address, const char *name)
{
	const struct symbol *symbol = symbol_table_find(&table, address);

	return strcmp(symbol ? symbol->name : "", name) == 0;
}

int main(void)
{
	symbol_table_sort(&table);
	ok(is(0, ""), "an empty table has nothing");
	add(100, 50, "local", "l");
	add(100, 50, "__function", "");
	add(100, 50, "function", "");
	add(100, 50, "weak", "w");
	add(120, 0, "label", "n");
	add(110, 10, "inner", "");
	add(200, 0, "open", "n");
	add(300, 10, "last", "l");
	add(400, 10, "short", "");
	add(400, 30, "longer", "w");
	add(400, 20, "longest_of_locals", "l");
	add(500, 10, "__GI___clone3", "l");
	add(500, 10, "__clone3", "l");
	add(520, 10, "__GI_alone", "l");
	add(900, 0, "end", "");
	symbol_table_sort(&table);
	ok(is(99, "") && is(100, "function") && is(149, "function") && is(150, ""),
	   "of several names, the one that people know");
	ok(is(110, "inner") && is(119, "inner"), "a symbol inside another one wins");
	ok(is(120, "function") && is(125, "function"), "but for labels, which have no size");
	ok(is(200, "open") && is(299, "open"), "elsewhere they reach to the next");
	ok(is(300, "last") && is(310, ""), "a size ends before that");
	ok(is(400, "short") && is(429, "short") && is(430, ""),
	   "names of one function are as long as the longest of them");
	ok(is(500, "__clone3") && is(520, "__GI_alone"),
	   "a name that glibc has for itself is used only without another");
	ok(is(999, "end") && is(1000, ""), "the last reaches to the end of its section");
	symbol_table_free(&table);
	return tap_done();
}
