/* SPDX-License-Identifier: MIT
 *
 * table_layout.h - the widths of the columns of a text table. Part of table_text.c.
 */
#ifndef DWELL_OUTPUT_TABLE_TABLE_LAYOUT_H
#define DWELL_OUTPUT_TABLE_TABLE_LAYOUT_H

#include "table_formats.h"

/* Rows that share all group columns; without such columns, all rows. */
struct table_layout {
	size_t begin, end;
	size_t widths[TABLE_COLUMNS_MAX];   /* 0: the column is not shown */
	bool is_limited[TABLE_COLUMNS_MAX]; /* cells do not stick out */
	double largest_share;
	size_t level_width; /* of a tree: columns per level */
};

bool table_layout_has_groups(const struct table *table);

/* Measures the group that begins with a row; its lines are indented by that many columns. */
void table_layout_measure(const struct table *table, size_t row, size_t indent,
			  struct table_layout *layout);

static inline const char *table_layout_text(const struct table *table, size_t row, size_t column)
{
	const char *cell = table_cell(table, row, column);

	return cell ? cell : "";
}

#endif
