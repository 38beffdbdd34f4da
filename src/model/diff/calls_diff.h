/* SPDX-License-Identifier: MIT
 *
 * calls_diff.h - what has changed between the calls of two recordings: how often each function was
 * called, which is exact, and how long that took. As in diff.h, either side may be several runs.
 */
#ifndef DWELL_MODEL_DIFF_CALLS_DIFF_H
#define DWELL_MODEL_DIFF_CALLS_DIFF_H

#include "model/calls/calls.h"
#include "diff_units.h"

/* Of one function on one side. */
struct calls_diff_amount {
	double calls;       /* in one run on average, as is the next */
	double total_ns;    /* of those that returned */
	double mean_ns;     /* of a call */
	double this_run;    /* total_ns of it, while it is read */
	double run_squares; /* the sum of the squares of that */
	bool is_timed;      /* there is a time; no calls take none */
};

/* Texts belong to the calls; those of the new side, if it is there. */
struct calls_diff_row {
	const char *name;
	const char *symbol;
	const char *object;
	struct calls_diff_amount sides[DIFF_SIDES];
	double p;            /* of the time, if both sides are several runs */
	bool is_significant; /* and that it stands out */
};

struct calls_diff {
	struct match_table keys; /* of rows */
	struct calls_diff_row *rows;
	size_t count;
	size_t runs[DIFF_SIDES];
	double calls[DIFF_SIDES];    /* of all functions, in one run */
	double whole_ns[DIFF_SIDES]; /* what all of them took, in one run */
	bool has_times;              /* on both sides */
	bool is_repeated;            /* both are several runs, so that times can be tested */
};

/* Calls by function, of all runs of a side. */
struct calls_diff_runs {
	const struct calls *const *calls;
	size_t count;
};

/* The calls must outlive the answer. On success, calls_diff_free() is due. */
int calls_diff_make(struct calls_diff *diff, const struct calls_diff_runs sides[DIFF_SIDES],
		    struct err *err);
void calls_diff_free(struct calls_diff *diff);

/* The names of all columns, for a sentence. */
#define CALLS_DIFF_SORT_COLUMNS "change, calls, relative, old, new, name or object"

bool calls_diff_sort_known(const char *column);

/* As diff_sort(); change, relative, old and new are of time, and of calls where there are no times.
 */
void calls_diff_sort(struct calls_diff *diff, const char *column);

#endif
