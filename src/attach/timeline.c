/* SPDX-License-Identifier: MIT */
#include "attach/timeline.h"

#include "recording/make/timebase.h"

/* The two clocks are compared over this time before the first event; the error of a comparison,
 * some 50 ns, is then a part in 200000. */
#define FIRST_NS  10000000
#define UPDATE_NS 100000000

static void set_rate(struct timeline *timeline)
{
	timeline->ticks_per_ns = (double)(timeline->latest.ticks - timeline->first.ticks) /
				 (double)(timeline->latest.ns - timeline->first.ns);
}

void timeline_init(struct timeline *timeline, enum record_clock clock)
{
	static const struct timespec wait = { .tv_nsec = FIRST_NS };

	*timeline = (struct timeline){ .clock = clock };
	if (clock != RECORD_CLOCK_TICKS)
		return;
	timeline->first = timebase_now(clock);
	nanosleep(&wait, NULL);
	timeline->latest = timebase_now(clock);
	set_rate(timeline);
}

clockid_t timeline_clockid(const struct timeline *timeline)
{
	return timeline->clock == RECORD_CLOCK_TICKS ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC;
}

uint64_t timeline_now(const struct timeline *timeline)
{
	struct timespec now;

	clock_gettime(timeline_clockid(timeline), &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void timeline_update(struct timeline *timeline)
{
	if (timeline->clock != RECORD_CLOCK_TICKS ||
	    timeline_now(timeline) - timeline->latest.ns < UPDATE_NS)
		return;
	timeline->latest = timebase_now(timeline->clock);
	set_rate(timeline);
}

/* Computes from the latest comparison, which is never far: so errors of the rate do not add up. */
uint64_t timeline_ticks(const struct timeline *timeline, uint64_t ns)
{
	double since = (double)(int64_t)(ns - timeline->latest.ns);

	if (timeline->clock != RECORD_CLOCK_TICKS)
		return ns;
	return timeline->latest.ticks + (uint64_t)(int64_t)(since * timeline->ticks_per_ns);
}
