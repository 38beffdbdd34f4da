/* SPDX-License-Identifier: MIT
 *
 * maps.h - the mappings of a process over time. At an instant, the last event before it at an
 * address is valid: so a library that is closed, and another one that is opened in its place, are
 * separate.
 *
 * A function of a script is mapped as well, at addresses of its own; and so is one that the process
 * compiled itself, in memory that is mapped without a file.
 *
 * A child of fork() has its parent's mappings of that time, except where it has its own; exec()
 * starts with none.
 */
#ifndef DWELL_MODEL_PROFILE_MAPS_H
#define DWELL_MODEL_PROFILE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "map_tree.h"
#include "recording/read/reader.h"

/* Events of one kind. */
struct maps_history {
	struct map_event *events; /* by time */
	size_t count;
	struct map_tree tree; /* of the events */
};

struct maps_process {
	uint64_t offset;   /* of its segment */
	uint32_t run;      /* number of its run */
	uint32_t machine;  /* where its pid is valid: see recording/read/runs.h */
	bool is_elsewhere; /* its run is of another machine: see there */
	bool has_scripts;  /* functions that an interpreter runs have been seen in it */
	const struct record_region *
		*regions; /* RECORD_REGIONS_MAX of them, by number, each may be NULL; NULL: none */
	const struct record_process *process;
	const struct maps_process *parent; /* that it was forked from; NULL: none known */
	struct maps_history mapped;        /* files, memory and scripts */
	struct maps_history made;          /* compiled functions */
};

struct maps {
	struct maps_process *processes; /* by offset */
	size_t count;
};

/* The mapping at an address from one instant (in ticks) to before another. */
struct maps_found {
	const struct record_map *map;       /* NULL: none known, or a script */
	const struct record_script *script; /* or a compiled function; NULL: neither */
	uint64_t from, until;
};

/* Reads all mappings. The reader must outlive the result. On success, free with maps_free(). */
int maps_read(struct maps *maps, const struct reader *reader, struct err *err);
void maps_free(struct maps *maps);

/* Returns NULL if there is none. */
const struct maps_process *maps_process(const struct maps *maps, uint64_t offset);

/* Adds a MAP, UNMAP, SCRIPT or REGION of a growing recording, which must stay valid, to one
 * process, which starts with its record and parent alone; then makes them searchable. Each returns
 * 0 or -errno; in either case, free with maps_process_fini(). */
int maps_add(struct maps_process *process, const struct record_item *item, struct err *err);
int maps_index(struct maps_process *process, struct err *err);
void maps_process_fini(struct maps_process *process);

/* Returns the name of the region that an address of a stack stands for; NULL: it is of code. */
const char *maps_region(const struct maps_process *process, uint64_t address);

/* Returns true for a map of a file, or of the vdso. */
bool maps_is_file(const struct record_map *map);
bool maps_is_path(const char *path);

/* Returns true for memory of no file, where programs run code that they have made. */
bool maps_is_memory(const char *path);

/* Finds the mapping at a time. If there was none yet, returns the next one: code runs before its
 * mapping is written. */
struct maps_found maps_find(const struct maps_process *process, uint64_t address, uint64_t time);

#endif
