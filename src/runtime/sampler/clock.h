/* SPDX-License-Identifier: MIT
 *
 * clock.h - the one interface of all sampling clocks.
 *
 * A clock interrupts a thread about once in tick_ns of the thread's CPU time, by a signal, and
 * returns for each interruption how many whole ticks it stands for. The sum of those weights is the
 * CPU time of the process in ticks: every clock guarantees that, whatever the kernel does to single
 * signals.
 *
 * A clock is one file clock_NAME.c and one line in clocks[]; see docs/HOWTO_ADD_CLOCK.md.
 */
#ifndef DWELL_RUNTIME_SAMPLER_CLOCK_H
#define DWELL_RUNTIME_SAMPLER_CLOCK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "threads.h"

/* The reason why a clock is not available: an errno and a sentence for the user. */
struct clock_refusal {
	int error;
	const char *sentence;
};

/* The content of one signal of a clock. */
struct tick {
	struct thread *thread; /* NULL: the whole process, or a stale tick */
	uint64_t weight;       /* whole ticks of CPU time it stands for; may be 0 */
	bool is_coarse;        /* raised in the kernel's own tick: there is at most one in each */
};

struct clock {
	const char *name;

	/*
	 * Weights are counts of an event, and not of CPU time: no thread ever owes any. The first
	 * period of arm() means nothing then.
	 */
	bool counts_events;

	/*
	 * A signal that belongs to the program: the clock ends when the program takes it. 0: none.
	 */
	int borrowed_signal;

	/*
	 * Prepares to tick every tick_ns: claims its signals and per-process resources. False: not
	 * available here, with the reason in *refusal. Called under the sampler's lock.
	 */
	bool (*open)(uint64_t tick_ns, struct clock_refusal *refusal);
	void (*close)(void);

	/*
	 * Starts ticking for a thread, which need not be the caller; the first tick comes after
	 * first_ns of its CPU time. Returns 0 or -errno. NULL: the clock ticks for the process as a
	 * whole, from open() to close(). Called under the lock. disarm() undoes it, also after the
	 * thread has ended.
	 */
	int (*arm)(struct thread *thread, uint64_t first_ns);
	void (*disarm)(struct thread *thread);

	/*
	 * Applies a change of thread->governor.pace: the clock ticks once in so many ticks, also
	 * when it is armed again. Runs in the signal handler, on that thread. NULL if arm is.
	 */
	void (*pace)(struct thread *thread);

	/*
	 * Both run in the signal handler, on the thread that ticks, all signals blocked. owns()
	 * returns whether a signal is a tick of this clock, perhaps a late one from before it was
	 * closed. tick_of() returns what a tick stands for, and bills the thread; it is called only
	 * while ticks are wanted.
	 */
	bool (*owns)(const siginfo_t *info);
	struct tick (*tick_of)(const siginfo_t *info, const ucontext_t *uc);

	/*
	 * Ends the tick, in the same context: that which the tick itself has caused is not the
	 * program's. NULL: nothing.
	 */
	void (*tick_done)(struct thread *thread);

	/*
	 * For a clock that ticks for the process as a whole; NULL if arm is not. settle() returns
	 * the CPU time that was used and not billed, and counts it as billed; below 0: billed in
	 * advance. owe() adds to that time. Called under the lock, while no handler uses the clock.
	 */
	int64_t (*settle)(void);
	void (*owe)(int64_t ns);

	/* Returns the source that accounts for time in the kernel: valid after open(). */
	const char *(*system_time)(void);
};

extern const struct clock clock_perf, clock_timer, clock_itimer;

/*
 * Gives the events of the perf clock a ring of that size, in the form that `prepare` asks for.
 * Once, before the clock is opened.
 */
struct perf_event_attr;
void clock_perf_use_ring(void (*prepare)(struct perf_event_attr *attr), size_t bytes);

/* All clocks, the best first; ends with NULL. */
extern const struct clock *const clocks[];

/*
 * Opens the first clock that is available, or the one of that name (NULL: any). NULL: none, with
 * the reason of the last one tried in *refusal, which stays as it is if no clock has that name.
 */
const struct clock *clock_open(const char *name, uint64_t tick_ns, struct clock_refusal *refusal);

/*
 * Returns the whole ticks between the time billed and now, rounded to the nearest, and bills them.
 * Rounding lets a clock run a little fast or slow of tick_ns without weights of 0 and 2
 * alternating.
 */
static inline uint64_t clock_bill(int64_t *billed_ns, int64_t now_ns, uint64_t tick_ns)
{
	int64_t owed = now_ns - *billed_ns + (int64_t)(tick_ns / 2);
	uint64_t ticks = owed > 0 ? (uint64_t)owed / tick_ns : 0;

	*billed_ns += (int64_t)(ticks * tick_ns);
	return ticks;
}

#endif
