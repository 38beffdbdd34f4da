/* SPDX-License-Identifier: MIT
 *
 * samples_table.h - a flat profile as a table.
 */
#ifndef DWELL_OUTPUT_REPORT_SAMPLES_TABLE_H
#define DWELL_OUTPUT_REPORT_SAMPLES_TABLE_H

#include "base/err.h"
#include "model/profile/profile_rows.h"
#include "output/table/table.h"

/* The source of a table. */
struct samples_source {
	const struct profile *profile;
	const struct profile_rows *rows;
	size_t limit; /* rows */
};

/* Makes the table, for people or for programs. On success, free with table_fini(). */
int samples_table_make(struct table *table, const struct samples_source *source, bool human,
		       struct err *err);

#endif
