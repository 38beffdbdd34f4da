/* SPDX-License-Identifier: MIT
 *
 * calls.h - the data structures of the shared-library profiler inside the target.
 *
 *	function	a chosen one: its address, and the way in of its redirector
 *	tally		the counts of one function in one thread; in the recording
 *	slot		an active wrapped call: its return address and start time
 *	calls_thread	a thread with wrapped calls: its tallies, its stack of slots
 *	calls_state	the rest: one for the process
 *
 * All of this code may run in any context: under the dynamic linker's lock, before this library is
 * relocated (bind.c), inside malloc(), in a signal handler, in the child of a vfork(). So it calls
 * nothing of libc, allocates by mmap() only, and uses general registers only, because the others
 * hold the arguments of the wrapped call.
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
struct peek_known;
struct runtime_found;
struct slot;

/*
 * For members that the assembly touches: each takes 64 bits, even on 32-bit CPUs, so that
 * arch/calls_layout.h is the same for all.
 */
#define PLACE _Alignas(8)

/*
 * Written once, before its redirector is handed out; `enter` changes when the runtime starts, and
 * `target` when its library was closed and reopened.
 */
struct callee {
	PLACE void *target;
	PLACE void (*enter)(void);
	PLACE uint32_t id;
	uint32_t flags;        /* enum record_function_flags */
	PLACE uint32_t object; /* that defines it */
	uint16_t resolver;     /* its number in resolvers.h; 0: it is none */
	bool is_unseen;        /* it was not chosen, and is intercepted as a resolver only */
	bool closed;           /* the defining object was closed, so target may dangle */
};

/* Written by its thread alone. */
struct tally {
	struct record_calls seen;
	PLACE struct slot *outermost;      /* of the active calls, if any */
	PLACE int64_t skip;                /* calls until the next timed one, if sampled */
	uint64_t *octaves[RECORD_OCTAVES]; /* offset so that a time's bin is [time >> octave] */
	uint8_t gap;                       /* initial value of skip */
	bool is_suspect;                   /* see waits.c, as for those below */
	uint16_t stands, unwatched;
	uint32_t path; /* as a caller, with --tree; RECORD_NO_CALLER: it has called nothing yet */
	struct record_waits *waits; /* NULL: no call was long */
	struct tally *next;         /* in its bucket, if callers are kept */
};

/*
 * Invariant: a slot below its thread's top belongs to an active call, or its sp marks that it does
 * not; one above has the sp SP_NOBODY. The one before the first of a chunk is never taken: it
 * stands in for the caller's when children and overhead are handed down.
 */
struct slot {
	PLACE uintptr_t return_address;
	PLACE struct tally *tally; /* NULL: already accounted for */
	PLACE uint64_t entered;    /* sampled: see wrapper.c */
	uint64_t children;         /* time in wrapped calls made by this one */
	uint64_t overhead;         /* cost of wrapping those, and theirs */
	PLACE uintptr_t sp;        /* of the wrapper, or SP_* */
	PLACE void (*exit)(void);
	PLACE struct calls_thread *owner;
};

/* Adjacent slots. */
struct chunk {
	struct slot *first; /* after the one that is never taken */
	struct slot *limit;
};

/* A call under way whose CPU time is being measured. */
struct watch {
	struct slot *slot; /* NULL: none */
	int64_t cpu_ns;    /* on the thread's CPU clock, at its beginning */
	uint64_t stands;   /* calls that it stands for */
};

#define WATCHES_MAX  8
#define SUSPECTS_MAX 16

#define CHUNKS_MAX 16 /* each as large as all before it */

