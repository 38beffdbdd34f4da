/* SPDX-License-Identifier: MIT
 *
 * arcs_private.h - arcs in private memory of the process, written to a file when it exits.
 */
#ifndef DWELL_RUNTIME_GMON_ARCS_PRIVATE_H
#define DWELL_RUNTIME_GMON_ARCS_PRIVATE_H

#include "arcs.h"

/* Arcs of one epoch and one thread. */
struct arcs_private {
	struct arcs_private *next; /* in the list of all chunks; set once */
	uint32_t epoch;
	struct record_arcs arcs;
};

/* Returns the chunk after this one; NULL: returns the first. Any context. */
struct arcs_private *arcs_private_next(const struct arcs_private *chunk);

/* Returns how many of its arcs are complete. */
static inline uint32_t arcs_private_count(const struct arcs_private *chunk)
{
	return __atomic_load_n(&chunk->arcs.count, __ATOMIC_ACQUIRE);
}

#endif
