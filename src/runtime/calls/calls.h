/* SPDX-License-Identifier: MIT
 *
 * calls.h - the objects of the shared-library profiler, as they are inside the target.
 *
 *	function	one that was chosen: its address, and the way in of its redirector
 *	tally		what one thread knows of one function; lies in the recording
 *	slot		a wrapped call under way: where it returns to, and since when it runs
 *	calls_thread	one that has made a wrapped call: its tallies, its stack of slots
 *	calls_state	the rest: one for the process
 *
 * Everything here may run in any context: under the dynamic linker's lock, before this library is
 * relocated (bind.c), inside malloc(), in a signal handler, in the child of a vfork(). So it
 * calls nothing of libc, allocates by mmap() alone, and uses general registers alone, because the
 * others hold the arguments of somebody's call.
 */
#ifndef DWELL_RUNTIME_CALLS_CALLS_H
#define DWELL_RUNTIME_CALLS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic64.h"
#include "runtime/process/entry.h"
#include "recording/format.h"
#include "wrap.h"

struct calls_thread;
struct slot;

/* Of members that the assembly touches: each has a place of 64 bits, also where words have 32, so
 * that arch/calls_layout.h is the same for all. */
#define PLACE _Alignas(8)

/* Written once, before its redirector is handed out; `enter` changes when the runtime starts, and
 * `target` when its library was closed and opened again. */
struct function {
	PLACE void *target;
	PLACE void (*enter)(void);
	PLACE uint32_t id;
	uint32_t flags; /* enum record_function_flags */
	PLACE uint64_t
		closed; /* its object was, so the target is nobody's or will be; 0: it is open */
};

/* Written by its thread alone. */
struct tally {
	struct record_calls seen;
	PLACE struct slot *outermost;      /* of the calls under way, if any */
	PLACE int64_t skip;                /* calls until one is timed, if sampled */
	uint64_t *octaves[RECORD_OCTAVES]; /* such that a time's bin is [time >> octave] */
	uint64_t gap;                      /* what skip began with */
	struct tally *other_caller;        /* the next of the same function, with --by-caller */
};

/*
 * Invariant: a slot below its thread's top is of a call under way, or its sp says that it is not;
 * one above has the sp SP_NOBODY. The one before the first of a chunk is nobody's and stays so: it
 * takes the place of the caller's when children and overhead are handed down.
 */
struct slot {
	PLACE uintptr_t return_address;
	PLACE struct tally *tally; /* NULL: already accounted for */
	PLACE uint64_t entered;    /* sampled: see wrapper.c */
	uint64_t children;         /* time in wrapped calls made by this one */
	uint64_t overhead;         /* what wrapping those, and theirs, has cost */
	PLACE uintptr_t sp;        /* of the wrapper, or SP_* */
	PLACE void (*exit)(void);
	PLACE struct calls_thread *owner;
};

/* Slots side by side. */
struct chunk {
	struct slot *first; /* after the one that is nobody's */
	struct slot *limit;
};

#define CHUNKS_MAX 16 /* each as large as all before it */

/* Never unmapped. A thread that starts may take over one whose thread is gone. */
struct calls_thread {
	PLACE struct slot *top; /* the next to be taken */
	PLACE struct slot *limit;
	PLACE struct tally **tallies; /* by function; forgotten by fork() */
	PLACE uint64_t capacity;
	/* From here on for C alone. */
	struct chunk chunks[CHUNKS_MAX];
	unsigned chunk_count;
	unsigned chunk;   /* that top is in */
	uint32_t hand;    /* number of the slot that was last looked at: see slots.c */
	uint32_t credit;  /* steps that may be taken before there is one chunk more */
	struct room room; /* where its tallies are made */
	struct record_thread *seen;
	struct site *sites;             /* tallies by place of call, for --by-caller */
	uintptr_t stack_low, stack_end; /* of the thread's own stack; both 0: not known yet */
	uintptr_t pointer;              /* arch_thread_pointer() */
	void *resume;                   /* see escape.c */
	uint32_t random;
	int32_t tid;      /* 0: its thread is gone */
	uint64_t process; /* calls_state.entry.segment of the process it is of */
	bool refused;     /* there was no space for its segment */
	bool is_first; /* of the program; not the one that became the first of a child of fork() */
	struct calls_thread *next;      /* of all */
	struct calls_thread *next_free; /* of those whose thread is gone */
};

