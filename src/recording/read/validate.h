/* SPDX-License-Identifier: MIT
 *
 * validate.h - what must hold for each kind of segment and item before anybody may look into it.
 */
#ifndef DWELL_RECORDING_READ_VALIDATE_H
#define DWELL_RECORDING_READ_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/format.h"

/* Where the items of a segment begin; 0: it is of no known kind. */
size_t validate_items_start(uint32_t kind);

/* Whether an item, of which all bytes are there, has what its kind needs. */
bool validate_item(const struct record_item *item);

#endif
