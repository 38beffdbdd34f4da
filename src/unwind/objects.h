/* SPDX-License-Identifier: MIT
 *
 * objects.h - what is mapped where in the target, and where its call frame information is.
 *
 * A table of mappings is built outside of signal handlers and published whole; walks see the old
 * one or the new one. There are two tables in turn, so that there is always one to build in, as
 * soon as the walks that began before the last publication have ended.
 */
#ifndef DWELL_UNWIND_OBJECTS_H
#define DWELL_UNWIND_OBJECTS_H

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MAPPING_CODE = 1,        /* can be executed: a return address may be here */
	MAPPING_UNRELOCATED = 2, /* unwind data as in the file: pointers lack the bias */
};

/*
 * A loaded segment of an object; or any other mapping, as of code that was made at run time.
 * Invariant: start < end, start <= direct_end <= end.
 */
struct mapping {
	uintptr_t start, end;
	uintptr_t direct_end; /* start up to here can be read at any time, at address + shift */
	uintptr_t shift;
	uintptr_t header; /* .eh_frame_hdr of the object; 0: none */
	uintptr_t frames; /* .eh_frame, where there is no header; 0: none */
	uintptr_t bias;
	uint32_t header_bytes, frames_bytes;
	uint32_t flags;
};

/* Invariant, once published: sorted by start, no overlaps. Does not change then. */
struct table {
	uint32_t generation; /* counts publications */
	uint32_t count, capacity;
	uint32_t left_out; /* did not fit, or lay across others */
	struct mapping mappings[];
};

struct objects {
	struct table *tables[2];
	_Atomic unsigned current;
	_Atomic unsigned walks[2]; /* under way in each table */
};

/* An object as dl_iterate_phdr() tells of it, or as its file does. */
struct object {
	uintptr_t bias;
	const ElfW(Phdr) * headers;
	size_t header_count;
	/*
	 * Whether it stays mapped while there are walks, so that it may be read without asking. Of
	 * one that dlclose() may unmap in another thread, that cannot be said.
	 */
	bool stays;
	const void *file; /* all of it, to walk in another process; NULL: it is mapped here */
	/* .eh_frame, without the bias, where no program header tells; of 0 bytes: nobody knows. */
	uintptr_t frames;
	size_t frames_bytes;
};

/* Outside of handlers; what changes objects is under a lock of the caller's. */

/* Memory for both tables; it is the caller's. -EINVAL: too small for one mapping each. */
int objects_init(struct objects *objects, void *memory, size_t size);

/* The table to build in, empty. NULL: walks are still using it; try again. */
struct table *objects_begin(struct objects *objects);
/* What was built is what walks see from now on, with a new generation. */
void objects_publish(struct objects *objects);

/* 0, -ENOSPC: it is left out. */
int table_put(struct table *table, const struct mapping *mapping);
int table_add_object(struct table *table, const struct object *object);

/* In a child of fork(): walks of other threads have not come along. */
void objects_after_fork(struct objects *objects);

/* In handlers. */

/* The current table; it stays as it is until objects_leave(). */
const struct table *objects_enter(struct objects *objects);
void objects_leave(struct objects *objects, const struct table *table);

/* The mapping an address is in; NULL: none. */
const struct mapping *table_find(const struct table *table, uintptr_t address);

#endif
