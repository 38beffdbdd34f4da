/* SPDX-License-Identifier: MIT
 *
 * test_significance.c - compared with values computed in other ways, and on random counts: the same
 * numbers in every run. Tolerances of rates are stated where they are used.
 */
#include "model/diff/significance.h"

#include <math.h>

#include "../../random64.h"
#include "tap.h"

static bool is_near(double got, double due)
{
	if (fabs(got - due) <= 1e-9 * fabs(due))
		return true;
	note("%.15g instead of %.15g", got, due);
	return false;
}

/* Compares with exact sums of binomial coefficients. */
static void beta(void)
{
	ok(is_near(significance_beta(2, 3, 0.5), 0.6875), "I_0.5(2, 3)");
	ok(is_near(significance_beta(3, 5, 0.2), 0.148032), "I_0.2(3, 5)");
	ok(is_near(significance_beta(8, 2, 0.9), 0.774840978), "I_0.9(8, 2)");
	ok(is_near(significance_beta(30, 71, 0.4), 0.985224681769269), "I_0.4(30, 71)");
	ok(is_near(significance_beta(600, 401, 0.5), 1.3642320780330092e-10), "a far tail");
	ok(is_near(significance_beta(0.5, 0.5, 0.25), 1.0 / 3), "parts of numbers");
	ok(significance_beta(2, 3, 0) == 0 && significance_beta(2, 3, 1) == 1 &&
		   significance_beta(0, 3, 0.5) == 1 && significance_beta(3, 0, 0.5) == 0,
	   "the edges");
	ok(fabs(significance_beta(5e7, 5e7, 0.5) - 0.5) < 1e-6, "large parameters end soon");
}

static double p_of(double a, double b, double exposure)
{
	return significance_of_counts(&(struct significance_count){ a, 1 },
				      &(struct significance_count){ b, exposure });
}

static void counts(void)
{
	ok(is_near(p_of(10, 20, 1), 0.07075554598122835), "10 and 20 may be chance");
	ok(is_near(p_of(100, 150, 1), 0.0015481886001191825), "100 and 150 are not");
	ok(is_near(p_of(0, 6, 1), 0.015625), "none and six");
	ok(is_near(p_of(5, 30, 3), 0.1386257426670534), "30 in three times as long");
	ok(is_near(p_of(7, 7, 1), 1) && p_of(0, 0, 1) == 1, "no difference, and nothing");
	ok(is_near(p_of(12, 31, 2), significance_of_counts(&(struct significance_count){ 31, 2 },
							   &(struct significance_count){ 12, 1 })),
	   "either way round");
	ok(p_of(0, 0, 0) == 1 && p_of(3, 0, 0) == 1, "a recording of length 0 proves nothing");
	ok(p_of(10.5, 20.5, 1) > p_of(10, 21, 1) && p_of(10.5, 20.5, 1) < p_of(11, 20, 1),
	   "parts of counts are between whole ones");
}

static void means(void)
{
	struct significance_runs a = { 5, 10, 4 }, b = { 4, 13, 1 }, one = { 1, 99, 0 };
	struct significance_runs c = { 3, 7, 0 }, d = { 3, 8, 0 };

	ok(fabs(significance_of_means(&a, &b) - 0.02587954767336298) < 1e-8,
	   "Welch's test, by numerical integration");
	ok(is_near(significance_of_means(&a, &b), significance_of_means(&b, &a)),
	   "either way round");
	ok(significance_of_means(&a, &one) == 1, "a single run tells nothing");
	ok(significance_of_means(&c, &d) == 0 && significance_of_means(&c, &c) == 1,
	   "runs that do not differ at all");
}

static void limit(void)
{
	/* The levels of the ranks are 0.01, 0.02, ... 0.05. */
	double some[] = { 0.041, 0.9, 0.005, 0.019, 0.035 }, none[] = { 0.5, 0.011, 0.3, 0.9, 0.2 };
	double late[] = { 0.05, 0.045, 0.04, 0.03, 0.03 };

	ok(significance_limit(some, 5, 0.05) == 0.019, "as far as the ranks allow");
	ok(significance_limit(none, 5, 0.05) < 0, "none, where one alone would have been");
	ok(significance_limit(late, 5, 0.05) == 0.05, "the largest that holds takes all below it");
	ok(significance_limit(NULL, 0, 0.05) < 0, "none of none");
}

