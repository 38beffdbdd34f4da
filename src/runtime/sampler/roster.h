/* SPDX-License-Identifier: MIT
 *
 * roster.h - the threads that the clock ticks for: threads that exist when it starts or start
 * later, except for ones that are about to exec, have ended, or use the signals themselves.
 *
 * It is open while a clock runs that ticks for single threads. Whatever happens to threads, no CPU
 * time is lost and none is billed twice: the time that a thread owes when it leaves is billed or
 * handed on.
 */
#ifndef DWELL_RUNTIME_SAMPLER_ROSTER_H
#define DWELL_RUNTIME_SAMPLER_ROSTER_H

#include "clock.h"

/*
 * Bills CPU time of a thread that no tick will report, at a pc; below 0: too much was billed. pc 0:
 * the place is unknown. Returns the time that could not be billed.
 */
typedef int64_t roster_bill(struct thread *thread, int64_t ns, uintptr_t pc);

/* The past of the calling thread when the roster opens. */
struct roster_past {
	int64_t lent_ns; /* see threads.h */
	bool is_owed;    /* it owes the time since its CPU clock showed since_ns */
	int64_t since_ns;
	uintptr_t pc;   /* the place of that; 0: unknown */
	bool counts_ns; /* the bill need not be whole ticks */
};

struct roster_count {
	unsigned int threads;   /* on the roster */
	unsigned int unwatched; /* without a clock, on the roster or not */
	uint64_t slack;         /* ticks that they may owe together without any being lost */
};

/*
 * Called under the lock. roster_open() puts every thread on the roster, the caller first; returns 0
 * or -errno. A census looks for threads that were not reported. Settling bills the time that all of
 * them owe, or the calling one alone, and returns the time that could not be billed, for the caller
 * to account for: threads no longer owe it. Steadying arms threads anew whose clock runs for an odd
 * first period, while no handler runs. Closing stops all clocks; forgetting is for the child
 * of a fork, where there are none.
 */
int roster_open(const struct clock *clock, uint64_t tick_ns, roster_bill *bill,
		const struct roster_past *past);
void roster_census(void);
int64_t roster_settle(bool all);
void roster_steady(void);
void roster_close(void);
void roster_forget(void);
struct roster_count roster_count(void);

/*
 * Notes that the calling thread has another alternate stack: see altstacks.h. Returns whether it
 * was ticked and is not any more.
 */
bool roster_stack_changed(void);

/* Returns whether there was a thread that the clock could not be armed for. Async-signal-safe. */
bool roster_had_refusals(void);

/* Returns the time that all threads on the roster owe together, in nanoseconds. */
int64_t roster_owed_ns(void);

/*
 * The functions below are called by the thread in question, without the lock. While closed, they do
 * nothing.
 */

/* Reports that it has started, or is about to end; `start` is the function that it started with. */
void roster_born(void);
void roster_gone(uintptr_t start);

/*
 * Stops its clock before an exec: no tick may be in flight then. If the exec fails, it ticks on.
 * Does not change errno, and does nothing in the child of a vfork.
 */
void roster_pause(void);
void roster_resume(void);

/*
 * Stops its ticks while it uses their signals itself, until it unblocks them. The first may be
 * called in the handler; the second after each change of a mask, as it costs nothing while no
 * thread is mute.
 */
void roster_mute(void);
void roster_unmute(void);

#endif
