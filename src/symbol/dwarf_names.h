/* SPDX-License-Identifier: MIT
 *
 * dwarf_names.h - names of functions in debug information: mangled ones where there are any. gcc
 * writes none for C++ functions that are local to their unit; those get the names of their
 * namespaces and classes in front, as a demangler would print them.
 */
#ifndef DWELL_SYMBOL_DWARF_NAMES_H
#define DWELL_SYMBOL_DWARF_NAMES_H

#include <elfutils/libdw.h>

#include "base/hash.h"

/* Composed names. Starts as all zeroes. */
struct dwarf_names {
	char **list;
	size_t count;
	struct hash by_entry; /* offset of the function's entry -> index in the list */
};

/* Finds the name of a function or of an inlined copy of it; *name is NULL if it has none. The name
 * belongs to the debug information or to `names`. Returns 0 or -ENOMEM. */
int dwarf_names_find(struct dwarf_names *names, Dwarf_Die *die, const char **name);

void dwarf_names_free(struct dwarf_names *names);

#endif
