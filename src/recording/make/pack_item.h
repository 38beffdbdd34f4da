/* SPDX-License-Identifier: MIT
 *
 * pack_item.h - copies items of a recording without their unused space.
 */
#ifndef DWELL_RECORDING_MAKE_PACK_ITEM_H
#define DWELL_RECORDING_MAKE_PACK_ITEM_H

#include <stddef.h>

#include "recording/format.h"

/* Returns the size of an item without unused space. */
size_t pack_item_bytes(const struct record_item *item);

/* Copies an item to a place with that much space, which is zeroed. Returns its size there. */
size_t pack_item_put(char *at, const struct record_item *item);

#endif
