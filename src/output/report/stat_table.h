/* SPDX-License-Identifier: MIT
 *
 * stat_table.h - the events that were counted in runs of a command.
 */
#ifndef DWELL_OUTPUT_REPORT_STAT_TABLE_H
#define DWELL_OUTPUT_REPORT_STAT_TABLE_H

#include "base/err.h"
#include "output/table/table.h"
#include "pmu/pmu_counter.h"

/* Sums over all runs. */
struct stat_row {
	struct pmu_counter last; /* the counter of the last run */
	double sum, squares;     /* of its values, and of their squares */
};

struct stat_result {
	struct stat_row *rows;
	size_t count;
	unsigned runs;
	double wall_ns, wall_squares; /* sums */
	double user_ns, system_ns;    /* sums */
};

void stat_add(struct stat_row *row, const struct pmu_counter *counter);

/* Fills a table, which the caller frees in any case. */
int stat_table_make(struct table *table, const struct stat_result *result, enum table_format format,
		    struct err *err);

/* Writes the times, and what is missing or counted in part. */
void stat_table_summary(const struct stat_result *result, FILE *out);

#endif
