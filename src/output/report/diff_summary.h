/* SPDX-License-Identifier: MIT
 *
 * diff_summary.h - what is to be said of a comparison as a whole: what was compared, and what the
 * verdicts of its rows are worth.
 */
#ifndef DWELL_OUTPUT_REPORT_DIFF_SUMMARY_H
#define DWELL_OUTPUT_REPORT_DIFF_SUMMARY_H

#include <stdio.h>

#include "model/diff/calls_diff.h"
#include "model/diff/diff.h"
#include "output/table/table.h"

/* What is compared; either kind may be missing. */
struct diff_summary {
	const char *commands[DIFF_SIDES];
	size_t runs[DIFF_SIDES];
	const struct diff *samples;
	const struct calls_diff *calls;
};

/* For people: lines above all tables, and below the one of samples. */
void diff_summary_write_head(const struct diff_summary *summary, FILE *out);
void diff_summary_write_verdicts(const struct diff *diff, FILE *out);

/* For programs: a table's "meta". 0 or -ENOMEM. */
int diff_summary_add_meta(struct table *table, const struct diff_summary *summary);

#endif
