/* SPDX-License-Identifier: MIT
 *
 * significance.h - whether two figures differ by more than chance makes them differ. Statistics
 * alone: nothing here knows what is counted.
 *
 * A p-value is how often figures would differ so much, or more, if there were nothing behind it.
 */
#ifndef DWELL_MODEL_DIFF_SIGNIFICANCE_H
#define DWELL_MODEL_DIFF_SIGNIFICANCE_H

#include <stddef.h>

/* The regularised incomplete beta function, I_x(a, b). */
double significance_beta(double a, double b, double x);

/* A number of random events, and for how long, or over how much, they were counted. Neither needs
 * to be whole. */
struct significance_count {
	double events, exposure;
};

/* The p-value of two counts, that they have the same rate. Of all events together, each is the
 * first's with the odds of the exposures: the exact binomial test of that, both ways, with half of
 * the probability of what was seen (mid-p), so that it is right on average also where counts are
 * small. */
double significance_of_counts(const struct significance_count *a,
			      const struct significance_count *b);

/* The same measured several times. */
struct significance_runs {
	size_t count;
	double mean, variance; /* the unbiased one, of single measurements */
};

/* The p-value of two means, that they are equal (Welch's t-test). 1 if one of them was measured
 * less than twice. */
double significance_of_means(const struct significance_runs *a, const struct significance_runs *b);

/* Of many p-values, those up to the answer stand out; below 0: none does. On average, at most that
 * part of those (level, 0...1) are there by chance (Benjamini and Hochberg). Puts them in order. */
double significance_limit(double *values, size_t count, double level);

#endif