/* Never unmapped. A new thread may take over one whose thread has ended. */
struct calls_thread {
	PLACE struct slot *top; /* the next free one */
	PLACE struct slot *limit;
	PLACE struct tally **tallies; /* by function; reset after fork() */
	PLACE uint64_t capacity;
	/* The members below are used by C only. */
	struct chunk chunks[CHUNKS_MAX];
	unsigned chunk_count;
	unsigned chunk;   /* contains top */
	uint32_t hand;    /* number of the slot that was examined last: see slots.c */
	uint32_t credit;  /* steps that may be taken before another chunk is made */
	struct room room; /* space for its tallies */
	struct record_thread *seen;
	struct site *sites;              /* the latest call sites, if callers are kept */
	struct peek_known *script_pages; /* see scripted.c; NULL: none yet */
	uint32_t script_wait, script_patience;
	struct tally **buckets; /* tallies by function and caller; reset after fork() */
	uint32_t bucket_count, bucket_used;
	struct tally *suspects[SUSPECTS_MAX]; /* missing in `tallies`: see waits.c */
	struct watch watches[WATCHES_MAX];
	uint32_t watch_count;           /* of those in use */
	uint64_t watch_ticks;           /* the least that reading the CPU clock took; 0: unread */
	uintptr_t stack_low, stack_end; /* of the thread's own stack; both 0: not known yet */
	uintptr_t stack_bound; /* above all frames of that stack; 0: unknown, see slots.c */
	uintptr_t pointer;     /* arch_thread_pointer() */
	void *resume;          /* see escape.c */
	uint32_t random;
	int32_t tid;               /* 0: its thread has ended */
	uint64_t process;          /* calls_state.entry.segment of its process */
	uint32_t listed;           /* calls_state.generation whose list it is in, plus 1 */
	bool refused;              /* there was no space for its segment */
	bool is_first;             /* of the program; not the first thread of a child of fork() */
	struct calls_thread *next; /* in the list of all */
	struct calls_thread *next_free; /* in the list of those whose thread has ended */
};

struct calls_state {
	PLACE uint64_t inside; /* ticks that measuring adds to a measured time */
	uint64_t cost;         /* the same plus the ticks added to the caller */
	uint64_t long_ticks;   /* RECORD_LONG_NS */
	int32_t unit_shift;    /* see waits.c */
	uint32_t started;      /* see start.c */
	uint32_t flags;        /* enum record_flags */
	uint32_t clock;        /* enum record_clock */
	bool is_timeless; /* calls are only counted: the counter cannot be read, or see begin.c */
	bool repairs_faults; /* SIGBUS is ours: see runtime/sampler/faults.h */
	struct calls_thread *threads, *free_threads;
	uint32_t thread_count, sweep_at;
	uint32_t generation; /* of the list of threads: counts the forks up to this process */
	uint32_t arena_used, arena_ready; /* slots */
	const char *library;              /* path of this library */
	struct entry entry;               /* of this process */
	uint64_t origin;                  /* an instant before all calls, for wrapper.c */
	uint32_t function_count, object_count;
	uint32_t function_room; /* functions that have memory and a redirector: functions.h */
	void *(*wrap)(const struct runtime_found *); /* see runtime.h */
	uint32_t closed_count;          /* of objects; addresses cached before may be stale */
	uint32_t object_changes;        /* how often one was opened or closed */
	uint32_t object_looks;          /* object_changes when look_for_scripts() was called last */
	void (*look_for_scripts)(void); /* see scripted.h; NULL: it is not wanted */
	/* Returns the address of the function of a script that the thread runs; 0: none, or it
	 * cannot be read. NULL: there is no interpreter. */
	uint64_t (*script_of)(struct calls_thread *thread);
	uintptr_t ordered; /* arch_thread_pointer() of a thread in injected.c; 0: none is */
};

extern __attribute__((visibility("hidden"))) struct calls_state calls_state;
/*
 * A page of its own, because fork() zeroes it. The first word shows whether it has; the second is
 * the lock, see state.h, whose owner may not exist in the child.
 */
extern __attribute__((visibility("hidden"))) uint32_t calls_alive[];
enum { CALLS_ALIVE, CALLS_LOCK };
extern __attribute__((visibility("hidden"))) struct calls_thread calls_no_thread;
extern __attribute__((visibility("hidden"))) struct callee calls_functions[FUNCTIONS_MAX];
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
CHECK_OFFSET(callee, target, FUNCTION_TARGET);
CHECK_OFFSET(callee, enter, FUNCTION_ENTER);
CHECK_OFFSET(callee, id, FUNCTION_ID);
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
_Static_assert(sizeof(struct slot) == SLOT_BYTES && sizeof(struct callee) == FUNCTION_BYTES &&
		       OCTAVE_LAST == RECORD_OCTAVES - 1 && 1 << OCTAVE_BITS == RECORD_BINS,
	       "sizes");

#endif
