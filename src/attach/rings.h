/* SPDX-License-Identifier: MIT
 *
 * rings.h - the memory that the kernel writes events into, a ring for each CPU, and the events of
 * all of them in the order of time.
 *
 * Events stay in their ring until they are dealt with, so that no more memory is needed than the
 * rings have, however far we fall behind; what finds no room then is lost, and the kernel says so.
 */
#ifndef DWELL_ATTACH_RINGS_H
#define DWELL_ATTACH_RINGS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Invariant: tail <= head <= tail + size; what is between them was written by the kernel. */
struct ring {
	struct perf_event_mmap_page *page;
	const char *data;
	size_t size;                           /* a power of two */
	uint64_t tail, head;                   /* counted from the beginning of time */
	char *scratch;                         /* for an event that goes round the end */
	const struct perf_event_header *first; /* at tail; NULL: not looked at, or none */
	uint64_t time;                         /* of the first */
	int cpu, fd;
};

struct rings {
	struct ring *rings;
	size_t count;
	struct ring *taken; /* whose first event the caller has */
	uint64_t damaged;   /* bytes that made no sense */
};

/* One for each CPU that is there; `bytes` of each is a wish. 0 or -errno; rings_close() is due in
 * any case. */
int rings_open(struct rings *rings, clockid_t clock, size_t bytes);
void rings_close(struct rings *rings);

/* Looks how far the kernel has written. */
void rings_look(struct rings *rings);

/*
 * The earliest event that was there at the last look and is not later than `until`; NULL: there is
 * none. It stays valid until the next call.
 */
const struct perf_event_header *rings_next(struct rings *rings, uint64_t until);

/* Waits until some ring has a good deal in it, so long at most. */
void rings_wait(const struct rings *rings, int timeout_ms);

/* Whether some ring is so full that one should not wait. */
bool rings_are_filling(const struct rings *rings);

#endif
