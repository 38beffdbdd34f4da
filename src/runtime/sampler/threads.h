/* SPDX-License-Identifier: MIT
 *
 * threads.h - one record for each thread of the target that a clock watches.
 *
 * A tick identifies its thread: timers and perf events carry the record's cookie in their signal,
 * so that the handler needs neither thread-local storage nor a search.
 *
 * Records are added, searched and removed under the lock. The handler only turns a cookie into a
 * record and writes the fields marked (handler) of its own thread's record.
 */
#ifndef DWELL_RUNTIME_SAMPLER_THREADS_H
#define DWELL_RUNTIME_SAMPLER_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "governor.h"

struct thread {
	pid_t tid;           /* 0: the record is free */
	uint32_t generation; /* grows each time the record is freed: makes old cookies stale */
	bool armed;          /* a clock ticks for this thread */
	bool deaf;           /* it had blocked the ticks' signals before we came */
	bool by_hook;        /* the hook reported its start, and will report its end */
	bool seen;           /* found by the current census */
	bool in_debt;        /* (handler) owed whole ticks when it was armed: none billed yet */
	bool starter;        /* (handler) its perf event runs for one odd period only */
	bool user_only;      /* (handler) its perf event does not count in the kernel */
	int timer_id;        /* for clock_timer; -1: none */

	/*
	 * (handler) The part of its debt that was lent when it was armed, to spread the first ticks
	 * of threads that run side by side. It is not real CPU time: a sink that counts parts of
	 * ticks subtracts it from the first one. Less than a tick, which is a second at most.
	 */
	int32_t lent_ns;

	void *perf_page; /* for perf_event.c: the mapping that keeps the event alive; NULL: none */

	/*
	 * (handler) The part of the thread's CPU time that was turned into ticks. The thread owes
	 * its CPU clock less this; it may start below 0 when the thread inherits the debt of a
	 * thread that ended.
	 */
	int64_t billed_ns;

	/* (handler) The pc of its last tick; 0: it has had none. */
	uintptr_t last_pc;

	/* (handler) Its rate, if ticks take long. */
	struct governor governor;

	/* (handler) For the sink. The next thread with this record finds it again. */
	void *for_sink;
};
_Static_assert(sizeof(struct thread) <= 64, "a tick touches one cache line of it");

/* Returns 0 or -ENOMEM. */
int threads_init(void);

/* Returns a record for tid, with no clock armed; NULL: there is no room. */
struct thread *threads_add(pid_t tid);
void threads_remove(struct thread *thread);
struct thread *threads_find(pid_t tid);

/* Iterates over all records in use: start with NULL, ends with NULL. */
struct thread *threads_next(struct thread *thread);

/* All bits of a cookie; the carrier may use the ones above. */
#define THREADS_COOKIE_BITS (sizeof(uintptr_t) * 6)

/* Returns a cookie, never 0. */
uintptr_t threads_cookie(const struct thread *thread);

/* Returns the record, or NULL when the cookie is stale or not ours. Async-signal-safe. */
struct thread *threads_by_cookie(uintptr_t cookie);

/* Forgets all records without releasing anything: for the child of a fork. */
void threads_forget(void);

#endif
