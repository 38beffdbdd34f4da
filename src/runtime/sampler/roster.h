/* SPDX-License-Identifier: MIT
 *
 * roster.h - which threads the clock ticks for: those that exist when it starts, those born later,
 * and not those that are about to exec, have ended, or want the signals for themselves.
 *
 * It is open while a clock runs that ticks for single threads. Whatever happens to threads, no CPU
 * time is lost and none is billed twice: what a thread owes when it goes is billed or handed on.
 */
#ifndef DWELL_RUNTIME_SAMPLER_ROSTER_H
#define DWELL_RUNTIME_SAMPLER_ROSTER_H

#include "clock.h"

/*
 * Bills CPU time of a thread that no tick will bring, at a pc; below 0: too much was billed. pc 0:
 * nobody knows where it was. Returns what could not be billed.
 */
typedef int64_t roster_bill(struct thread *thread, int64_t ns, uintptr_t pc);

/* What is to be known of the calling thread when the roster opens. */
struct roster_past {
	int64_t lent_ns; /* see threads.h */
	bool is_owed;    /* it owes what it has used since its CPU clock showed since_ns */
	int64_t since_ns;
	uintptr_t pc;   /* where that was; 0: nobody knows */
	bool counts_ns; /* what is billed needs no whole ticks */
};

struct roster_count {
	unsigned int threads;   /* on the roster */
	unsigned int unwatched; /* for which no clock ticks, on the roster or not */
	uint64_t slack;         /* ticks that they may owe together without any being lost */
};

/*
 * Under the lock. Opening puts every thread there is on the roster, the caller first; 0 or -errno.
 * A census looks for threads that nobody told of. Settling bills what all of them owe, or the
 * calling one alone, and returns what could not be billed, for the caller to account for: threads
 * owe it no more. Closing stops all clocks; forgetting is for the child of a fork, where there are
 * none.
 */
int roster_open(const struct clock *clock, uint64_t tick_ns, roster_bill *bill,
		const struct roster_past *past);
void roster_census(void);
int64_t roster_settle(bool all);
void roster_close(void);
void roster_forget(void);
struct roster_count roster_count(void);

/* The calling thread has another alternate stack: see altstacks.h. Returns whether it was ticked
 * and is not any more. */
bool roster_stack_changed(void);

/* Whether there was a thread that the clock could not be armed for. Async-signal-safe. */
bool roster_had_refusals(void);

/* What all threads on the roster owe together, in nanoseconds. */
int64_t roster_owed_ns(void);

/* The rest is called by the thread that it is about, without the lock. While closed, nothing
 * happens. */

/* It has begun, or is about to end; `start` is the function that it began with. */
void roster_born(void);
void roster_gone(uintptr_t start);

/*
 * It is about to exec: no tick may be under way then. If the exec fails, it ticks on. Leaves errno
 * alone, and does nothing in the child of a vfork.
 */
void roster_pause(void);
void roster_resume(void);

/*
 * It wants the signals that ticks come by for itself, and is not ticked until it unblocks them. The
 * first may be called in the handler; the second after each change of a mask, as it costs nothing
 * while nobody is mute.
 */
void roster_mute(void);
void roster_unmute(void);

#endif
