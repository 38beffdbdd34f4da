/* SPDX-License-Identifier: MIT
 *
 * calls_diff.h - changes between the calls of two recordings: how often each function was called,
 * which is exact, and how long that took. As in diff.h, either side may be several runs.
 */
#ifndef DWELL_MODEL_DIFF_CALLS_DIFF_H
#define DWELL_MODEL_DIFF_CALLS_DIFF_H

#include "model/calls/calls.h"
#include "diff_units.h"

/* One function on one side. */
struct calls_diff_amount {
	double calls;       /* per run on average, as is the next */
	double total_ns;    /* of returned calls */
	double mean_ns;     /* per call */
	double this_run;    /* total_ns of the run being read */
	double run_squares; /* sum of the squares of that */
	bool is_timed;      /* has a time; no calls take none */
};

/* Texts belong to the calls; to those of the new side, if present. */
struct calls_diff_row {
	const char *name;
	const char *symbol;
	const char *object;
	struct calls_diff_amount sides[DIFF_SIDES];
	double p;            /* of the time, if both sides are several runs */
	bool is_significant; /* true: it stands out */
};

struct calls_diff {
	struct match_table keys; /* of rows */
	struct calls_diff_row *rows;
	size_t count;
	size_t runs[DIFF_SIDES];
	double calls[DIFF_SIDES];    /* of all functions, per run */
	double whole_ns[DIFF_SIDES]; /* of all of them, per run */
	bool has_times;              /* on both sides */
	bool is_repeated;            /* both are several runs, so that times can be tested */
	const char *event;           /* that all `..._ns` count; NULL: time */
};

/* Calls by function, of all runs of a side. */
struct calls_diff_runs {
	const struct calls *const *calls;
	size_t count;
};

/* Compares two sides. The calls must outlive the result. On success, free with
 * calls_diff_free(). */
int calls_diff_make(struct calls_diff *diff, const struct calls_diff_runs sides[DIFF_SIDES],
		    struct err *err);
void calls_diff_free(struct calls_diff *diff);

/* The names of all columns, for a message. */
#define CALLS_DIFF_SORT_COLUMNS "change, calls, relative, old, new, name or object"

bool calls_diff_sort_known(const char *column);

/* Sorts as diff_sort(); change, relative, old and new refer to time, or to calls without times.
 */
void calls_diff_sort(struct calls_diff *diff, const char *column);

#endif
