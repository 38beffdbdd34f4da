/* SPDX-License-Identifier: MIT
 *
 * sampler_state.h - state shared by sampler.c and sampler_end.c only.
 */
#ifndef DWELL_RUNTIME_SAMPLER_SAMPLER_STATE_H
#define DWELL_RUNTIME_SAMPLER_SAMPLER_STATE_H

#include <stdatomic.h>

#include "clock.h"
#include "roster.h"
#include "sampler.h"

struct sampler {
	/*
	 * The data that a tick touches, in one cache line: ticks are so rare that each line is a
	 * miss. `sink` NULL: ticks are not wanted. The clock of the last start outlives its stop:
	 * ticks may come late.
	 */
	_Alignas(64) _Atomic(struct sink *) sink;
	_Atomic(const struct clock *) last_clock;
	_Atomic uint64_t signals, samples, outside; /* since the last start */
	_Atomic uint64_t census_at; /* number of samples at which the next census is due */
	_Atomic uintptr_t last_pc;  /* last known pc of the process; 0: unknown */
	_Atomic unsigned int handlers;

	/* The rest is guarded by the lock. */
	uint32_t hz;
	const char *wanted; /* name of the requested clock; NULL: the best */
	const struct clock *own_clock;
	struct sink *bill_to;      /* sink for ticks that no signal brings; NULL: none */
	const struct clock *clock; /* NULL: no clock is running */
	pid_t pid;        /* the process that owns the clock; a forked child has another pid */
	uint64_t tick_ns; /* stays while there is a sink, so that handlers may read it */
	struct clock_refusal refusal; /* of the last start; sentence NULL: it succeeded */

	/* From the last start. */
	const char *system_time;
	int64_t cpu_start_ns;
	int64_t settled_ns;     /* CPU time that no tick has brought */
	int64_t cpu_used_ns;    /* by a clock that has stopped */
	uint64_t slack_at_stop; /* likewise */
};

extern struct sampler sampler;

/* Bills CPU time that no tick will bring, for the roster; see roster_bill. Under the lock. */
int64_t sampler_bill(struct thread *thread, int64_t ns, uintptr_t pc);

/*
 * Bills all the time that is owed to a sink that counts nanoseconds, which gets no ticks meanwhile.
 * Under the lock.
 */
void sampler_settle_with(struct sink *sink);

#endif
