/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "table_formats.h"

/* Quotes cells as RFC 4180 does; quotes are doubled. */
static void write_cell(const char *text, FILE *out)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

static void write_separator(const struct table *table, size_t column, FILE *out)
{
	putc(column + 1 < table->column_count ? ',' : '\n', out);
}

void table_write_csv(const struct table *table, FILE *out)
{
	for (size_t i = 0; i < table->column_count; i++) {
		write_cell(table->columns[i].name, out);
		write_separator(table, i, out);
	}
	for (size_t row = 0; row < table_row_count(table); row++) {
		for (size_t i = 0; i < table->column_count; i++) {
			const char *cell = table_cell(table, row, i);

			write_cell(cell ? cell : "", out);
			write_separator(table, i, out);
		}
	}
}
