/* SPDX-License-Identifier: MIT
 *
 * export_places.h - where a frame is in each process. A place in a file is one frame for all
 * processes, with the address in the one that had it first.
 */
#ifndef DWELL_OUTPUT_EXPORT_EXPORT_PLACES_H
#define DWELL_OUTPUT_EXPORT_EXPORT_PLACES_H

#include "base/hash.h"
#include "model/profile/profile.h"

/* Starts as all zeroes; free with export_places_free(). */
struct export_places {
	struct hash by_both; /* process and mapping of a frame -> index */
	struct place_shift {
		const struct maps_process *process;
		const struct record_map *map;
		uint64_t bytes; /* that the process has it higher; modulo 2^64 */
	} * shifts;
	size_t count;
};

void export_places_free(struct export_places *places);

/* Returns the address of a frame in a process. If that has the file in several places, it is in the
 * first. Without memory, or if no mapping of the process is known, it is the frame's own. */
uint64_t export_place(struct export_places *places, const struct maps_process *process,
		      const struct frame *frame);

#endif
