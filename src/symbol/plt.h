/* SPDX-License-Identifier: MIT
 *
 * plt.h - names the stubs through which a file calls functions of others: "puts@plt". They are in
 * no symbol table; the names come from the relocation of the slot that a stub jumps through.
 */
#ifndef DWELL_SYMBOL_PLT_H
#define DWELL_SYMBOL_PLT_H

#include <libelf.h>

#include "symbol/symbol_table.h"

/* Starts as all zeroes. */
struct plt {
	char **names;
	size_t count;
};

/* Adds the stubs to a table, with names owned by the plt. Returns 0 or -ENOMEM; an invalid file has
 * none. */
int plt_add(struct plt *plt, Elf *elf, struct symbol_table *table);
void plt_free(struct plt *plt);

#endif
