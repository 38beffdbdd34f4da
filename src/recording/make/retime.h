/* SPDX-License-Identifier: MIT
 *
 * retime.h - converts a recording in memory to another clock, so that recordings of several
 * machines can be in one file.
 */
#ifndef DWELL_RECORDING_MAKE_RETIME_H
#define DWELL_RECORDING_MAKE_RETIME_H

#include <stdint.h>

#include "base/err.h"
#include "recording/read/reader.h"

/* From one clock to another. */
struct retime {
	uint64_t from, to; /* the same instant on both */
	double factor;     /* ticks of the new clock in a tick of the old one */
};

/* Returns an instant on the new clock, rounded down; at least 1. A later instant is never an
 * earlier one there. */
uint64_t retime_instant(const struct retime *retime, uint64_t ticks);

/* Returns a duration on the new clock, rounded to the nearest. UINT64_MAX, which means "none",
 * stays what it is. */
uint64_t retime_duration(const struct retime *retime, uint64_t ticks);

/* Converts all times of the reader's segments. Counts are unchanged, and so are weights of samples,
 * which are in nanoseconds. A duration in a histogram becomes the middle of its bin, and the new
 * one is in the bin where that is: so it is off by at most half the width of both bins. */
int retime_segments(struct reader *reader, const struct retime *retime, struct err *err);

#endif
