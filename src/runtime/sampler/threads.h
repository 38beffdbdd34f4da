/* SPDX-License-Identifier: MIT
 *
 * threads.h - one record for each thread of the target that a clock watches.
 *
 * A tick brings its thread along: timers and perf events carry the record's cookie in their signal,
 * so that the handler needs neither thread-local storage nor a search.
 *
 * Records are added, searched and removed under the lock. The handler only turns a
 * cookie into a record and writes the fields marked (handler) of its own thread's record.
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
	bool deaf;           /* it had blocked the signals that ticks come by before we came */
	bool by_hook;        /* the hook told of its birth, and will of its end */
	bool seen;           /* found by the census under way */
	bool in_debt;        /* (handler) owed whole ticks when it was armed: none billed yet */
	bool starter;        /* (handler) its perf event runs for one odd period only */
	bool user_only;      /* (handler) its perf event stands still in the kernel */
	int timer_id;        /* of clock_timer; -1: none */

	/*
	 * (handler) Of what it seemed to owe when it was armed, how much was only lent, to spread
	 * the first ticks of threads that run side by side. It is no CPU time of anybody's: a sink
	 * that counts parts of ticks takes it off the first one. Less than a tick, which is a
	 * second at most.
	 */
	int32_t lent_ns;

	void *perf_page; /* of clock_perf: the mapping that keeps the event alive; NULL: none */

	/*
	 * (handler) How much of the thread's CPU time has been turned into ticks. What the thread
	 * owes is its CPU clock less this; it may start below 0 when the thread inherits what a
	 * thread that ended was still owing.
	 */
	int64_t billed_ns;

	/* (handler) Where its last tick was; 0: it has had none. */
	uintptr_t last_pc;

	/* (handler) How often it ticks, where that takes long. */
	struct governor governor;

	/* (handler) For the sink. The next thread that has this record finds it again. */
	void *for_sink;
};
_Static_assert(sizeof(struct thread) <= 64, "a tick touches one cache line of it");

/* 0 or -ENOMEM. */
int threads_init(void);

/* A record for tid, with no clock armed; NULL when there is room for no more. */
struct thread *threads_add(pid_t tid);
void threads_remove(struct thread *thread);
struct thread *threads_find(pid_t tid);

/* All records in use: start with NULL, ends with NULL. */
struct thread *threads_next(struct thread *thread);

/* All that a cookie has; what is above them is its carrier's. */
#define THREADS_COOKIE_BITS (sizeof(uintptr_t) * 6)

/* Never 0. */
uintptr_t threads_cookie(const struct thread *thread);

/* The record, or NULL when the cookie is stale or none of ours. Async-signal-safe. */
struct thread *threads_by_cookie(uintptr_t cookie);

/* Forgets all records without releasing anything: for the child of a fork. */
void threads_forget(void);

#endif
