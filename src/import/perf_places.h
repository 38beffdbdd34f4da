/* SPDX-License-Identifier: MIT
 *
 * perf_places.h - mappings of the processes of a perf.data, at the time of the record at hand; and
 * the names of the addresses in them, which a perf.data does not have.
 */
#ifndef DWELL_IMPORT_PERF_PLACES_H
#define DWELL_IMPORT_PERF_PLACES_H

#include "draft.h"
#include "perf_kernel.h"

struct perf_mapped {
	uint64_t start, end, offset;
	uint32_t object; /* in the draft; HASH_NONE: memory without a file */
};

/* The mappings of a process of the draft; later ones replace earlier ones. */
struct perf_space {
	struct perf_mapped *list;
	size_t count;
	struct hash done; /* addresses whose names are kept, and whether they are a call's */
};

/* Starts with its first two; free with perf_places_free(). */
struct perf_places {
	struct draft *draft;
	const struct perf_kernel *kernel;
	struct perf_space *spaces; /* of each process of the draft */
	size_t count;
};

/* Returns the mappings of a process; NULL: no memory. */
struct perf_space *perf_places_space(struct perf_places *places, uint32_t process);

/* Adds a mapping to a process, in the draft as well. */
int perf_places_map(struct perf_places *places, uint32_t process, const struct record_map *map,
		    const char *path, struct err *err);

/* Gives a process the mappings of its parent. */
int perf_places_inherit(struct perf_places *places, uint32_t process, uint32_t parent,
			struct err *err);

/* Finds the address in the draft of one that was sampled, and keeps its name. A caller's is its
 * return address. */
int perf_places_find(struct perf_places *places, uint32_t process, uint64_t address, bool is_return,
		     uint64_t *place, struct err *err);
int perf_places_find_kernel(struct perf_places *places, uint64_t address, uint64_t *place,
			    struct err *err);

void perf_places_free(struct perf_places *places);

#endif
