/* SPDX-License-Identifier: MIT
 *
 * calls_table.h - what a recording says of each function, as a table.
 */
#ifndef DWELL_OUTPUT_REPORT_CALLS_TABLE_H
#define DWELL_OUTPUT_REPORT_CALLS_TABLE_H

#include "base/err.h"
#include "model/calls/calls.h"
#include "output/table/table.h"

/* A table whose columns depend on what was recorded, and so belong to it. */
struct calls_table {
	struct table table;
	struct table_column columns[TABLE_COLUMNS_MAX];
};

/* The first so many rows, for people to read or for programs. On success, table_fini() is due. */
int calls_table_for_people(struct calls_table *table, const struct calls *calls, size_t rows,
			   struct err *err);
int calls_table_for_programs(struct calls_table *table, const struct calls *calls, size_t rows,
			     struct err *err);

/* The arguments of a command, each with its final '\0', as one text with blanks between them. It
 * needs as much room, and one byte at least. */
void calls_table_join(char *text, const char *arguments, size_t size);

#endif
