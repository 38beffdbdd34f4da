/* SPDX-License-Identifier: MIT
 *
 * perf_ring.h - the ring in the mapping of a thread's event (runtime/sampler/perf_event.h), in
 * which the kernel describes each time that the event has happened. Several of them may raise one
 * signal.
 *
 * The kernel writes backward and over the oldest ones, so that the latest is always there, at the
 * head. The mapping is read-only: the program cannot change what is in it.
 *
 * The functions are called by the thread itself, in the handler.
 */
#ifndef DWELL_RUNTIME_SAMPLING_PERF_RING_H
#define DWELL_RUNTIME_SAMPLING_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/sampler/threads.h"

/* Room for at least 7 descriptions of PERF_RING_CHAIN addresses each. */
#define PERF_RING_BYTES 4096

/* The most addresses of the kernel that are asked for. */
#define PERF_RING_CHAIN 64

/* The description of one time that the event has happened. */
struct perf_ring_record {
	uint64_t count;                  /* of all events so far, with those that did not fit */
	uint64_t chain[PERF_RING_CHAIN]; /* the kernel's functions, the innermost first */
	uint32_t chain_count;
};

/* A place in a ring. */
struct perf_ring {
	const char *bytes; /* NULL: the thread has no event */
	uint64_t at, end;
	bool has_chains;
};

/* Adds to an event what its ring needs. */
void perf_ring_prepare(struct perf_event_attr *attr);
void perf_ring_prepare_chains(struct perf_event_attr *attr);

struct perf_ring perf_ring_of(const struct thread *thread, bool has_chains);

/* Returns the latest one, and then those before it. False: there is none, or it is overwritten. */
bool perf_ring_next(struct perf_ring *ring, struct perf_ring_record *record);

#endif
