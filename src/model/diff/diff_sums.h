/* SPDX-License-Identifier: MIT
 *
 * diff_sums.h - a comparison of sums over the runs of each side that were made elsewhere, such as
 * in a database: there are functions, and neither stacks nor single runs.
 */
#ifndef DWELL_MODEL_DIFF_DIFF_SUMS_H
#define DWELL_MODEL_DIFF_DIFF_SUMS_H

#include "diff.h"

/* A function. Amounts have their samples, ns, squares, run_sum and run_squares. */
struct diff_sum {
	struct diff_amount self, total;
};

/* One side. */
struct diff_sums {
	const struct profile *profile; /* all functions are below the root */
	const struct diff_sum *list;   /* per node of the profile */
	struct diff_amount all;
	size_t runs;
};

/* Compares two sides, which must outlive the result. On success, free with diff_free(). */
int diff_make_of_sums(struct diff *diff, const struct diff_sums sides[DIFF_SIDES],
		      const struct diff_options *options, struct err *err);

#endif
