/* SPDX-License-Identifier: MIT
 *
 * timescale.h - from ticks of a recording's clock to nanoseconds.
 */
#ifndef DWELL_MODEL_CALLS_TIMESCALE_H
#define DWELL_MODEL_CALLS_TIMESCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/format.h"

struct timescale {
	double ns_per_tick;
	bool estimated; /* the recording does not say: by the counter of this machine as it is now
			 */
};

struct timescale timescale_of(const struct record_header *header);

/* What is too long to be told is UINT64_MAX. */
uint64_t timescale_ns(const struct timescale *scale, double ticks);

#endif
