/* SPDX-License-Identifier: MIT
 *
 * validate.h - the conditions that each kind of segment and item must meet before it is read.
 */
#ifndef DWELL_RECORDING_READ_VALIDATE_H
#define DWELL_RECORDING_READ_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/format.h"

/* Returns the offset of the items in a segment; 0: unknown kind. */
size_t validate_items_start(uint32_t kind);

/* Returns true if an item, all of which is in memory, has what its kind requires. */
bool validate_item(const struct record_item *item);

#endif
