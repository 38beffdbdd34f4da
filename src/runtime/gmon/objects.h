/* SPDX-License-Identifier: MIT
 *
 * objects.h - the program and its libraries in the form that gprof needs: the address of their
 * code, its address in the file, and the ticks per counter.
 *
 * A piece of code stays in the list after it was unmapped, with the epoch in which that happened:
 * counts belong to the piece that was there at the time. All functions may be called in any
 * context, unless noted otherwise.
 */
#ifndef DWELL_RUNTIME_GMON_OBJECTS_H
#define DWELL_RUNTIME_GMON_OBJECTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Bytes of text per counter: as fine as gprof can resolve. */
#define OBJECTS_BIN_BYTES 2

/* Code that is, or was, mapped from a file. */
struct gmon_object {
	uintptr_t start, end; /* mapped here */
	uint64_t address;     /* the file's address of `start` */
	uint64_t entry; /* the file's address of code that runs at load time; calls from other files
			   are attributed to it, since gprof knows no other caller */
	uint64_t inode; /* identifies the file */
	uint32_t times; /* atomic; number of ticks */
	uint32_t born, gone; /* epochs: from born until before gone; gone 0: it is mapped */
	bool is_program;
	bool is_called;            /* used by the writer: it has arcs */
	struct gmon_object *first; /* the first object of the same piece of the same file, which has
				 the counters of all; usually itself */
	uint32_t *bins;            /* atomic; NULL: no ticks so far */
	char path[PATH_MAX];
};

/* Allocates the list, once, not in a signal handler. Returns 0, or -errno if there is no memory. */
int objects_init(void);

/* Reads the mappings, unless another thread is doing so. True: there is a new object. */
bool objects_look(void);

/* Reads the mappings, waiting for another thread that does. Not in a signal handler. */
void objects_look_now(void);

/* Returns the object at an address, or that was there in that epoch; NULL: none is known. */
struct gmon_object *objects_at(uintptr_t address);
struct gmon_object *objects_then(uintptr_t address, uint32_t epoch);

/* Adds ticks to a counter. False: there is no memory for it. */
bool objects_tick(struct gmon_object *object, uintptr_t address, uint64_t weight);

static inline uint32_t objects_bins(const struct gmon_object *object)
{
	return (uint32_t)((object->end - object->start + OBJECTS_BIN_BYTES - 1) /
			  OBJECTS_BIN_BYTES);
}

/* Returns the object after this one; NULL: returns the first. */
struct gmon_object *objects_next(const struct gmon_object *object);

/* Resets the counts in the child of a fork: they are the parent's. */
void objects_forget_counts(void);

#endif
