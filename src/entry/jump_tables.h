/* SPDX-License-Identifier: MIT
 *
 * jump_tables.h - tables of jumps, as compilers make them for switch: distances of the cases from
 * the beginning of the table. Code that makes the address of data may use it as one. Where a table
 * ends is not known; but tables are next to each other, and the entries of the next one lead to
 * other places if they are read as those of the one before. So all of them are collected first.
 */
#ifndef DWELL_ENTRY_JUMP_TABLES_H
#define DWELL_ENTRY_JUMP_TABLES_H

#include "entry/scratch.h"
#include "entry/view.h"

struct targets_function;
struct jump_tables_piece;

struct jump_tables {
	uint64_t low, high; /* of all that the file has in memory */
	uint8_t *begins;    /* a bit for every 4 bytes: one begins there */
	struct scratch *scratch;
	struct jump_tables_piece *pieces;
	bool is_short; /* of memory: some are missing */
};

/* Returns 0, -ENOEXEC or -ENOMEM. */
int jump_tables_begin(struct jump_tables *tables, const struct view *view, struct scratch *scratch);

/* Notes that the code of a function makes the address of what may be a table; NULL: it is not known
 * which function that is. */
void jump_tables_add(struct jump_tables *tables, uint64_t address,
		     const struct targets_function *function);

typedef void jump_tables_found(void *argument, uint64_t target);

/* Reports all targets. A false one does no harm, beyond a function that could have been patched.
 * Returns 0 or -ENOMEM. */
int jump_tables_read(const struct jump_tables *tables, const struct view *view,
		     jump_tables_found *found, void *argument);

#endif
