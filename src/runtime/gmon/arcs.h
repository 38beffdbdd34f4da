/* SPDX-License-Identifier: MIT
 *
 * arcs.h - counts calls: for each call site of a function, how often it was called.
 *
 * Every thread has a table of its own, and its own counts: there is no lock, nothing is shared, and
 * no count is lost. If several threads call a function from the same place, or a signal handler
 * does while its thread is in here, there are several counts of one arc; the reader adds them up. A
 * full table is followed by a larger one. A new thread takes over the table of one that has ended.
 *
 * All functions may be called in any context, unless noted otherwise. Registers hold the arguments
 * of the interrupted call, so this code is compiled for general registers only; it uses nothing of
 * libc.
 */
#ifndef DWELL_RUNTIME_GMON_ARCS_H
#define DWELL_RUNTIME_GMON_ARCS_H

#include <stdbool.h>
#include <stdint.h>

#include "mcount.h"
#include "recording/format.h"
#include "recording/write/room.h"

struct arcs_table {
	uint64_t mask;              /* for offsets of slots, in bytes */
	struct arcs_thread *thread; /* its owner */
	uint32_t used, limit;       /* slots; at the limit a new table is made */
	_Alignas(ARCS_TABLE_SLOTS) struct record_arc *slots[];
};
_Static_assert(__builtin_offsetof(struct arcs_table, mask) == ARCS_TABLE_MASK &&
		       __builtin_offsetof(struct arcs_table, slots) == ARCS_TABLE_SLOTS &&
		       __builtin_offsetof(struct record_arc, from) == ARC_FROM &&
		       __builtin_offsetof(struct record_arc, self) == ARC_SELF &&
		       __builtin_offsetof(struct record_arc, count) == ARC_COUNT,
	       "mcount.S knows where things are");

/* The state of a counting thread. Never unmapped: a late signal may return to it. */
struct arcs_thread {
	struct arcs_thread *next;  /* in the list of all threads; set once */
	uint32_t owner;            /* atomic; its tid, even after it has ended; 0: none */
	uint32_t epoch;            /* arcs_epoch when the chunk was started */
	struct arcs_table *table;  /* the table in use */
	struct record_arcs *chunk; /* being filled; NULL: none */
	struct room room;          /* for chunks, if they are in a recording */
};

#pragma GCC visibility push(hidden)

/* The table of the calling thread; NULL: it has not counted yet. */
extern _Thread_local struct arcs_table *arcs_this;

/* The switch that mcount.S checks first: 0 or 1. Atomic. */
extern uint8_t arcs_is_wanted;

/* Targets of mcount and __fentry__ while no calls are counted; NULL: they return. */
extern void (*arcs_mcount_next)(void), (*arcs_fentry_next)(void);

/* Starts counting calls. */
void arcs_start(void);

/*
 * Calls that were not counted for lack of memory. Atomic; if arcs_lost_at is not NULL, they are
 * counted there.
 */
extern uint64_t arcs_lost, *arcs_lost_at;

/* Grows when an object was unmapped. An address refers to what was mapped there in that epoch. */
extern uint32_t arcs_epoch;

/* Does all that mcount.S does. */
void arcs_count(uintptr_t from, uintptr_t self);

/*
 * Drops the arcs of a range that was unmapped in an epoch that is over: new code there is counted
 * anew.
 */
void arcs_forget(uintptr_t start, uintptr_t end);

/*
 * Continues in the child of a fork, which has one thread, with its copy of the counts; the tables
 * of the other threads wait for new threads. With `anew` it starts from zero, because the counts
 * are shared rather than copied.
 */
void arcs_after_fork(bool anew);

/* Returns the thread after this one; NULL: returns the first. */
const struct arcs_thread *arcs_next_thread(const struct arcs_thread *thread);

/*
 * Returns a zeroed chunk of up to `wanted` arcs, with `room` set and `count` 0, or NULL if there is
 * no space. Provided by the user of arcs. Any context.
 */
struct record_arcs *arcs_store(struct arcs_thread *thread, uint32_t wanted);

#pragma GCC visibility pop

#endif
