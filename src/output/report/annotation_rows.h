/* SPDX-License-Identifier: MIT
 *
 * annotation_rows.h - a row of an annotated function: a mark if it is hot, its share of the
 * function's samples, their number, and its text. Part of annotation_text.c and annotation_asm.c.
 */
#ifndef DWELL_OUTPUT_REPORT_ANNOTATION_ROWS_H
#define DWELL_OUTPUT_REPORT_ANNOTATION_ROWS_H

#include "annotation_text.h"

struct annotation_rows {
	FILE *out;
	bool has_color;
	const struct annotation_heat *all; /* of the function: the whole that shares refer to */
	bool has_total;                    /* time in calls is shown separately */
	uint64_t hottest_ns;               /* by self time if there is any, else by total */
};

/* Returns the heat of a row: self time, or time in calls for a function that only calls others. */
uint64_t annotation_rows_ns(const struct annotation_rows *rows, const struct annotation_heat *heat);

/* Writes the names of the columns; `what` is the last ones. */
void annotation_rows_write_head(const struct annotation_rows *rows, const char *what);

/* Writes the columns of a row up to its text, and highlights a hot row. */
void annotation_rows_begin(const struct annotation_rows *rows, const struct annotation_heat *heat);

/* Writes the text, with tabs expanded as if it began at a column, and ends the row. */
void annotation_rows_end(const struct annotation_rows *rows, const char *text);

/* Marks omitted rows. */
void annotation_rows_skip(const struct annotation_rows *rows);

/* Writes instructions with their lines. */
int annotation_asm_write(const struct annotation_text *text, struct annotation_rows *rows,
			 struct err *err);

#endif
