/* SPDX-License-Identifier: MIT
 *
 * calls_diff_table.h - what has changed between calls, as a table.
 */
#ifndef DWELL_OUTPUT_REPORT_CALLS_DIFF_TABLE_H
#define DWELL_OUTPUT_REPORT_CALLS_DIFF_TABLE_H

#include "base/err.h"
#include "model/diff/calls_diff.h"
#include "output/table/table.h"

/* A table whose columns depend on what was recorded, and so belong to it. */
struct calls_diff_table {
	struct table table;
	struct table_column columns[TABLE_COLUMNS_MAX];
};

/* The first so many rows, for people to read or for programs. On success, table_fini() is due. */
int calls_diff_table_for_people(struct calls_diff_table *table, const struct calls_diff *diff,
				size_t rows, struct err *err);
int calls_diff_table_for_programs(struct calls_diff_table *table, const struct calls_diff *diff,
				  size_t rows, struct err *err);

#endif
