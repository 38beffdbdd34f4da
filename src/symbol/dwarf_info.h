/* SPDX-License-Identifier: MIT
 *
 * dwarf_info.h - looks addresses up in the debug information of a file: inlined functions, and
 * lines of the source. Indexes are built unit by unit, on first use.
 */
#ifndef DWELL_SYMBOL_DWARF_INFO_H
#define DWELL_SYMBOL_DWARF_INFO_H

#include <elfutils/libdw.h>

#include "symbol/place.h"
#include "symbol/symbol_table.h"

struct dwarf_info;

/* Returns 0 or -ENOMEM. Debug information and symbols must outlive it. */
int dwarf_info_new(struct dwarf_info **info, Dwarf *dwarf, const struct symbol_table *symbols);
void dwarf_info_free(struct dwarf_info *info);

/* An address, as in the debug information, and the symbol there, or NULL. */
struct dwarf_info_query {
	uint64_t address;
	const struct symbol *symbol;
	bool inlines, lines; /* wanted */
};

/* Adds what is known to a place whose only frame is the function that is really there. Returns 0 or
 * -ENOMEM. */
int dwarf_info_find(struct dwarf_info *info, const struct dwarf_info_query *query,
		    struct place *place);

#endif
