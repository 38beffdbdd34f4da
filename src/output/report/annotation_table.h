/* SPDX-License-Identifier: MIT
 *
 * annotation_table.h - annotated functions for programs, as three tables: functions, their lines,
 * and their instructions.
 */
#ifndef DWELL_OUTPUT_REPORT_ANNOTATION_TABLE_H
#define DWELL_OUTPUT_REPORT_ANNOTATION_TABLE_H

#include "model/annotate/annotation.h"
#include "model/annotate/annotation_code.h"
#include "model/annotate/source_text.h"
#include "output/table/table.h"

/* The columns that lines and instructions end with, here and in the page. */
#define ANNOTATION_HEAT_COLUMNS                                                                    \
	{ "self", COLUMN_NUMBER }, { "total", COLUMN_NUMBER }, { "self_ns", COLUMN_NUMBER },       \
	{                                                                                          \
		"total_ns", COLUMN_NUMBER                                                          \
	}

struct annotation_tables {
	struct table functions, lines, instructions;
};

/* Initialises empty tables. Free with annotation_tables_fini(). */
void annotation_tables_init(struct annotation_tables *tables);
void annotation_tables_fini(struct annotation_tables *tables);

/* Adds a function; code may be NULL. */
int annotation_tables_add(struct annotation_tables *tables, const struct annotation *annotation,
			  const struct annotation_code *code, const struct source_folders *folders,
			  struct err *err);

#endif
