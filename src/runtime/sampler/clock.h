/* SPDX-License-Identifier: MIT
 *
 * clock.h - what makes a program tick: the one interface of all sampling clocks.
 *
 * A clock interrupts a thread about once in tick_ns of the thread's CPU time, by a signal, and
 * tells for each interruption how many whole ticks it stands for. The sum of those weights is the
 * CPU time of the process in ticks: that is the promise every clock keeps, whatever the kernel does
 * to single signals.
 *
 * A clock is one file clock_NAME.c and one line in clocks[]; see docs/HOWTO_ADD_CLOCK.md.
 */
#ifndef DWELL_RUNTIME_SAMPLER_CLOCK_H
#define DWELL_RUNTIME_SAMPLER_CLOCK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "threads.h"

/* Why a clock cannot be had: an errno and a sentence for the user. */
struct clock_refusal {
	int error;
	const char *sentence;
};

/* What one signal of a clock says. */
struct tick {
	struct thread *thread; /* whose; NULL: the process's as a whole, or a stale tick's */
	uint64_t weight;       /* whole ticks of CPU time it stands for; may be 0 */
	bool is_coarse;        /* the kernel's own tick brought it: there is at most one in each */
};

struct clock {
	const char *name;

	/* A signal that is the program's by right: the clock ends when the program takes it. 0:
	 * none. */
	int borrowed_signal;

	/*
	 * Gets ready to tick every tick_ns: claims its signals and whatever there is once a
	 * process. False: it cannot be had here, and *refusal says why. Called under the sampler's
	 * lock.
	 */
	bool (*open)(uint64_t tick_ns, struct clock_refusal *refusal);
	void (*close)(void);

	/*
	 * Starts ticking for a thread, which need not be the caller; the first tick comes after
	 * first_ns of its CPU time. 0 or -errno. NULL: the clock ticks for the process as a whole,
	 * from open() to close(). Called under the lock. disarm() undoes it, also after the thread
	 * has ended.
	 */
	int (*arm)(struct thread *thread, uint64_t first_ns);
	void (*disarm)(struct thread *thread);

	/*
	 * thread->governor.pace has changed: from now on the clock ticks once in so many ticks, and
	 * so it does when it is armed again. Runs in the signal handler, on that thread. NULL if
	 * arm is.
	 */
	void (*pace)(struct thread *thread);

	/*
	 * Both run in the signal handler, on the thread that ticks, all signals blocked: whether a
	 * signal is a tick of this clock, perhaps a late one from before it was closed; and what a
	 * tick stands for, which bills the thread. tick_of() is called only while ticks are wanted.
	 */
	bool (*owns)(const siginfo_t *info);
	struct tick (*tick_of)(const siginfo_t *info, const ucontext_t *uc);

	/*
	 * Of a clock that ticks for the process as a whole; NULL if arm is not. settle() returns
	 * the CPU time that was used and not billed, and takes it for billed; below 0: billed in
	 * advance. owe() adds to that time. Called under the lock, while no handler uses the clock.
	 */
	int64_t (*settle)(void);
	void (*owe)(int64_t ns);

	/* Which source accounts for time in the kernel: valid after open(). */
	const char *(*system_time)(void);
};

extern const struct clock clock_perf, clock_timer, clock_itimer;

/* All clocks, the best first; ends with NULL. */
extern const struct clock *const clocks[];

/*
 * The first clock that opens, or the one of that name (NULL: any). NULL: none, with the reason of
 * the last one tried.
 */
const struct clock *clock_open(const char *name, uint64_t tick_ns, struct clock_refusal *refusal);

/*
 * Whole ticks between what has been billed and now, rounded to the nearest, and bills them.
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
