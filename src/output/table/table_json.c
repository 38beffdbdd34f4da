/* SPDX-License-Identifier: MIT */
#include "json.h"
#include "table_formats.h"

static void write_value(const char *value, bool is_number, FILE *out)
{
	if (!value)
		fputs("null", out);
	else if (is_number)
		fputs(value, out);
	else
		json_write_string(value, out);
}

static void write_list(const struct table_meta *meta, FILE *out)
{
	putc('[', out);
	for (size_t i = 0; i < meta->count; i++) {
		fputs(i ? "," : "", out);
		write_value(meta->values[i], false, out);
	}
	putc(']', out);
}

static void write_meta(const struct table *table, FILE *out)
{
	for (size_t i = 0; i < table->meta_count; i++) {
		const struct table_meta *meta = &table->meta[i];

		fputs(i ? "," : "", out);
		json_write_string(meta->name, out);
		putc(':', out);
		if (meta->kind == META_LIST)
			write_list(meta, out);
		else
			write_value(meta->values[0], meta->kind == META_NUMBER, out);
	}
}

static void write_row(const struct table *table, size_t row, FILE *out)
{
	for (size_t i = 0; i < table->column_count; i++) {
		putc(i ? ',' : '{', out);
		json_write_string(table->columns[i].name, out);
		putc(':', out);
		write_value(table_cell(table, row, i), table->columns[i].flags & COLUMN_NUMBER,
			    out);
	}
	putc('}', out);
}

/* Writes one row per line, for readers and for grep. */
static void write_rows(const struct table *table, FILE *out)
{
	json_write_string(table->name, out);
	fputs(":[", out);
	for (size_t row = 0; row < table_row_count(table); row++) {
		fputs(row ? ",\n" : "\n", out);
		write_row(table, row, out);
	}
	fputs("\n]", out);
}

void table_write_json(const struct table *const *tables, size_t count, FILE *out)
{
	fputs("{\"meta\":{", out);
	write_meta(tables[0], out);
	putc('}', out);
	for (size_t i = 0; i < count; i++) {
		putc(',', out);
		write_rows(tables[i], out);
	}
	fputs("}\n", out);
}
