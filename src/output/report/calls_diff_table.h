/* SPDX-License-Identifier: MIT
 *
 * calls_diff_table.h - differences between calls, as a table.
 */
#ifndef DWELL_OUTPUT_REPORT_CALLS_DIFF_TABLE_H
#define DWELL_OUTPUT_REPORT_CALLS_DIFF_TABLE_H

#include "base/err.h"
#include "model/diff/calls_diff.h"
#include "output/table/table.h"

/* Makes a table of the first so many rows, for people or for programs. On success, free with
 * table_fini(). */
int calls_diff_table_make(struct table *table, const struct calls_diff *diff, size_t rows,
			  bool human, struct err *err);

#endif
