/* SPDX-License-Identifier: MIT
 *
 * item_list.h - items of a recording, one behind the other in memory.
 */
#ifndef DWELL_RECORDING_MAKE_ITEM_LIST_H
#define DWELL_RECORDING_MAKE_ITEM_LIST_H

#include <stddef.h>
#include <stdint.h>

/* Starts as all zeroes; free `bytes` with free(). */
struct item_list {
	char *bytes;
	size_t size, room;
};

/* Returns space for an item of this size, zeroed except for its head; valid until the next call.
 * NULL: no memory. */
void *item_list_add(struct item_list *list, uint32_t kind, size_t size);

#endif
