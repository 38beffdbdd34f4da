/* SPDX-License-Identifier: MIT */
#include "significance.h"

#include <math.h>
#include <stdlib.h>

/* Terms of a continued fraction: it needs about the square root of the larger parameter. */
#define TERMS_MAX 200000
#define PRECISION 1e-13

/* Replaces 0 as a divisor. */
#define NEARLY_NOTHING 1e-300

static double not_zero(double x)
{
	return fabs(x) < NEARLY_NOTHING ? NEARLY_NOTHING : x;
}

/* The fraction evaluated from its front (Lentz): `value` is that of all terms so far, the other two
 * are the quotients of the last numerators and denominators. */
struct fraction {
	double value, numerator, denominator;
};

/* Returns the factor by which the value changes. */
static double take_term(struct fraction *fraction, double term)
{
	double factor;

	fraction->numerator = not_zero(1 + term / fraction->numerator);
	fraction->denominator = 1 / not_zero(1 + term * fraction->denominator);
	factor = fraction->numerator * fraction->denominator;
	fraction->value *= factor;
	return factor;
}

/* Computes 1 / (1 + d1/(1 + d2/(1 + ...))), where odd and even terms have different forms. */
static double beta_fraction(double a, double b, double x)
{
	struct fraction fraction = { .value = 1, .numerator = 1, .denominator = 0 };

	take_term(&fraction, -(a + b) * x / (a + 1));
	for (int i = 1; i < TERMS_MAX; i++) {
		double m = i;

		take_term(&fraction, m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
		if (fabs(take_term(&fraction,
				   -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))) -
			 1) < PRECISION)
			break;
	}
	return 1 / fraction.value;
}

double significance_beta(double a, double b, double x)
{
	double log_front;

	if (x >= 1 || a <= 0)
		return 1;
	if (x <= 0 || b <= 0)
		return 0;
	log_front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x);
	/* The fraction converges fast on one side of the mean only. */
	if (x > (a + 1) / (a + b + 2))
		return 1 - exp(log_front) * beta_fraction(b, a, 1 - x) / b;
	return exp(log_front) * beta_fraction(a, b, x) / a;
}

/* Returns the probability of k or more of n events, each with the given probability; exactly k
 * counts by half. */
static double upper_tail(double k, double n, double probability)
{
	return (significance_beta(k, n - k + 1, probability) +
		significance_beta(k + 1, n - k, probability)) /
	       2;
}

double significance_of_counts(const struct significance_count *a,
			      const struct significance_count *b)
{
	double all = a->events + b->events, exposure = a->exposure + b->exposure;
	double upper, lower, p;

	if (!(all > 0) || !(a->exposure > 0) || !(b->exposure > 0))
		return 1;
	upper = upper_tail(a->events, all, a->exposure / exposure);
	lower = upper_tail(b->events, all, b->exposure / exposure);
	p = 2 * (upper < lower ? upper : lower);
	return p < 1 ? p : 1;
}

double significance_of_means(const struct significance_runs *a, const struct significance_runs *b)
{
	double of_a, of_b, both, t_squared, freedom;

	if (a->count < 2 || b->count < 2)
		return 1;
	of_a = a->variance / (double)a->count;
	of_b = b->variance / (double)b->count;
	both = of_a + of_b;
	if (!(both > 0))
		return a->mean == b->mean;
	t_squared = (a->mean - b->mean) * (a->mean - b->mean) / both;
	freedom = both * both /
		  (of_a * of_a / (double)(a->count - 1) + of_b * of_b / (double)(b->count - 1));
	return significance_beta(freedom / 2, 0.5, freedom / (freedom + t_squared));
}

static int by_value(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

double significance_limit(double *values, size_t count, double level)
{
	if (count)
		qsort(values, count, sizeof(*values), by_value);
	for (size_t i = count; i-- > 0;)
		if (values[i] <= level * (double)(i + 1) / (double)count)
			return values[i];
	return -1;
}
