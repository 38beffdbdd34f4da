/* SPDX-License-Identifier: MIT
 *
 * arcs_private.h - arcs in memory of the process's own, to be written out at its end.
 */
#ifndef DWELL_RUNTIME_GMON_ARCS_PRIVATE_H
#define DWELL_RUNTIME_GMON_ARCS_PRIVATE_H

#include "arcs.h"

/* Arcs of one epoch, by one thread. */
struct arcs_private {
	struct arcs_private *next; /* in the list of all; set once */
	uint32_t epoch;
	struct record_arcs arcs;
};

/* The next of all; NULL: the first. Any context. */
struct arcs_private *arcs_private_next(const struct arcs_private *chunk);

/* How many of its arcs are complete as far as anybody can tell. */
static inline uint32_t arcs_private_count(const struct arcs_private *chunk)
{
	return __atomic_load_n(&chunk->arcs.count, __ATOMIC_ACQUIRE);
}

#endif
