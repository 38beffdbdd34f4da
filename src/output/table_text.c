/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "output/table_formats.h"

/* A cell that is longer sticks out, and does not push the others of its column aside. */
#define WIDEST 40

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static const char *text_of(const char *cell)
{
	return cell ? cell : "";
}

/* How many columns of a terminal the text takes: bytes that continue a character take none. */
static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += is_control(*text) ? 4 : ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void write_safely(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (is_control(*text))
			fprintf(out, "\\x%02x", (unsigned)*text);
		else
			putc(*text, out);
	}
}

/* Rows that have all group columns in common; in a table without such columns, all its rows. */
struct group {
	size_t begin, end;
	size_t widths[TABLE_COLUMNS_MAX]; /* 0: the column is not shown */
};

static bool has_groups(const struct table *table)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].flags & COLUMN_GROUP)
			return true;
	return false;
}

static bool same_group(const struct table *table, size_t row, size_t other)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].flags & COLUMN_GROUP &&
		    strcmp(text_of(table_cell(table, row, i)),
			   text_of(table_cell(table, other, i))) != 0)
			return false;
	return true;
}

/* Only what stands below names of columns is as wide as these at least. */
static size_t width_of_column(const struct table *table, const struct group *group, size_t column)
{
	size_t width = has_groups(table) ? 0 : width_of(table->columns[column].name);

	for (size_t row = group->begin; row < group->end; row++) {
		size_t own = width_of(text_of(table_cell(table, row, column)));

		if (own > WIDEST)
			own = WIDEST;
		if (own > width)
			width = own;
	}
	return width;
}

/* The group that begins with a row. */
static void measure(const struct table *table, size_t row, struct group *group)
{
	size_t end = row;

	while (end < table_row_count(table) && same_group(table, row, end))
		end++;
	*group = (struct group){ .begin = row, .end = end };
	for (size_t i = 0; i < table->column_count; i++)
		if (!(table->columns[i].flags & (COLUMN_GROUP | COLUMN_DATA)))
			group->widths[i] = width_of_column(table, group, i);
}

static bool is_last(const struct table *table, const struct group *group, size_t column)
{
	while (++column < table->column_count)
		if (group->widths[column])
			return false;
	return true;
}

static void write_cell(const struct table *table, const struct group *group, size_t column,
		       const char *text, FILE *out)
{
	size_t own = width_of(text), width = group->widths[column];
	int padding = own < width ? (int)(width - own) : 0;
	bool right = table->columns[column].flags & COLUMN_NUMBER;

	fprintf(out, "%*s", right ? padding : 0, "");
	write_safely(text, out);
	if (!is_last(table, group, column))
		fprintf(out, "%*s", right ? 2 : padding + 2, "");
}

static void write_names(const struct table *table, const struct group *group, FILE *out)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (group->widths[i])
			write_cell(table, group, i, table->columns[i].name, out);
	putc('\n', out);
}

static void write_rows(const struct table *table, const struct group *group, const char *indent,
		       FILE *out)
{
	for (size_t row = group->begin; row < group->end; row++) {
		fputs(indent, out);
		for (size_t i = 0; i < table->column_count; i++)
			if (group->widths[i])
				write_cell(table, group, i, text_of(table_cell(table, row, i)),
					   out);
		putc('\n', out);
	}
}

/* What the rows have in common, and how many they are. */
static void write_heading(const struct table *table, const struct group *group, FILE *out)
{
	if (group->begin)
		putc('\n', out);
	for (size_t i = 0; i < table->column_count; i++) {
		const char *text = text_of(table_cell(table, group->begin, i));

		if (table->columns[i].flags & COLUMN_GROUP && *text) {
			write_safely(text, out);
			fputs("  ", out);
		}
	}
	fprintf(out, "(%zu)\n", group->end - group->begin);
}

void table_write_text(const struct table *table, FILE *out)
{
	struct group group;

	if (!has_groups(table)) {
		measure(table, 0, &group);
		write_names(table, &group, out);
		write_rows(table, &group, "", out);
		return;
	}
	for (size_t row = 0; row < table_row_count(table); row = group.end) {
		measure(table, row, &group);
		write_heading(table, &group, out);
		write_rows(table, &group, "  ", out);
	}
}
