/* SPDX-License-Identifier: MIT
 *
 * sums.h - the sums over a part of the calls of a function, in ticks, and the figures that follow
 * from them.
 */
#ifndef DWELL_MODEL_CALLS_SUMS_H
#define DWELL_MODEL_CALLS_SUMS_H

#include "calls.h"
#include "histogram.h"

/* Begin as SUMS_NONE. In a damaged recording they wrap around, which does no harm. */
struct calls_sums {
	uint64_t sum, again, weight, squares; /* as in struct record_calls */
	uint64_t self;                        /* a signed number, added as unsigned */
	uint64_t min, max;
	uint64_t long_sum, watched, cpu_ns; /* as in struct record_waits; and */
	uint64_t watched_calls;
	struct histogram histogram;
};

#define SUMS_NONE ((struct calls_sums){ .min = UINT64_MAX })

/* Adds the times of an item that has some. */
void sums_add_item(struct calls_sums *sums, const struct record_calls *item,
		   const struct timescale *scale);

/* Adds what is known about long calls. */
void sums_add_waits(struct calls_sums *sums, const struct record_waits *item);

/* Adds all but the histogram. */
void sums_add(struct calls_sums *sums, const struct calls_sums *more);

/* Sets the times of a row, whose numbers of calls are set, if any of its calls returned. */
void sums_put_times(const struct calls *calls, struct calls_row *row,
		    const struct calls_sums *sums);

#endif
