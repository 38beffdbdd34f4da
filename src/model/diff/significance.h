/* SPDX-License-Identifier: MIT
 *
 * significance.h - tests if two figures differ by more than chance. Statistics alone: nothing here
 * depends on what is counted.
 *
 * A p-value is the probability that figures differ this much, or more, by chance alone.
 */
#ifndef DWELL_MODEL_DIFF_SIGNIFICANCE_H
#define DWELL_MODEL_DIFF_SIGNIFICANCE_H

#include <stddef.h>

/* Returns the regularised incomplete beta function, I_x(a, b). */
double significance_beta(double a, double b, double x);

/* A number of random events, and the time or amount over which they were counted. Neither needs to
 * be whole. */
struct significance_count {
	double events, exposure;
};

/* Returns the p-value of two counts, for the hypothesis of equal rates. Each of all events belongs
 * to the first count with the odds of the exposures: the exact two-sided binomial test, with half
 * of the probability of the observed result (mid-p), so that it is right on average for small
 * counts too. */
double significance_of_counts(const struct significance_count *a,
			      const struct significance_count *b);

/* Repeated measurements of one quantity. */
struct significance_runs {
	size_t count;
	double mean, variance; /* the unbiased one, of single measurements */
};

/* Returns the p-value of two means, for the hypothesis that they are equal (Welch's t-test). 1 if
 * one of them was measured less than twice. */
double significance_of_means(const struct significance_runs *a, const struct significance_runs *b);

/* Returns the limit up to which p-values are significant; below 0: none is. On average, at most the
 * part `level` (0...1) of these are caused by chance (Benjamini and Hochberg). Sorts the values. */
double significance_limit(double *values, size_t count, double level);

#endif
