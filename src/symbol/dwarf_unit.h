/* SPDX-License-Identifier: MIT
 *
 * dwarf_unit.h - one compilation unit of a file's debug information: which function an address of
 * it is in, and which ones were inlined there. The tree of its entries is walked no further than
 * has been asked for: functions when the unit is first looked at, what is inlined in one when that
 * is.
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
	uint32_t outer;    /* the block that it is inlined in; DWARF_NO_BLOCK: it is in none */
	uint32_t function; /* for whoever asks; DWARF_NO_BLOCK to begin with */
	bool is_walked;    /* of a function: what is inlined in it is known */
	struct span_list inlined; /* of a function: the blocks in it, by address */
};

#define DWARF_NO_BLOCK UINT32_MAX

/* Starts as all zeroes but for the entries. */
struct dwarf_unit {
	Dwarf_Die die;                /* with the line table */
	Dwarf_Die code;               /* with the functions: the same, or that of a .dwo file */
	bool is_scanned, is_searched; /* for functions, and for those inside of others */
	struct dwarf_block *blocks;
	size_t count;
	struct span_list functions; /* those blocks that are functions, by address */
};

/* The folder that a unit was compiled in, which paths of its files may be relative to; NULL:
 * unknown.
 */
const char *dwarf_unit_folder(Dwarf_Die *die);

/* The innermost block at an address; DWARF_NO_BLOCK: none is known. 0 or -ENOMEM. */
int dwarf_unit_find(struct dwarf_unit *unit, uint64_t address, uint32_t *block);

void dwarf_unit_free(struct dwarf_unit *unit);

#endif
