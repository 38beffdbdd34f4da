/* SPDX-License-Identifier: MIT
 *
 * timeline.h - from the times that the kernel gives to events to those of the recording.
 *
 * A recording that counts nanoseconds has the kernel's own CLOCK_MONOTONIC. One that counts ticks
 * of the CPU gets events in CLOCK_MONOTONIC_RAW, which runs along with the ticks: nothing corrects
 * it.
 */
#ifndef DWELL_ATTACH_TIMELINE_H
#define DWELL_ATTACH_TIMELINE_H

#include <stdint.h>
#include <time.h>

#include "recording/format.h"

struct timeline {
	enum record_clock clock;
	struct record_instant first, latest; /* of ticks alone */
	double ticks_per_ns;
};

void timeline_init(struct timeline *timeline, enum record_clock clock);

/* The clock that events are to have. */
clockid_t timeline_clockid(const struct timeline *timeline);
uint64_t timeline_now(const struct timeline *timeline);

/* Compares the clocks anew, now and then, so that they do not drift apart. */
void timeline_update(struct timeline *timeline);

/* The recording's time of an event. */
uint64_t timeline_ticks(const struct timeline *timeline, uint64_t ns);

#endif
