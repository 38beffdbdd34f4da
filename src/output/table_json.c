/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "output/table_formats.h"

/* Bytes of the UTF-8 character at text; 0: it is none. Longer forms than needed, surrogates and
 * what is above U+10FFFF are none (RFC 3629). */
static size_t utf8_bytes(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf;
	size_t count;

	if (at[0] < 0x80)
		return 1;
	if (at[0] >= 0xc2 && at[0] <= 0xdf)
		count = 2;
	else if (at[0] >= 0xe0 && at[0] <= 0xef)
		count = 3;
	else if (at[0] >= 0xf0 && at[0] <= 0xf4)
		count = 4;
	else
		return 0;
	if (at[0] == 0xe0)
		low = 0xa0;
	else if (at[0] == 0xed)
		high = 0x9f;
	else if (at[0] == 0xf0)
		low = 0x90;
	else if (at[0] == 0xf4)
		high = 0x8f;
	if (at[1] < low || at[1] > high)
		return 0;
	/* The '\0' at the end of the text is no part of a character, so this stays inside it. */
	for (size_t i = 2; i < count; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return count;
}

static void write_string(const char *text, FILE *out)
{
	putc('"', out);
	while (*text) {
		size_t bytes = utf8_bytes(text);

		if (bytes == 0)
			fputs("\\ufffd", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text < 0x20 || *text == 0x7f)
			fprintf(out, "\\u%04x", (unsigned)*text);
		else
			fwrite(text, 1, bytes, out);
		text += bytes ? bytes : 1;
	}
	putc('"', out);
}

static void write_value(const char *value, bool is_number, FILE *out)
{
	if (!value)
		fputs("null", out);
	else if (is_number)
		fputs(value, out);
	else
		write_string(value, out);
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
		write_string(meta->name, out);
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
		write_string(table->columns[i].name, out);
		putc(':', out);
		write_value(table_cell(table, row, i), table->columns[i].flags & COLUMN_NUMBER,
			    out);
	}
	putc('}', out);
}

/* A row a line: people look at it, and grep does. */
static void write_rows(const struct table *table, FILE *out)
{
	write_string(table->name, out);
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