/* ---- random counts ---- */

static double uniform(uint64_t *state)
{
	return ((double)(random64(state) >> 11) + 0.5) / 9007199254740992.0;
}

/* Returns a random count with this mean: arrivals in a unit of time. */
static double poisson(uint64_t *state, double mean)
{
	double time = 0, count = -1;

	for (; time < mean; count++)
		time -= log(uniform(state));
	return count;
}

/* Returns how often two counts of these means differ with p below 0.05. */
static double rate_of(double first, double second, double exposure)
{
	enum { TRIES = 4000 };
	uint64_t state = 42;
	int found = 0;

	for (int i = 0; i < TRIES; i++) {
		double a = poisson(&state, first), b = poisson(&state, second * exposure);

		found += p_of(a, b, exposure) < 0.05;
	}
	return (double)found / TRIES;
}

/* In 4000 tries at 0.05, the standard deviation is 0.0034: four of them are allowed upwards. Small
 * counts have few p-values, perhaps none just below 0.05: so more are allowed downwards. */
static void false_positives(void)
{
	static const double at[] = { 8, 30, 100, 1000 }, exposures[] = { 1, 3 };

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		for (size_t j = 0; j < sizeof(exposures) / sizeof(exposures[0]); j++) {
			double rate = rate_of(at[i], at[i], exposures[j]);

			ok(rate > 0.03 && rate < 0.0636,
			   "%g and as many in %g times as long: %.4f are below 0.05", at[i],
			   exposures[j], rate);
		}
	}
}

/* By the normal approximation, with the same allowance, 4 of 0.0079 at most. */
static void power(void)
{
	double few = rate_of(100, 120, 1), some = rate_of(500, 600, 1),
	       many = rate_of(2000, 2400, 1);

	ok(fabs(few - 0.27) < 0.032, "20 per cent more of 100: seen in %.3f of all", few);
	ok(fabs(some - 0.863) < 0.032, "of 500: %.3f", some);
	ok(many > 0.999, "of 2000: %.4f", many);
}

static void fill(uint64_t *state, double *ps, int rows)
{
	for (int row = 0; row < rows; row++)
		ps[row] = p_of(poisson(state, 10 + 5 * row), poisson(state, 10 + 5 * row), 1);
}

/* If nothing at all has changed, any mark is wrong: there is one in 5 of 100 comparisons. In 1000,
 * the standard deviation is 7, and four of them are allowed. */
static void nothing_changed(void)
{
	uint64_t state = 7;
	double ps[50];
	int marked = 0;

	for (int i = 0; i < 1000; i++) {
		fill(&state, ps, 50);
		marked += significance_limit(ps, 50, 0.05) >= 0;
	}
	ok(marked < 78, "nothing has changed: %d of 1000 comparisons have a mark", marked);
}

/* The part of wrong marks in a comparison is 0.05 on average; its standard deviation is about 0.15,
 * and that of the mean of 1000 is 0.005, four of which are allowed. */
static void one_changed(void)
{
	uint64_t state = 8;
	double ps[50], wrong_parts = 0;
	int found = 0;

	for (int i = 0; i < 1000; i++) {
		double changed = p_of(poisson(&state, 400), poisson(&state, 600), 1), largest;
		int marks = 0;

		fill(&state, ps, 50);
		ps[49] = changed;
		largest = significance_limit(ps, 50, 0.05);
		while (marks < 50 && ps[marks] <= largest)
			marks++;
		found += changed <= largest;
		wrong_parts += marks ? (marks - (changed <= largest)) / (double)marks : 0;
	}
	ok(found > 990, "one of fifty has changed by half, of 400: found in %d of 1000", found);
	ok(wrong_parts < 70, "%.3f of the marks are wrong", wrong_parts / 1000);
}

int main(void)
{
	beta();
	counts();
	means();
	limit();
	false_positives();
	power();
	nothing_changed();
	one_changed();
	return tap_done();
}
