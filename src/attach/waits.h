/* SPDX-License-Identifier: MIT
 *
 * waits.h - how long a thread has waited, and how much of that is in no sample yet.
 *
 * The kernel tells for how long a thread has run and for how long it has waited for a CPU; what is
 * left of the time is time that it was blocked. Both figures come late: that of a thread which runs
 * by a tick of the kernel, that of one which waits for a CPU by all it has waited. So sums may go
 * below 0 for a while. Invariant: what was taken out, what is left and the CPU time of the thread
 * add up to the time from when it began to the last look.
 */
#ifndef DWELL_ATTACH_WAITS_H
#define DWELL_ATTACH_WAITS_H

#include "attach/proc.h"

/* Starts as all zeroes. */
struct waits {
	uint64_t time; /* of the last look, or when it began; 0: unknown */
	struct proc_schedule seen;
	uint64_t ran_ns;    /* that samples since then stand for */
	int64_t blocked_ns; /* in no sample yet */
	int64_t queued_ns;  /* for a CPU; likewise */
};

/* From this time on, when the kernel said that. */
void waits_begin(struct waits *waits, uint64_t time, const struct proc_schedule *seen);

/* A sample says that it ran for so long up to this time. */
void waits_ran(struct waits *waits, uint64_t time, uint64_t ns);

/* This is what the kernel says now. */
void waits_look(struct waits *waits, uint64_t now, const struct proc_schedule *seen);

/*
 * How long it has waited since the last look, up to a time by which the kernel has forgotten it: as
 * far as samples tell, which come once in period_ns.
 */
int64_t waits_guess(const struct waits *waits, uint64_t until, uint64_t period_ns);

/* Time that one kind has too much is taken from the other one. */
void waits_level(struct waits *waits);

/* Takes as many whole units out of one of the sums as there are; in nanoseconds. */
uint64_t waits_take(int64_t *sum, uint64_t unit_ns);

#endif
