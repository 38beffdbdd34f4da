/* SPDX-License-Identifier: MIT
 *
 * histogram.h - how durations are spread: the octaves of a recording, added up. See format.h for
 * the bins. Counts are doubles, which hold all counts there will ever be, and cannot overflow.
 */
#ifndef DWELL_MODEL_CALLS_HISTOGRAM_H
#define DWELL_MODEL_CALLS_HISTOGRAM_H

#include "recording/format.h"

#define HISTOGRAM_BINS ((RECORD_OCTAVES + 1) * RECORD_BINS)

/* Starts as all zeroes. */
struct histogram {
	double count; /* in all bins */
	double bins[HISTOGRAM_BINS];
};

/* Of an octave as the reader answers it. */
void histogram_add(struct histogram *histogram, const struct record_octave *octave);

/* Of one more duration, which is in no octave. */
void histogram_add_one(struct histogram *histogram, uint64_t duration);

/* The duration that so many (0...1) of all do not exceed: the middle of a bin. 0 if there is none.
 */
double histogram_quantile(const struct histogram *histogram, double part);

/* Of the durations themselves, as far as bins can tell. */
double histogram_variance(const struct histogram *histogram);

#endif
