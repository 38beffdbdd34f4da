/* SPDX-License-Identifier: MIT
 *
 * imbalance_table.h - how uneven functions are among ranks, hosts or other groups, as a table.
 */
#ifndef DWELL_OUTPUT_REPORT_IMBALANCE_TABLE_H
#define DWELL_OUTPUT_REPORT_IMBALANCE_TABLE_H

#include <stdio.h>

#include "base/err.h"
#include "model/imbalance.h"
#include "output/table/table.h"

/* The source of a table. */
struct imbalance_source {
	const char *name; /* of the table, for programs */
	const struct imbalance *imbalance;
	const struct groups *groups;
	size_t limit;  /* rows */
	bool is_count; /* of events, where others have time */
};

/* Makes the table, for people or for programs. On success, free with table_fini(). */
int imbalance_table_make(struct table *table, const struct imbalance_source *source, bool human,
			 struct err *err);

/* Writes a line about all functions together. what: "CPU time", for instance. */
void imbalance_table_summary(const struct imbalance_source *source, const char *what, FILE *out);

/* Adds the same to the meta of a table; prefix: of the names. Returns 0 or -ENOMEM. */
int imbalance_table_add_meta(struct table *table, const struct imbalance_source *source,
			     const char *prefix);

#endif
