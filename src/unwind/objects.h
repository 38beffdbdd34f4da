/* SPDX-License-Identifier: MIT
 *
 * objects.h - the mappings of the target, and where their call frame information is.
 *
 * A table of mappings is built outside signal handlers and published whole; a walk sees the old one
 * or the new one. Two tables alternate, so that one is free for building as soon as the walks that
 * began before the last publication have ended.
 */
#ifndef DWELL_UNWIND_OBJECTS_H
#define DWELL_UNWIND_OBJECTS_H

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MAPPING_CODE = 1,        /* executable: a return address may be here */
	MAPPING_UNRELOCATED = 2, /* unwind data as in the file: pointers lack the bias */
};

/* A loaded segment of an object; or any other mapping, such as code made at run time. Invariant:
 * start < end, start <= direct_end <= end. */
struct mapping {
	uintptr_t start, end;
	uintptr_t direct_end; /* start up to here can be read at any time, at address + shift */
	uintptr_t shift;
	uintptr_t header; /* .eh_frame_hdr of the object; 0: none */
	uintptr_t frames; /* .eh_frame, without a header; 0: none */
	uintptr_t bias;
	uint32_t header_bytes, frames_bytes;
	uint32_t flags;
};

/* Invariant, once published: sorted by start, no overlaps. Immutable then. */
struct eh_table {
	uint32_t generation; /* counts publications */
	uint32_t count, capacity;
	uint32_t left_out; /* did not fit, or overlapped others */
	struct mapping mappings[];
};

struct objects {
	struct eh_table *tables[2];
	_Atomic unsigned current;
	_Atomic unsigned walks[2]; /* under way in each table */
};

/* An object as described by dl_iterate_phdr() or by its file. */
struct object {
	uintptr_t bias;
	const ElfW(Phdr) * headers;
	size_t header_count;
	/* The object stays mapped while there are walks, so that it may be read directly. False for
	 * one that dlclose() may unmap in another thread. */
	bool stays;
	const void *file; /* all of it, to walk in another process; NULL: mapped here */
	/* .eh_frame, without the bias, if no program header describes it; of 0 bytes: unknown. */
	uintptr_t frames;
	size_t frames_bytes;
};

/* Outside handlers; functions that change objects are called under a lock of the caller's. */

/* Initialises both tables in memory owned by the caller. -EINVAL: too small for one mapping
 * each. */
int objects_init(struct objects *objects, void *memory, size_t size);

/* Returns the empty table to build in. NULL: walks are still using it; try again. */
struct eh_table *objects_begin(struct objects *objects);
/* Makes the table just built the current one for walks, with a new generation. */
void objects_publish(struct objects *objects);

/* Returns 0, or -ENOSPC: it is left out. */
int table_put(struct eh_table *table, const struct mapping *mapping);
int table_add_object(struct eh_table *table, const struct object *object);

/* Resets the count of walks in a child of fork(), in which other threads do not exist. */
void objects_after_fork(struct objects *objects);

/* In handlers. */

/* Returns the current table, which does not change until objects_leave(). */
const struct eh_table *objects_enter(struct objects *objects);
void objects_leave(struct objects *objects, const struct eh_table *table);

/* Returns the mapping that an address is in; NULL: none. */
const struct mapping *table_find(const struct eh_table *table, uintptr_t address);

#endif
