/* SPDX-License-Identifier: MIT
 *
 * dwarf_functions.h - the functions in debug information, each once: inlined or called, and however
 * many units have a copy of it. One with code of its own is named by its symbol there.
 */
#ifndef DWELL_SYMBOL_DWARF_FUNCTIONS_H
#define DWELL_SYMBOL_DWARF_FUNCTIONS_H

#include <elfutils/libdw.h>

#include "base/hash.h"
#include "symbol/dwarf_names.h"
#include "symbol/dwarf_unit.h"
#include "symbol/symbol_table.h"

/* Names belong to the symbols, to the debug information or to dwarf_names.h. */
struct dwarf_function {
	const char *name;   /* as in the debug information, mangled if possible */
	const char *symbol; /* the same text, or NULL: no name */
	uint64_t start;     /* 0: always inlined */
	bool is_external;   /* visible outside its unit, though perhaps not its file; or else: */
	uint64_t line;      /* of its declaration, */
	uint64_t file;      /* in the file with this number in its unit, */
	Dwarf_CU *unit;     /* which is this one; NULL: all of this is unknown */
	Dwarf_Die lines;    /* with this table of files */
};

/* Starts as all zeroes except for the symbols, which must outlive it. */
struct dwarf_functions {
	const struct symbol_table *symbols;
	struct dwarf_function *list;
	size_t count;
	struct hash by_key;  /* name and line -> index in the list */
	struct hash by_name; /* name of a symbol -> index in their table */
	struct dwarf_names names;
	uint32_t *next; /* symbol of the same key in by_name */
};

/* Finds the function of an entry of a unit. If it is not inlined, `own` is the symbol there; NULL
 * otherwise. Returns 0 or -ENOMEM. */
int dwarf_functions_find(struct dwarf_functions *functions, struct dwarf_unit *unit, Dwarf_Die *die,
			 const struct symbol *own, uint32_t *number);

void dwarf_functions_free(struct dwarf_functions *functions);

#endif
