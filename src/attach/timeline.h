/* SPDX-License-Identifier: MIT
 *
 * timeline.h - converts the kernel's times of events to those of the recording.
 *
 * A recording in nanoseconds uses the kernel's own CLOCK_MONOTONIC. One in ticks of the CPU gets
 * events in CLOCK_MONOTONIC_RAW, which advances at the same rate as the ticks: it is never
 * adjusted.
 */
#ifndef DWELL_ATTACH_TIMELINE_H
#define DWELL_ATTACH_TIMELINE_H

#include <stdint.h>
#include <time.h>

#include "recording/format.h"

struct timeline {
	enum record_clock clock;
	struct record_instant first, latest; /* for ticks alone */
	double ticks_per_ns;
};

void timeline_init(struct timeline *timeline, enum record_clock clock);

/* Returns the clock for events. */
clockid_t timeline_clockid(const struct timeline *timeline);
uint64_t timeline_now(const struct timeline *timeline);

/* Compares the clocks again, now and then, so that they do not drift apart. */
void timeline_update(struct timeline *timeline);

/* Returns the recording's time of an event. */
uint64_t timeline_ticks(const struct timeline *timeline, uint64_t ns);

#endif
