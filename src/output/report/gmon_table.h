/* SPDX-License-Identifier: MIT
 *
 * gmon_table.h - a gmon.out as tables: time and calls of functions, and callers of each.
 */
#ifndef DWELL_OUTPUT_REPORT_GMON_TABLE_H
#define DWELL_OUTPUT_REPORT_GMON_TABLE_H

#include "model/profile/gmon_profile.h"
#include "output/table/table.h"

/* Makes that many rows, for people or for programs, in the order of the profile. On success, free
 * with table_fini(). */
int gmon_table_make(struct table *table, const struct gmon_profile *profile, size_t limit,
		    bool human, struct err *err);

/* Makes a table of calls from function to function. On success, free with table_fini(). */
int gmon_table_make_calls(struct table *table, const struct gmon_profile *profile, struct err *err);

/* Writes the lines below a table for people. */
void gmon_table_write_summary(const struct gmon_profile *profile, FILE *out);

#endif
