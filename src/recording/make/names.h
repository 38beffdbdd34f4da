/* SPDX-License-Identifier: MIT
 *
 * names.h - names that the tool adds to a recording when the command has exited: those of addresses
 * that are in its stacks.
 */
#ifndef DWELL_RECORDING_MAKE_NAMES_H
#define DWELL_RECORDING_MAKE_NAMES_H

#include "create.h"
#include "item_list.h"
#include "recording/read/reader.h"

/* Addresses in order. Starts as all zeroes; free `list` with free(). */
struct names_pcs {
	uint64_t *list;
	size_t count;
};

/* Collects all addresses in the stacks of a process, by the offset of its segment. Returns 0 or
 * -ENOMEM. */
int names_find_pcs(struct names_pcs *pcs, const struct reader *reader, uint64_t process);

/* Writes items as further NAMES of a process. Returns 0 or -EIO. */
int names_write(const struct creation *creation, uint64_t process, const struct item_list *items);

#endif
