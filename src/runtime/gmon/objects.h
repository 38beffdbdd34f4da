/* SPDX-License-Identifier: MIT
 *
 * objects.h - the program and its libraries as gprof is told of them: where their code is, at which
 * addresses the file has it, and how many ticks fell where in it.
 *
 * A piece of code that was mapped stays in the list when it is gone, with the epoch in which that
 * was: counts are of the piece that was there then. All of it may be called in any context, unless
 * it says otherwise.
 */
#ifndef DWELL_RUNTIME_GMON_OBJECTS_H
#define DWELL_RUNTIME_GMON_OBJECTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Bytes of text for a counter: as fine as gprof can tell. */
#define OBJECTS_BIN_BYTES 2

/* Code that is, or was, mapped from a file. */
struct object {
	uintptr_t start, end; /* where it is */
	uint64_t address;     /* of its start, as the file counts */
	uint64_t entry;       /* of code that runs when the file is loaded; what calls in from
			       * elsewhere is said to be there, since gprof knows no other caller */
	uint64_t inode;       /* which file it is */
	uint32_t times;       /* atomic; how many ticks it got */
	uint32_t born, gone;  /* epochs: from here to before there; gone 0: it is mapped */
	bool is_program;
	bool is_called;       /* for whoever writes: there are arcs to it */
	struct object *first; /* of the same piece of the same file, which has the counters of all;
			       * itself, as a rule */
	uint32_t *bins;       /* atomic; NULL: no tick fell into it so far */
	char path[PATH_MAX];
};

/* Once, not in a signal handler. -errno: there is no memory. */
int objects_init(void);

/* Looks at what is mapped, if nobody else does at the moment. True: there is something new. */
bool objects_look(void);

/* The same for certain, not in a signal handler: it waits for whoever does. */
void objects_look_now(void);

/* NULL: nothing that is known is there; or was, in that epoch. */
struct object *objects_at(uintptr_t address);
struct object *objects_then(uintptr_t address, uint32_t epoch);

/* Adds ticks to a counter. False: there is no memory for it. */
bool objects_tick(struct object *object, uintptr_t address, uint64_t weight);

static inline uint32_t objects_bins(const struct object *object)
{
	return (uint32_t)((object->end - object->start + OBJECTS_BIN_BYTES - 1) /
			  OBJECTS_BIN_BYTES);
}

/* The next of all; NULL: the first. */
struct object *objects_next(const struct object *object);

/* In the child of a fork: what was counted is the parent's. */
void objects_forget_counts(void);

#endif
