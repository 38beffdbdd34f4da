/* SPDX-License-Identifier: MIT
 *
 * waits.h - how long a thread has waited, and how much of that is in no sample yet.
 *
 * The kernel reports how long a thread has run and how long it has waited for a CPU; the rest of
 * the time it was blocked. Both figures come late: that of a running thread by a tick of the
 * kernel, that of one waiting for a CPU by its whole wait. So sums may go below 0 for a while.
 * Invariant: the time taken out, the time left and the CPU time of the thread add up to the time
 * from its start to the last look.
 */
#ifndef DWELL_ATTACH_WAITS_H
#define DWELL_ATTACH_WAITS_H

#include "attach/proc.h"

/* Starts as all zeroes. */
struct waits {
	uint64_t time; /* of the last look, or the start; 0: unknown */
	struct proc_schedule seen;
	uint64_t ran_ns;    /* time that samples since then stand for */
	int64_t blocked_ns; /* in no sample yet */
	int64_t queued_ns;  /* waiting for a CPU; likewise */
};

/* Starts at this time, with the kernel's figures. */
void waits_begin(struct waits *waits, uint64_t time, const struct proc_schedule *seen);

/* Notes a sample: it ran for `ns` up to this time. */
void waits_ran(struct waits *waits, uint64_t time, uint64_t ns);

/* Applies the kernel's current figures. */
void waits_look(struct waits *waits, uint64_t now, const struct proc_schedule *seen);

/* Estimates how long it has waited since the last look, up to a time when the kernel has no figures
 * any more: by its samples, one per period_ns. */
int64_t waits_guess(const struct waits *waits, uint64_t until, uint64_t period_ns);

/* Moves an excess of one kind to the other. */
void waits_level(struct waits *waits);

/* Takes all whole units out of one of the sums. Returns nanoseconds. */
uint64_t waits_take(int64_t *sum, uint64_t unit_ns);

#endif
