/* SPDX-License-Identifier: MIT
 *
 * arcs.h - counts calls: for each place that a function was called from, how often.
 *
 * Every thread has a table of its own, and its counts to itself: there is no lock, nothing is
 * shared, and no count is lost. Where several threads call a function from the same place, or a
 * signal handler does while its thread is in here, there are several counts of one arc; whoever
 * reads them adds them up. A table that is full is followed by a larger one. What a thread leaves
 * behind when it ends the next one takes over.
 *
 * All of it may be called in any context, but for what says otherwise. It is called with somebody's
 * arguments in the registers, and so compiled for general registers alone; it uses nothing of libc.
 */
#ifndef DWELL_RUNTIME_GMON_ARCS_H
#define DWELL_RUNTIME_GMON_ARCS_H

#include <stdbool.h>
#include <stdint.h>

#include "mcount.h"
#include "recording/format.h"
#include "recording/write/room.h"

struct arcs_table {
	uint64_t mask;              /* of offsets of slots, in bytes */
	struct arcs_thread *thread; /* whose */
	uint32_t used, limit;       /* slots; at the limit there is a new table */
	_Alignas(ARCS_TABLE_SLOTS) struct record_arc *slots[];
};
_Static_assert(__builtin_offsetof(struct arcs_table, mask) == ARCS_TABLE_MASK &&
		       __builtin_offsetof(struct arcs_table, slots) == ARCS_TABLE_SLOTS &&
		       __builtin_offsetof(struct record_arc, from) == ARC_FROM &&
		       __builtin_offsetof(struct record_arc, self) == ARC_SELF &&
		       __builtin_offsetof(struct record_arc, count) == ARC_COUNT,
	       "mcount.S knows where things are");

/* What a thread counts with. Never unmapped: a late signal may bring somebody back to it. */
struct arcs_thread {
	struct arcs_thread *next;  /* in the list of all; set once */
	uint32_t owner;            /* atomic; its tid, also when it has ended; 0: nobody */
	uint32_t epoch;            /* arcs_epoch when the chunk was begun */
	struct arcs_table *table;  /* the one that is in use */
	struct record_arcs *chunk; /* that is being filled; NULL: none */
	struct room room;          /* of chunks, if they are in a recording */
};

#pragma GCC visibility push(hidden)

/* Of the calling thread; NULL: it has not counted yet. */
extern _Thread_local struct arcs_table *arcs_this;

/* What mcount.S looks at first: 0 or 1. Atomic. */
extern uint8_t arcs_is_wanted;

/* Where mcount and __fentry__ go while no calls are wanted; NULL: they return. */
extern void (*arcs_mcount_next)(void), (*arcs_fentry_next)(void);

/* Calls are counted from now on. */
void arcs_start(void);

/* Calls that were not counted for want of memory. Atomic; counted elsewhere if that is not NULL. */
extern uint64_t arcs_lost, *arcs_lost_at;

/* Grows when something was unmapped. An address means what was mapped there in that epoch. */
extern uint32_t arcs_epoch;

/* What mcount.S does, from beginning to end. */
void arcs_count(uintptr_t from, uintptr_t self);

/* What was there has been unmapped, in an epoch that is over: what will be there is counted anew.
 */
void arcs_forget(uintptr_t start, uintptr_t end);

/*
 * In the child of a fork, which has one thread: it goes on with the counts it has got a copy of,
 * and those of the others wait for new threads; or (anew) it begins from nothing, because they are
 * no copies.
 */
void arcs_after_fork(bool anew);

/* The next of all threads; NULL: the first. */
const struct arcs_thread *arcs_next_thread(const struct arcs_thread *thread);

/*
 * For whoever has arcs: room for so many, or fewer, zeroed, with `room` set, and `count` 0. NULL:
 * there is none. As everything here.
 */
struct record_arcs *arcs_store(struct arcs_thread *thread, uint32_t wanted);

#pragma GCC visibility pop

#endif