struct calls_state {
	PLACE uint64_t inside; /* ticks that measuring adds to what is measured */
	uint64_t cost;         /* and with what it adds to the caller */
	uint32_t started;      /* see start.c */
	uint32_t flags;        /* enum record_flags */
	uint32_t clock;        /* enum record_clock */
	bool is_timeless; /* calls are counted only: the counter cannot be read, or see begin.c */
	struct calls_thread *threads, *free_threads;
	uint32_t thread_count, sweep_at;
	uint32_t arena_used, arena_ready; /* slots */
	const char *library;              /* path of this library */
	struct entry entry;               /* of this process */
	uint64_t origin;                  /* an instant before all calls, for wrapper.c */
	uint32_t function_count, object_count;
	uint32_t closed_count; /* of objects; what is remembered by address may be wrong since */
};

extern __attribute__((visibility("hidden"))) struct calls_state calls_state;
/* A page of its own, because fork() makes it 0. The first word says whether it has; the second is
 * the lock, see state.h, which a thread may hold that the child does not have. */
extern __attribute__((visibility("hidden"))) uint32_t calls_alive[];
enum { CALLS_ALIVE, CALLS_LOCK };
extern __attribute__((visibility("hidden"))) struct calls_thread calls_nobody;
extern __attribute__((visibility("hidden"))) struct function calls_functions[FUNCTIONS_MAX];
extern __attribute__((visibility("hidden"))) struct slot calls_slots[ARENA_SLOTS];
extern __attribute__((visibility("hidden"),
		      tls_model("initial-exec"))) __thread struct calls_thread *calls_this;

/* Adds to a counter of a tally, in one instruction: a signal handler may count there as well. */
static inline void calls_add(uint64_t *counter, uint64_t number)
{
	atomic64_add(counter, number);
}

#define CHECK_OFFSET(type, member, offset)                                                         \
	_Static_assert(offsetof(struct type, member) == (offset), #type "." #member)
CHECK_OFFSET(slot, return_address, SLOT_RETURN);
CHECK_OFFSET(slot, tally, SLOT_TALLY);
CHECK_OFFSET(slot, entered, SLOT_ENTERED);
CHECK_OFFSET(slot, children, SLOT_CHILDREN);
CHECK_OFFSET(slot, overhead, SLOT_OVERHEAD);
CHECK_OFFSET(slot, sp, SLOT_SP);
CHECK_OFFSET(slot, exit, SLOT_EXIT);
CHECK_OFFSET(slot, owner, SLOT_OWNER);
CHECK_OFFSET(function, target, FUNCTION_TARGET);
CHECK_OFFSET(function, enter, FUNCTION_ENTER);
CHECK_OFFSET(function, id, FUNCTION_ID);
CHECK_OFFSET(calls_thread, top, THREAD_TOP);
CHECK_OFFSET(calls_thread, limit, THREAD_LIMIT);
CHECK_OFFSET(calls_thread, tallies, THREAD_TALLIES);
CHECK_OFFSET(calls_thread, capacity, THREAD_CAPACITY);
CHECK_OFFSET(tally, seen.calls, TALLY_OF_CALLS);
CHECK_OFFSET(tally, seen.returned, TALLY_OF_RETURNED);
CHECK_OFFSET(tally, seen.untimed, TALLY_OF_UNTIMED);
CHECK_OFFSET(tally, seen.sum, TALLY_OF_SUM);
CHECK_OFFSET(tally, seen.again, TALLY_OF_AGAIN);
CHECK_OFFSET(tally, seen.self, TALLY_OF_SELF);
CHECK_OFFSET(tally, seen.min, TALLY_OF_MIN);
CHECK_OFFSET(tally, seen.max, TALLY_OF_MAX);
CHECK_OFFSET(tally, seen.last, TALLY_OF_LAST);
CHECK_OFFSET(tally, outermost, TALLY_OF_OUTERMOST);
CHECK_OFFSET(tally, skip, TALLY_OF_SKIP);
CHECK_OFFSET(tally, octaves, TALLY_OF_OCTAVES);
CHECK_OFFSET(calls_state, inside, STATE_INSIDE);
CHECK_OFFSET(calls_state, cost, STATE_COST);
_Static_assert(sizeof(struct slot) == SLOT_BYTES && sizeof(struct function) == FUNCTION_BYTES &&
		       OCTAVE_LAST == RECORD_OCTAVES - 1 && 1 << OCTAVE_BITS == RECORD_BINS,
	       "sizes");

#endif
