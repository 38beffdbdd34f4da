/* SPDX-License-Identifier: MIT
 *
 * samples_table.h - a flat profile as a table.
 */
#ifndef DWELL_OUTPUT_REPORT_SAMPLES_TABLE_H
#define DWELL_OUTPUT_REPORT_SAMPLES_TABLE_H

#include "base/err.h"
#include "model/profile/profile_rows.h"
#include "output/table/table.h"

/* A table whose columns depend on what has rows, and so belong to it. */
struct samples_table {
	struct table table;
	struct table_column columns[TABLE_COLUMNS_MAX];
};

/* What a table is made of. */
struct samples_source {
	const struct profile *profile;
	const struct profile_rows *rows;
	size_t limit; /* of rows */
};

/* For people to read or for programs. On success, table_fini() is due. */
int samples_table_for_people(struct samples_table *table, const struct samples_source *source,
			     struct err *err);
int samples_table_for_programs(struct samples_table *table, const struct samples_source *source,
			       struct err *err);

#endif
