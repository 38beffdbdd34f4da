/* SPDX-License-Identifier: MIT
 *
 * table_layout.h - how wide the columns of a table of text are. Part of table_text.c.
 */
#ifndef DWELL_OUTPUT_TABLE_TABLE_LAYOUT_H
#define DWELL_OUTPUT_TABLE_TABLE_LAYOUT_H

#include "table_formats.h"

/* Rows that have all group columns in common; in a table without such columns, all its rows. */
struct table_layout {
	size_t begin, end;
	size_t widths[TABLE_COLUMNS_MAX];   /* 0: the column is not shown */
	bool is_limited[TABLE_COLUMNS_MAX]; /* cells do not stick out of that */
	double largest_share;
	size_t level_width; /* of a tree: for each level */
};

bool table_layout_has_groups(const struct table *table);

/* The group that begins with a row; its lines are indented by so many columns. */
void table_layout_measure(const struct table *table, size_t row, size_t indent,
			  struct table_layout *layout);

static inline const char *table_layout_text(const struct table *table, size_t row, size_t column)
{
	const char *cell = table_cell(table, row, column);

	return cell ? cell : "";
}

#endif
