/* SPDX-License-Identifier: MIT
 *
 * rings.h - the ring buffers into which the kernel writes events, one per CPU, and the events of
 * all of them in the order of time.
 *
 * Events stay in their ring until they are handled, so that no other memory is needed, however far
 * we fall behind; events without space are then lost, and the kernel reports that.
 */
#ifndef DWELL_ATTACH_RINGS_H
#define DWELL_ATTACH_RINGS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Invariant: tail <= head <= tail + size; the kernel has written the bytes between them. */
struct ring {
	struct perf_event_mmap_page *page;
	const char *data;
	size_t size;                           /* a power of two */
	uint64_t tail, head;                   /* since the start */
	char *scratch;                         /* for an event that wraps around the end */
	const struct perf_event_header *first; /* at tail; NULL: not examined, or none */
	uint64_t time;                         /* of the first */
	int cpu, fd;
};

struct rings {
	struct ring *rings;
	size_t count;
	struct ring *taken; /* whose first event the caller is using */
	uint64_t damaged;   /* invalid bytes */
};

/* Opens one for each CPU; `bytes` of each is a wish. Returns 0 or -errno; in any case, free with
 * rings_close(). */
int rings_open(struct rings *rings, clockid_t clock, size_t bytes);
void rings_close(struct rings *rings);

/* Reads how far the kernel has written. */
void rings_look(struct rings *rings);

/* Returns the earliest event present at the last look and not later than `until`; NULL: none. It
 * stays valid until the next call. */
const struct perf_event_header *rings_next(struct rings *rings, uint64_t until);

/* Waits until a ring has a fair amount in it, up to the timeout. */
void rings_wait(const struct rings *rings, int timeout_ms);

/* Returns true if a ring is so full that one should not wait. */
bool rings_are_filling(const struct rings *rings);

#endif
