/* SPDX-License-Identifier: MIT
 *
 * draft_place.h - objects and places of a draft, for draft.c and draft_save.c.
 */
#ifndef DWELL_IMPORT_DRAFT_PLACE_H
#define DWELL_IMPORT_DRAFT_PLACE_H

#include "draft.h"

/* Adds the mappings of all places without an address to a process. */
int draft_place_maps(struct draft *draft, uint32_t process, struct err *err);
void draft_place_free(struct draft *draft);

#endif
