/* SPDX-License-Identifier: MIT
 *
 * test_timeline.c - times of events match those of the recording.
 */
#include "attach/timeline.h"
#include "recording/make/timebase.h"
#include "tap.h"

/* Returns the distance of the current time from the recording's clock, in its units. */
static int64_t error_now(const struct timeline *timeline)
{
	struct record_instant before = timebase_now(timeline->clock);
	int64_t best = INT64_MAX;

	for (int i = 0; i < 100; i++) {
		uint64_t ns = timeline_now(timeline);
		struct record_instant after = timebase_now(timeline->clock);
		uint64_t ticks = timeline_ticks(timeline, ns);
		int64_t error = ticks < before.ticks  ? (int64_t)(before.ticks - ticks)
				: ticks > after.ticks ? (int64_t)(ticks - after.ticks)
						      : 0;

		best = error < best ? error : best;
		before = after;
	}
	return best;
}

static void in_ns(void)
{
	struct timeline timeline;

	timeline_init(&timeline, RECORD_CLOCK_NS);
	ok(timeline_clockid(&timeline) == CLOCK_MONOTONIC &&
		   timeline_ticks(&timeline, 123456789) == 123456789,
	   "a recording in nanoseconds has the kernel's own");
	timeline_update(&timeline);
	ok(error_now(&timeline) == 0, "and they are now");
}

static void in_ticks(void)
{
	const struct timespec wait = { .tv_nsec = 150000000 };
	struct timeline timeline;
	uint64_t now, latest;

	timeline_init(&timeline, RECORD_CLOCK_TICKS);
	ok(timeline_clockid(&timeline) == CLOCK_MONOTONIC_RAW, "ticks go along with the raw clock");
	ok(error_now(&timeline) < 10000, "a time is right at first: off by %ld ticks",
	   error_now(&timeline));
	nanosleep(&wait, NULL);
	latest = timeline.latest.ns;
	timeline_update(&timeline);
	ok(timeline.latest.ns > latest && error_now(&timeline) < 10000,
	   "and later: off by %ld ticks", error_now(&timeline));
	now = timeline_now(&timeline);
	ok(timeline_ticks(&timeline, now) > timeline_ticks(&timeline, now - 1000000),
	   "earlier mappings are kept for earlier times");
	timeline_update(&timeline);
	ok(timeline_ticks(&timeline, now - 100000000) < timeline_ticks(&timeline, now),
	   "also before the last comparison");
}

int main(void)
{
	in_ns();
	in_ticks();
	return tap_done();
}
