/* SPDX-License-Identifier: MIT
 *
 * maps.h - what a process had mapped where, and when. Of all that was ever mapped at an address,
 * what came last before an instant is what holds: so a library that is closed, and another one that
 * is opened in its place, are told apart.
 *
 * A child of fork() has what its parent had by then, as far as nothing of its own is there; exec()
 * starts a process anew.
 */
#ifndef DWELL_MODEL_PROFILE_MAPS_H
#define DWELL_MODEL_PROFILE_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "map_tree.h"
#include "recording/read/reader.h"

struct maps_process {
	uint64_t offset; /* of its segment */
	const struct record_process *process;
	const struct maps_process *parent; /* that it was forked from; NULL: none is known */
	struct map_event *events;          /* by time */
	size_t count;
	struct map_tree tree; /* of the events */
};

struct maps {
	struct maps_process *processes; /* by offset */
	size_t count;
};

/* What is at an address from one instant (in ticks) to before another. */
struct maps_found {
	const struct record_map *map; /* NULL: nothing that is known */
	uint64_t from, until;
};

/* The reader must outlive the answer. On success, maps_free() is due. */
int maps_read(struct maps *maps, const struct reader *reader, struct err *err);
void maps_free(struct maps *maps);

/* NULL: there is none. */
const struct maps_process *maps_process(const struct maps *maps, uint64_t offset);

/* For who follows a recording that grows: one process at a time, which starts with its record and
 * parent alone. Adds what a MAP or UNMAP says, which must stay; then they can be found. 0 or
 * -errno; on both, maps_process_fini() is due. */
int maps_add(struct maps_process *process, const struct record_item *item, struct err *err);
int maps_index(struct maps_process *process, struct err *err);
void maps_process_fini(struct maps_process *process);

/* At a time. If nothing was there yet, what came next: code runs before it is written down. */
struct maps_found maps_find(const struct maps_process *process, uint64_t address, uint64_t time);

#endif
