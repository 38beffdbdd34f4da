/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "output/table_formats.h"

/* A cell that is longer sticks out, and does not push the others of its column aside. */
#define WIDEST 40

/* A column that gives is at least so wide; below that, its names would tell nothing. */
#define NARROWEST 12

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

static void write_char(char c, FILE *out)
{
	if (is_control(c))
		fprintf(out, "\\x%02x", (unsigned)c);
	else
		putc(c, out);
}

static void write_safely(const char *text, FILE *out)
{
	for (; *text; text++)
		write_char(*text, out);
}

/* The start of a text that is wider than the limit, so that it is told to be one. */
static void write_start(const char *text, size_t limit, FILE *out)
{
	static const char cut[] = "...";
	size_t room = limit - (sizeof(cut) - 1);

	for (; *text; text++) {
		char single[] = { *text, '\0' };
		size_t own = width_of(single);

		if (own > room)
			break;
		write_char(*text, out);
		room -= own;
	}
	fputs(cut, out);
}

/* Rows that have all group columns in common; in a table without such columns, all its rows. */
struct group {
	size_t begin, end;
	size_t widths[TABLE_COLUMNS_MAX]; /* 0: the column is not shown */
	size_t limits[TABLE_COLUMNS_MAX]; /* cells are cut there; 0: they are not */
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

/* The columns between which there are two blanks each. */
static size_t width_of_line(const struct table *table, const struct group *group)
{
	size_t width = 0;

	for (size_t i = 0; i < table->column_count; i++)
		width += group->widths[i] ? group->widths[i] + 2 : 0;
	return width > 2 ? width - 2 : 0;
}

/* The widest cell of a column, be it wider than columns are made. */
static size_t widest_cell(const struct table *table, const struct group *group, size_t column)
{
	size_t widest = group->widths[column];

	for (size_t row = group->begin; row < group->end; row++) {
		size_t own = width_of(text_of(table_cell(table, row, column)));

		if (own > widest)
			widest = own;
	}
	return widest;
}

/* Where the lines have a width, the column that gives is as wide as the others allow for. */
static void fit(const struct table *table, struct group *group)
{
	for (size_t i = 0; i < table->column_count; i++) {
		size_t others, left, wanted;

		if (!(table->columns[i].flags & COLUMN_GIVES) || !group->widths[i])
			continue;
		others = width_of_line(table, group) - group->widths[i];
		left = table->width > others ? table->width - others : 0;
		wanted = widest_cell(table, group, i);
		group->limits[i] = left > NARROWEST ? left : NARROWEST;
		group->widths[i] = wanted < group->limits[i] ? wanted : group->limits[i];
	}
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
	if (table->width)
		fit(table, group);
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
	size_t own = width_of(text), width = group->widths[column], limit = group->limits[column];
	int padding = own < width ? (int)(width - own) : 0;
	bool right = table->columns[column].flags & COLUMN_NUMBER;

	fprintf(out, "%*s", right ? padding : 0, "");
	if (limit && own > limit)
		write_start(text, limit, out);
	else
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
