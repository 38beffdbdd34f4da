/* SPDX-License-Identifier: MIT
 *
 * sampler_state.h - what sampler.c and sampler_end.c share, and nobody else.
 */
#ifndef DWELL_RUNTIME_SAMPLER_SAMPLER_STATE_H
#define DWELL_RUNTIME_SAMPLER_SAMPLER_STATE_H

#include <stdatomic.h>

#include "clock.h"
#include "roster.h"
#include "sampler.h"

struct sampler {
	/*
	 * What a tick touches, in one cache line: ticks are so rare that each line is a miss.
	 * `sink` NULL: ticks are not wanted. The clock of the last start outlives its stop: ticks
	 * may come late.
	 */
	_Alignas(64) _Atomic(struct sink *) sink;
	_Atomic(const struct clock *) last_clock;
	_Atomic uint64_t signals, samples, outside; /* since the last start */
	_Atomic uint64_t census_at; /* with so many samples, it is time for the next census */
	_Atomic uintptr_t last_pc;  /* where the process was last seen; 0: nowhere */
	_Atomic unsigned int handlers;

	/* The rest is guarded by the lock. */
	uint32_t hz;
	const char *wanted;        /* name of the clock that was asked for; NULL: the best */
	struct sink *bill_to;      /* where ticks go that no signal brings; NULL: nowhere */
	const struct clock *clock; /* NULL: no clock is running */
	pid_t pid;        /* of the process whose clock it is; a forked child has another */
	uint64_t tick_ns; /* stays while there is a sink, so that handlers may read it */
	struct clock_refusal refusal; /* of the last start; sentence NULL: it went well */

	/* Of the last start. */
	const char *system_time;
	int64_t cpu_start_ns;
	int64_t settled_ns;     /* of CPU time that no tick has brought */
	int64_t cpu_used_ns;    /* of a clock that has stopped */
	uint64_t slack_at_stop; /* likewise */
};

extern struct sampler sampler;

/* For the roster: bills CPU time that no tick will bring; see roster_bill. Under the lock. */
int64_t sampler_bill(struct thread *thread, int64_t ns, uintptr_t pc);

/* Bills all that is owed to a sink that counts nanoseconds, which gets no ticks meanwhile. Under
 * the lock. */
void sampler_settle_with(struct sink *sink);

#endif
