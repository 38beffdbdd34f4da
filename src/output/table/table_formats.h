/* SPDX-License-Identifier: MIT
 *
 * table_formats.h - the interface between table.c and the formats, one file each.
 */
#ifndef DWELL_OUTPUT_TABLE_TABLE_FORMATS_H
#define DWELL_OUTPUT_TABLE_TABLE_FORMATS_H

#include "table.h"

void table_write_text(const struct table *table, FILE *out);
void table_write_csv(const struct table *table, FILE *out);

/* Writes at least one table. */
void table_write_json(const struct table *const *tables, size_t count, FILE *out);

static inline size_t table_row_count(const struct table *table)
{
	return table->cell_count / table->column_count;
}

static inline const char *table_cell(const struct table *table, size_t row, size_t column)
{
	return table->cells[row * table->column_count + column];
}

#endif
