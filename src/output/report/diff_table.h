/* SPDX-License-Identifier: MIT
 *
 * diff_table.h - differences between samples, as a table.
 */
#ifndef DWELL_OUTPUT_REPORT_DIFF_TABLE_H
#define DWELL_OUTPUT_REPORT_DIFF_TABLE_H

#include "base/err.h"
#include "model/diff/diff.h"
#include "output/table/table.h"

/* Makes a table of the first so many rows, for people or for programs. On success, free with
 * table_fini(). */
int diff_table_make(struct table *table, const struct diff *diff, size_t rows, bool human,
		    struct err *err);

/* Returns a word for a change of a time or of a share. */
const char *diff_table_verdict(const struct diff *diff, const struct diff_change *change);

#endif
