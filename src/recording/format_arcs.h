/* SPDX-License-Identifier: MIT
 *
 * format_arcs.h - calls counted by functions built with -pg; a part of format.h. Include that.
 */
#ifndef DWELL_RECORDING_FORMAT_ARCS_H
#define DWELL_RECORDING_FORMAT_ARCS_H

#include "recording/format.h"

/* A call from one place of the program to another, and how often it was made. */
struct record_arc {
	uint64_t from;  /* the return address, in the caller */
	uint64_t self;  /* an address in the called function; 0: not yet written */
	uint64_t count; /* grows, without atomics: one thread at a time writes it */
};

/* Calls counted by functions built with -pg, in the order of their first call. `count` grows. The
 * same arc may be in several items, and twice in one of them: add them up. Addresses refer to the
 * mappings at `time`, or the next after that. */
struct record_arcs {
	struct record_item item;
	uint64_t time; /* in the header's clock */
	uint32_t room;
	uint32_t count;
	struct record_arc arcs[];
};
_Static_assert(sizeof(struct record_arcs) % 8 == 0 && sizeof(struct record_arc) == 24,
	       "items are aligned to 8 bytes");

#endif
