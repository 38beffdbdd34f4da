/* SPDX-License-Identifier: MIT
 *
 * timescale.h - converts ticks of a recording's clock to nanoseconds.
 */
#ifndef DWELL_RECORDING_READ_TIMESCALE_H
#define DWELL_RECORDING_READ_TIMESCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/format.h"

struct timescale {
	double ns_per_tick;
	bool estimated; /* not in the recording: by this machine's current counter
			 */
};

struct timescale timescale_of(const struct record_header *header);

/* Returns UINT64_MAX for a duration too long. */
uint64_t timescale_ns(const struct timescale *scale, double ticks);

#endif
