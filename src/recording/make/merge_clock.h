/* SPDX-License-Identifier: MIT
 *
 * merge_clock.h - the one clock of a merged recording. If all recordings were made since the same
 * boot and count in the same clock, it is theirs, and no time changes. Otherwise it is a new one
 * that ticks as fast as the fastest of theirs, so that nothing is lost by rounding; they are
 * aligned by the time of day at which they started.
 */
#ifndef DWELL_RECORDING_MAKE_MERGE_CLOCK_H
#define DWELL_RECORDING_MAKE_MERGE_CLOCK_H

#include <stdbool.h>

#include "recording/format.h"
#include "recording/read/timescale.h"
#include "retime.h"

/* The times in the header of one recording. */
struct merge_times {
	enum record_clock clock;
	uint8_t boot_id[16];
	uint64_t started_unix_ns;
	struct record_instant started, ended, read;
	struct timescale scale;
};

struct merge_clock {
	bool is_theirs; /* no time changes */
	enum record_clock clock;
	double ns_per_tick;     /* of a new clock */
	uint64_t since_unix_ns; /* when the first of them started */
};

struct merge_times merge_times_of(const struct record_header *header);

/* Returns true if the header still has these times, except for an end that it lacked. */
bool merge_times_hold(const struct merge_times *times, const struct record_header *header);

struct merge_clock merge_clock_choose(const struct merge_times *times, size_t count);

/* Returns how to convert one of them, unless is_theirs. */
struct retime merge_clock_retime(const struct merge_clock *clock, const struct merge_times *times);

/* Fills in the times of the merged header. */
void merge_clock_put(const struct merge_clock *clock, const struct merge_times *times, size_t count,
		     struct record_header *header);

#endif
