/* SPDX-License-Identifier: MIT
 *
 * dwarf_functions.h - the functions that debug information knows, each once: whether it is inlined
 * or called, and however many units have a copy of it. One that has code of its own is called by
 * its symbol there.
 */
#ifndef DWELL_SYMBOL_DWARF_FUNCTIONS_H
#define DWELL_SYMBOL_DWARF_FUNCTIONS_H

#include <elfutils/libdw.h>

#include "base/hash.h"
#include "symbol/dwarf_unit.h"
#include "symbol/symbol_table.h"

/* Names belong to the symbols or to the debug information. */
struct dwarf_function {
	const char *name;   /* as the debug information has it, mangled if it can be */
	const char *symbol; /* the same text, or NULL: it has no name */
	uint64_t start;     /* 0: it is only ever inlined */
	bool is_external; /* known outside of its unit, though perhaps not of its file; or else: */
	uint64_t line;    /* of its declaration, */
	uint64_t file;    /* in a file which has this number in its unit, */
	Dwarf_CU *unit;   /* which is this one; NULL: none of it is known */
	Dwarf_Die lines;  /* with this table of files */
};

/* Starts as all zeroes but for the symbols, which outlive it. */
struct dwarf_functions {
	const struct symbol_table *symbols;
	struct dwarf_function *list;
	size_t count;
	struct hash by_key;  /* of name and line -> place in the list */
	struct hash by_name; /* of symbols -> place in their table */
	uint32_t *next;      /* symbol of the same key in by_name */
};

/* The function that an entry of a unit is of. Where it is not inlined, `own` is the symbol there;
 * NULL otherwise. 0 or -ENOMEM. */
int dwarf_functions_find(struct dwarf_functions *functions, struct dwarf_unit *unit, Dwarf_Die *die,
			 const struct symbol *own, uint32_t *number);

void dwarf_functions_free(struct dwarf_functions *functions);

#endif
