/* SPDX-License-Identifier: MIT */
#include "diff_gate.h"

#include <math.h>
#include <stdio.h>

#include "cli/cmd.h"
#include "output/table/units.h"

/* The most messages per kind of growth; a further one says how many more there are. */
#define SENTENCES 5

/* Recordings per side that Welch's test needs. */
#define RUNS 5

/* The growth found so far, and the number of messages printed about it. */
struct saying {
	const struct diff_gate *gate;
	const char *verb;
	bool is_count; /* of events: the figures are not times */
	size_t said;
};

static bool grew(double before, double now, double limit)
{
	return now > before && now - before > limit * before;
}

static bool has_time_grown(const struct diff_gate *gate, const struct diff *diff,
			   const struct diff_change *change)
{
	return change->is_significant &&
	       grew(change->sides[DIFF_OLD].value, change->sides[DIFF_NEW].value, gate->time) &&
	       diff_growth(change) >= gate->least * diff_whole(diff);
}

/* Prints "from 1.00 ms to 2.00 ms, by 100.0%", and the limit. */
static void say_time(struct saying *saying, const char *what, const char *name, double before,
		     double now, bool is_share)
{
	char old_text[UNITS_BYTES], new_text[UNITS_BYTES], by[UNITS_BYTES];
	bool is_count = saying->is_count;

	if (++saying->said > SENTENCES)
		return;
	if (before <= 0)
		cmd_note(saying->verb, "%s%s %s %s, up from nothing: limit %.6g%%", name, what,
			 is_count && !is_share ? "has" : "takes",
			 is_share ? units_share(new_text, now, 1)
				  : units_amount(new_text, now, is_count),
			 saying->gate->time * 100);
	else
		cmd_note(saying->verb, "%s%s %s, from %s to %s, %s: limit %.6g%%", name, what,
			 is_share   ? "takes a larger share"
			 : is_count ? "has more"
				    : "got slower",
			 is_share ? units_share(old_text, before, 1)
				  : units_amount(old_text, before, is_count),
			 is_share ? units_share(new_text, now, 1)
				  : units_amount(new_text, now, is_count),
			 units_relative(by, before, now), saying->gate->time * 100);
}

static void say_change(struct saying *saying, const struct diff *diff, const char *what,
		       const struct diff_row *row, const struct diff_change *change)
{
	say_time(saying, what, diff_unit(diff, row->node)->name, change->sides[DIFF_OLD].value,
		 change->sides[DIFF_NEW].value, diff->options.is_normalized);
}

static size_t end(struct saying *saying)
{
	if (saying->said > SENTENCES)
		cmd_note(saying->verb, "and %zu more", saying->said - SENTENCES);
	return saying->said;
}

/* Returns the growth as a part of the old value. */
static double relative_growth(const struct diff_change *change)
{
	double before = change->sides[DIFF_OLD].value;

	return before > 0 ? diff_growth(change) / before : INFINITY;
}

/* Reports the function whose total time has grown by the largest part. Its callers have grown as
 * well, each by a smaller part the more else it does. */
static size_t check_totals(const struct diff_gate *gate, const struct diff *diff, const char *verb)
{
	struct saying saying = { .gate = gate, .verb = verb, .is_count = diff->event };
	const struct diff_row *most = NULL;
	size_t grown = 0;

	for (size_t i = 0; i < diff->count && diff->has_stacks; i++) {
		const struct diff_row *row = &diff->rows[i];

		if (!has_time_grown(gate, diff, &row->total))
			continue;
		grown++;
		if (!most || relative_growth(&row->total) > relative_growth(&most->total))
			most = row;
	}
	if (most)
		say_change(&saying, diff, " with its callees", most, &most->total);
	return grown;
}

/* Looks at total times only if no function has grown by itself: callers of a function that has
 * grown contain the same time. */
static size_t check_rows(const struct diff_gate *gate, struct diff *diff, const char *verb)
{
	struct saying saying = { .gate = gate, .verb = verb, .is_count = diff->event };

	diff_sort(diff, "change");
	for (size_t i = 0; i < diff->count; i++)
		if (has_time_grown(gate, diff, &diff->rows[i].self))
			say_change(&saying, diff, "", &diff->rows[i], &diff->rows[i].self);
	return saying.said ? end(&saying) : check_totals(gate, diff, verb);
}

static size_t check_all(const struct diff_gate *gate, const struct diff *diff, const char *verb)
{
	struct saying saying = { .gate = gate, .verb = verb, .is_count = diff->event };
	const struct diff_amount *sides = diff->all.sides;

	if (!diff->options.is_normalized && diff->all.is_significant &&
	    grew(sides[DIFF_OLD].value, sides[DIFF_NEW].value, gate->time))
		say_time(&saying, "", "the whole run", sides[DIFF_OLD].value, sides[DIFF_NEW].value,
			 false);
	return saying.said;
}

static size_t check_call_times(const struct diff_gate *gate, const struct calls_diff *diff,
			       const char *verb)
{
	struct saying saying = { .gate = gate, .verb = verb };

	for (size_t i = 0; i < diff->count && diff->has_times; i++) {
		const struct calls_diff_row *row = &diff->rows[i];
		double before = row->sides[DIFF_OLD].total_ns, now = row->sides[DIFF_NEW].total_ns;

		if ((!diff->is_repeated || row->is_significant) && grew(before, now, gate->time) &&
		    now - before >= gate->least * diff->whole_ns[DIFF_OLD])
			say_time(&saying, " (all calls)", row->name, before, now, false);
	}
	return end(&saying);
}

static size_t check_counts(const struct diff_gate *gate, const struct calls_diff *diff,
			   const char *verb)
{
	struct saying saying = { .gate = gate, .verb = verb };

	for (size_t i = 0; i < diff->count; i++) {
		const struct calls_diff_row *row = &diff->rows[i];
		double before = row->sides[DIFF_OLD].calls, now = row->sides[DIFF_NEW].calls;
		char by[UNITS_BYTES];

		if (!grew(before, now, gate->calls) || ++saying.said > SENTENCES)
			continue;
		cmd_note(verb,
			 "%s is called more often, %.10g times instead of %.10g, %s: limit %.6g%%",
			 row->name, now, before, units_relative(by, before, now),
			 gate->calls * 100);
	}
	return end(&saying);
}

static bool is_repeated(const struct diff *samples, const struct calls_diff *calls)
{
	return samples ? diff_is_repeated(samples) : calls && calls->is_repeated;
}

size_t diff_gate_check(const struct diff_gate *gate, struct diff *samples, struct calls_diff *calls,
		       const char *verb)
{
	size_t times = 0, counts = 0;

	if (calls)
		calls_diff_sort(calls, "change");
	if (gate->has_time && samples)
		times += check_rows(gate, samples, verb) + check_all(gate, samples, verb);
	if (gate->has_calls && calls)
		counts = check_counts(gate, calls, verb);
	if (gate->has_time && calls)
		times += check_call_times(gate, calls, verb);
	if (gate->has_time && !gate->fails_single && !is_repeated(samples, calls)) {
		cmd_note(verb,
			 "growth of times is not a failure: with one recording per side, the "
			 "spread between runs is unknown. Record %d of each (dwell diff OLD... -- "
			 "NEW...), or use --fail-single",
			 RUNS);
		times = 0;
	}
	return times + counts;
}
