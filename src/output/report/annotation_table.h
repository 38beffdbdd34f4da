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
#include "output/table/columns.h"

/* The tables of `dwell annotate`, or those of the page, which names functions by their number. */
enum annotation_use { ANNOTATION_REPORT = 1, ANNOTATION_PAGE = 2 };

struct annotation_tables {
	enum annotation_use use;
	struct table functions, lines, instructions;
	struct filling of_functions, of_lines, of_instructions;
};

/* Initialises empty tables. Free with annotation_tables_fini(). */
void annotation_tables_init(struct annotation_tables *tables, enum annotation_use use);
void annotation_tables_fini(struct annotation_tables *tables);

/* Adds a function, its lines and its instructions; code may be NULL. */
int annotation_tables_add(struct annotation_tables *tables, const struct annotation *annotation,
			  const struct annotation_code *code, const struct source_folders *folders,
			  struct err *err);

/* Add one instruction, or one line: it may be a line near `line`, with its own number and text.
 * heat NULL: it has no samples. Return 0 or -ENOMEM. */
int annotation_tables_add_line(struct annotation_tables *tables,
			       const struct annotation *annotation,
			       const struct annotation_line *line, uint32_t number,
			       const char *text, const struct annotation_heat *heat);
int annotation_tables_add_instruction(struct annotation_tables *tables,
				      const struct annotation *annotation,
				      const struct annotation_instruction *instruction,
				      const struct annotation_heat *heat);

#endif
