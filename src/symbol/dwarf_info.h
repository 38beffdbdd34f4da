/* SPDX-License-Identifier: MIT
 *
 * dwarf_info.h - what the debug information of a file says of its addresses: which functions are
 * inlined there, and lines of the source. Indexes are built unit by unit, when one is first asked
 * for.
 */
#ifndef DWELL_SYMBOL_DWARF_INFO_H
#define DWELL_SYMBOL_DWARF_INFO_H

#include <elfutils/libdw.h>

#include "symbol/place.h"
#include "symbol/symbol_table.h"

struct dwarf_info;

/* Debug information and symbols must outlive it. 0 or -ENOMEM. */
int dwarf_info_new(struct dwarf_info **info, Dwarf *dwarf, const struct symbol_table *symbols);
void dwarf_info_free(struct dwarf_info *info);

/* An address, as the debug information counts, and the symbol there, or NULL. */
struct dwarf_info_query {
	uint64_t address;
	const struct symbol *symbol;
	bool inlines, lines; /* what is asked for */
};

/* Adds what is known to a place which has the function that is really there as its only frame. 0 or
 * -ENOMEM. */
int dwarf_info_find(struct dwarf_info *info, const struct dwarf_info_query *query,
		    struct place *place);

#endif
