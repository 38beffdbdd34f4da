/* SPDX-License-Identifier: MIT
 *
 * histogram.h - the distribution of durations: the octaves of a recording, added up. See format.h
 * for the bins. Counts are doubles, which hold all counts that occur, and cannot overflow.
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

/* Adds an octave of the reader's. */
void histogram_add(struct histogram *histogram, const struct record_octave *octave);

/* Adds one more duration, which is in no octave. */
void histogram_add_one(struct histogram *histogram, uint64_t duration);

/* Adds another one in whose unit a duration is so many times shorter. Bins of two units do not
 * coincide: a duration is off by a bin's width more, unless the factor is 1. */
void histogram_add_scaled(struct histogram *histogram, const struct histogram *more, double factor);

/* Returns the duration that this part (0...1) of all does not exceed: the middle of a bin. 0 if
 * empty.
 */
double histogram_quantile(const struct histogram *histogram, double part);

/* Returns the variance of the durations, as precisely as bins allow. */
double histogram_variance(const struct histogram *histogram);

#endif
