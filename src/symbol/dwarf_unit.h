/* SPDX-License-Identifier: MIT
 *
 * dwarf_unit.h - one compilation unit of a file's debug information: finds the function at an
 * address of it, and those inlined there. The tree of entries is walked on demand: functions at the
 * first lookup in the unit, the functions inlined in one at the first lookup there.
 */
#ifndef DWELL_SYMBOL_DWARF_UNIT_H
#define DWELL_SYMBOL_DWARF_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/span_list.h"

/* A function, or one that was inlined in it. */
struct dwarf_block {
	Dwarf_Die die;
	uint32_t outer;           /* the block that it is inlined in; DWARF_NO_BLOCK: none */
	uint32_t function;        /* for the caller's use; DWARF_NO_BLOCK at first */
	bool is_walked;           /* in a function: its inlined functions are known */
	struct span_list inlined; /* in a function: its blocks, by address */
};

#define DWARF_NO_BLOCK UINT32_MAX

/* Starts as all zeroes except for the entries. */
struct dwarf_unit {
	Dwarf_Die die;                /* with the line table */
	Dwarf_Die code;               /* with the functions: the same, or that of a .dwo file */
	bool is_scanned, is_searched; /* for functions, and for nested ones */
	struct dwarf_block *blocks;
	size_t count;
	struct span_list functions; /* blocks that are functions, by address */
};

/* Returns the directory in which a unit was compiled, to which paths of its files may be relative;
 * NULL: unknown.
 */
const char *dwarf_unit_folder(Dwarf_Die *die);

/* Finds the innermost block at an address; DWARF_NO_BLOCK: none. Returns 0 or -ENOMEM. */
int dwarf_unit_find(struct dwarf_unit *unit, uint64_t address, uint32_t *block);

void dwarf_unit_free(struct dwarf_unit *unit);

#endif
