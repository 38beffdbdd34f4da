/* SPDX-License-Identifier: MIT
 *
 * perf_event.h - an event of the kernel on one thread, delivered as SIGTRAP (sigtrap, Linux 5.13):
 * for the clocks that are made of such events.
 *
 * No descriptor stays open: a mapping keeps the event alive, so that a daemon which closes every
 * descriptor neither ends nor, worse, gets mixed up with our clock. The mapping is not inherited by
 * fork, and exec removes the event.
 *
 * The mapping may have a ring: see runtime/sampling/perf_ring.h.
 */
#ifndef DWELL_RUNTIME_SAMPLER_PERF_EVENT_H
#define DWELL_RUNTIME_SAMPLER_PERF_EVENT_H

#include <linux/perf_event.h>

#include "clock.h"

/* The first page of the mapping; the kernel rounds up. */
#define PERF_EVENT_PAGE_BYTES 4096

/* Fills in the parts of an event that every clock has. */
void perf_event_init(struct perf_event_attr *attr, bool user_only);

/* Starts an event for a thread, with a ring of that size or 0, in place of any that it had. Returns
 * 0 or -errno. Async-signal-safe, as all but perf_event_check(). */
int perf_event_start(struct thread *thread, const struct perf_event_attr *attr, size_t ring_bytes);
void perf_event_stop(struct thread *thread, size_t ring_bytes);

/* Tries an event with so long a period that it does not happen. Returns 0 or -errno. */
int perf_event_try(const struct perf_event_attr *attr);

/* Returns whether such events work here at all; false: *refusal is the reason. */
bool perf_event_check(struct clock_refusal *refusal);

/*
 * Returns whether events inside the kernel are harmless. Before Linux 6.11 they raised their signal
 * immediately, and cut system calls short. On every Linux they kill a program that has just been
 * exec'd, unless the clock is stopped first.
 */
bool perf_event_kernel_is_safe(void);

/* Return whether a signal is of one of our events, perhaps a late one; and its thread, or NULL. */
bool perf_event_owns(const siginfo_t *info);
struct thread *perf_event_thread(const siginfo_t *info);

#endif
