/* SPDX-License-Identifier: MIT
 *
 * pprof_places.h - addresses for the locations of a profile of pprof.
 *
 * A location keeps its address if its mapping has it, no other location with other functions does,
 * and no other mapping of the process covers it. Otherwise it becomes a place without an address.
 */
#ifndef DWELL_IMPORT_PPROF_PLACES_H
#define DWELL_IMPORT_PPROF_PLACES_H

#include "pprof_tables.h"

/* A mapping in a process. */
struct pprof_mapped {
	uint32_t process, mapping;
	bool is_usable; /* it overlaps no earlier one */
};

/* Starts with its first two; free with pprof_places_free(). */
struct pprof_places {
	const struct pprof_tables *tables;
	struct draft *draft;
	struct pprof_mapped *mapped;
	size_t mapped_count;
	struct hash by_mapping;     /* process and mapping -> index in mapped */
	struct match_table claims;  /* object and offset */
	uint32_t *owners;           /* of claims: the location */
	struct draft_frame *frames; /* of the current location */
};

/* Finds the address of a location in a process. */
int pprof_places_find(struct pprof_places *places, uint32_t process, uint32_t location,
		      uint64_t *address, struct err *err);
void pprof_places_free(struct pprof_places *places);

#endif
