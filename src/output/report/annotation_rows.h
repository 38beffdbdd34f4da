/* SPDX-License-Identifier: MIT
 *
 * annotation_rows.h - a row of an annotated function: a mark if it is hot, its share of the
 * function's samples, how many there are, and what stands there. Part of annotation_text.c and
 * annotation_asm.c.
 */
#ifndef DWELL_OUTPUT_REPORT_ANNOTATION_ROWS_H
#define DWELL_OUTPUT_REPORT_ANNOTATION_ROWS_H

#include "annotation_text.h"

struct annotation_rows {
	FILE *out;
	bool has_color;
	const struct annotation_heat *all; /* of the function: what shares are of */
	bool has_total;                    /* there is time in calls, which is told apart */
	uint64_t hottest_ns;               /* by self if there is any, or else by total */
};

/* How hot a row is: self time, or in a function that only calls others, that in calls. */
uint64_t annotation_rows_ns(const struct annotation_rows *rows, const struct annotation_heat *heat);

/* The names of columns; `what` is the last ones. */
void annotation_rows_write_head(const struct annotation_rows *rows, const char *what);

/* The columns of one row, up to what stands there. This is where a row that is hot is told from
 * others. */
void annotation_rows_begin(const struct annotation_rows *rows, const struct annotation_heat *heat);

/* Text of a file, with blanks for tabs, as if it began at a column; and the end of the row. */
void annotation_rows_end(const struct annotation_rows *rows, const char *text);

/* Rows are left out here. */
void annotation_rows_skip(const struct annotation_rows *rows);

/* Instructions, with the lines that they are of. */
int annotation_asm_write(const struct annotation_text *text, struct annotation_rows *rows,
			 struct err *err);

#endif
