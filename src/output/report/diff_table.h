/* SPDX-License-Identifier: MIT
 *
 * diff_table.h - what has changed between samples, as a table.
 */
#ifndef DWELL_OUTPUT_REPORT_DIFF_TABLE_H
#define DWELL_OUTPUT_REPORT_DIFF_TABLE_H

#include "base/err.h"
#include "model/diff/diff.h"
#include "output/table/table.h"

/* A table whose columns depend on what is compared, and so belong to it. */
struct diff_table {
	struct table table;
	struct table_column columns[TABLE_COLUMNS_MAX];
};

/* The first so many rows, for people to read or for programs. On success, table_fini() is due. */
int diff_table_for_people(struct diff_table *table, const struct diff *diff, size_t rows,
			  struct err *err);
int diff_table_for_programs(struct diff_table *table, const struct diff *diff, size_t rows,
			    struct err *err);

/* What a change, of time or of a share, is in a word. */
const char *diff_table_verdict(const struct diff_change *change, bool is_share);

#endif
