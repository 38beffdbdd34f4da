/* SPDX-License-Identifier: MIT */
#include "sums.h"

#include <math.h>

void sums_add_item(struct calls_sums *sums, const struct record_calls *item,
		   const struct timescale *scale)
{
	const struct calls_sums more = { .sum = item->sum,
					 .again = item->again,
					 .self = (uint64_t)item->self,
					 .squares = item->squares,
					 .weight = item->weight ? item->weight : item->returned,
					 .min = item->min,
					 .max = item->max };

	sums_add(sums, &more);
	if (item->last == UINT64_MAX)
		return;
	histogram_add_one(&sums->histogram, item->last);
	if ((double)item->last * scale->ns_per_tick >= RECORD_LONG_NS)
		sums->long_sum += item->last;
}

void sums_add_waits(struct calls_sums *sums, const struct record_waits *item)
{
	const struct calls_sums more = { .long_sum = item->sum,
					 .watched = item->watched,
					 .cpu_ns = item->cpu_ns,
					 .watched_calls = item->calls,
					 .min = UINT64_MAX };

	sums_add(sums, &more);
}

void sums_add(struct calls_sums *sums, const struct calls_sums *more)
{
	sums->sum += more->sum;
	sums->again += more->again;
	sums->self += more->self;
	sums->squares += more->squares;
	sums->weight += more->weight;
	sums->long_sum += more->long_sum;
	sums->watched += more->watched;
	sums->cpu_ns += more->cpu_ns;
	sums->watched_calls += more->watched_calls;
	if (more->min < sums->min)
		sums->min = more->min;
	if (more->max > sums->max)
		sums->max = more->max;
}

static uint64_t quantile_ns(const struct timescale *scale, const struct calls_sums *sums,
			    double part)
{
	double ticks = histogram_quantile(&sums->histogram, part);

	if (ticks < (double)sums->min)
		ticks = (double)sums->min;
	if (ticks > (double)sums->max)
		ticks = (double)sums->max;
	return timescale_ns(scale, ticks);
}

/* Returns the factor for the sums. If only a part of the calls was timed, it stands for all. */
static double factor_of(const struct calls *calls, const struct calls_row *row,
			const struct calls_sums *sums)
{
	return calls->sampled ? (double)row->calls / (double)sums->weight : 1;
}

/* Returns the standard error of the mean. A timed call that stands for w calls adds w - 1 that are
 * assumed to be like it; so calls that were all timed, with w = 1, add nothing. The variance of
 * their sum, sum(w * time), is that of the times by sum(w * w - w). */
static double stderr_ns_of(const struct calls *calls, const struct calls_row *row,
			   const struct calls_sums *sums)
{
	double weight = (double)sums->weight;
	double guessed = sums->squares > sums->weight ? (double)(sums->squares - sums->weight) : 0;

	if (row->returned < 2 && row->calls > row->returned)
		return -1;
	return sqrt(histogram_variance(&sums->histogram) * guessed) / weight *
	       calls->scale.ns_per_tick;
}

/* Returns the part of the time that threads did not run. It is known of the long calls that were
 * measured, which stand for all long ones; others count as work. */
static double waiting_of(const struct calls *calls, const struct calls_sums *sums)
{
	double all = (double)sums->sum, whole = (double)sums->long_sum;
	double watched_ns = (double)sums->watched * calls->scale.ns_per_tick;
	double waiting = watched_ns > 0 ? 1 - (double)sums->cpu_ns / watched_ns : 0;

	if (!sums->long_sum || !sums->sum)
		return 0;
	if (!sums->watched)
		return -1;
	return (waiting > 0 ? waiting : 0) * (whole < all ? whole / all : 1);
}

void sums_put_times(const struct calls *calls, struct calls_row *row, const struct calls_sums *sums)
{
	const struct timescale *scale = &calls->scale;
	double total = sums->sum > sums->again ? (double)(sums->sum - sums->again) : 0;
	double self = (int64_t)sums->self > 0 ? (double)sums->self : 0, factor;

	if (!row->returned || !sums->weight)
		return;
	factor = factor_of(calls, row, sums);
	row->timed = true;
	row->total_unknown = calls->sampled && sums->again;
	row->total_ns = timescale_ns(scale, total * factor);
	row->self_ns = timescale_ns(scale, self * factor);
	row->mean_ns = (double)sums->sum / (double)sums->weight * scale->ns_per_tick;
	row->min_ns = timescale_ns(scale, (double)sums->min);
	row->max_ns = timescale_ns(scale, (double)sums->max);
	row->p50_ns = quantile_ns(scale, sums, 0.5);
	row->p90_ns = quantile_ns(scale, sums, 0.9);
	row->p99_ns = quantile_ns(scale, sums, 0.99);
	row->stderr_ns = stderr_ns_of(calls, row, sums);
	row->waiting = waiting_of(calls, sums);
	row->watched = sums->watched_calls;
	row->cpu_ns = row->total_ns;
	if (row->waiting > 0)
		row->cpu_ns -= (uint64_t)(row->waiting * (double)row->total_ns);
}
