/* SPDX-License-Identifier: MIT */
#include "histogram.h"

#include <stddef.h>

/* Returns the first bin. Octave 0 has the first two rows of bins, all others one each. */
static size_t first_bin(uint32_t octave)
{
	return octave ? (octave + 1) * RECORD_BINS : 0;
}

static double middle_of(size_t bin)
{
	size_t octave = bin / RECORD_BINS;
	double width, low;

	if (octave < 2)
		return (double)bin;
	width = (double)(UINT64_C(1) << (octave - 1));
	low = (double)(RECORD_BINS + bin % RECORD_BINS) * width;
	return low + (width - 1) / 2;
}

void histogram_add(struct histogram *histogram, const struct record_octave *octave)
{
	size_t count = octave->octave ? RECORD_BINS : 2 * RECORD_BINS;
	double *bins = histogram->bins + first_bin(octave->octave);

	for (size_t i = 0; i < count; i++) {
		bins[i] += (double)octave->bins[i];
		histogram->count += (double)octave->bins[i];
	}
}

/* Returns the bin of a duration. */
static size_t bin_of(uint64_t duration)
{
	size_t octave = 0;

	while (duration >> octave >= 2 * RECORD_BINS && octave < RECORD_OCTAVES)
		octave++;
	return octave == RECORD_OCTAVES ? HISTOGRAM_BINS - 1
					: octave * RECORD_BINS + (size_t)(duration >> octave);
}

void histogram_add_one(struct histogram *histogram, uint64_t duration)
{
	histogram->bins[bin_of(duration)]++;
	histogram->count++;
}

void histogram_add_scaled(struct histogram *histogram, const struct histogram *more, double factor)
{
	for (size_t i = 0; i < HISTOGRAM_BINS; i++) {
		double duration = middle_of(i) * factor + 0.5;

		if (more->bins[i] == 0)
			continue;
		histogram->bins[bin_of(duration < 18e18 ? (uint64_t)duration : UINT64_MAX)] +=
			more->bins[i];
		histogram->count += more->bins[i];
	}
}

double histogram_quantile(const struct histogram *histogram, double part)
{
	double wanted = part * histogram->count, sum = 0;
	size_t last = 0;

	for (size_t i = 0; i < HISTOGRAM_BINS; i++) {
		if (histogram->bins[i] == 0)
			continue;
		sum += histogram->bins[i];
		last = i;
		if (sum >= wanted)
			break;
	}
	return middle_of(last);
}

double histogram_variance(const struct histogram *histogram)
{
	double sum = 0, mean, squares = 0;

	if (histogram->count == 0)
		return 0;
	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		if (histogram->bins[i] != 0)
			sum += histogram->bins[i] * middle_of(i);
	mean = sum / histogram->count;
	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		if (histogram->bins[i] != 0)
			squares +=
				histogram->bins[i] * (middle_of(i) - mean) * (middle_of(i) - mean);
	return squares / histogram->count;
}
