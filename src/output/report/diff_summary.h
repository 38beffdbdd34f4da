/* SPDX-License-Identifier: MIT
 *
 * diff_summary.h - summarises a comparison as a whole: what was compared, and how reliable the
 * verdicts of its rows are.
 */
#ifndef DWELL_OUTPUT_REPORT_DIFF_SUMMARY_H
#define DWELL_OUTPUT_REPORT_DIFF_SUMMARY_H

#include <stdio.h>

#include "model/diff/calls_diff.h"
#include "model/diff/diff.h"
#include "output/table/table.h"

/* The two sides; either kind of data may be missing. */
struct diff_summary {
	const char *commands[DIFF_SIDES];
	size_t runs[DIFF_SIDES];
	const struct diff *samples;
	const struct calls_diff *calls;
};

/* Write lines for people: above all tables, and below the one of samples. */
void diff_summary_write_head(const struct diff_summary *summary, FILE *out);
void diff_summary_write_verdicts(const struct diff *diff, FILE *out);

/* Adds a table's "meta" for programs. Returns 0 or -ENOMEM. */
int diff_summary_add_meta(struct table *table, const struct diff_summary *summary);

#endif
