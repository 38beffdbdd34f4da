/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "bar.h"
#include "printable.h"
#include "symbol/short_name.h"
#include "table_layout.h"

/* Escape sequences that all terminals support; only colours that are readable on light and dark. */
static const char *const styles[] = {
	[STYLE_PLAIN] = "",
	[STYLE_HOT] = "\033[1;31m",
	[STYLE_WARM] = "\033[31m",
	[STYLE_GOOD] = "\033[32m",
};

static const char *const tints[] = {
	[TINT_NONE] = "",         [TINT_GREEN] = "\033[32m",   [TINT_YELLOW] = "\033[33m",
	[TINT_BLUE] = "\033[34m", [TINT_MAGENTA] = "\033[35m", [TINT_CYAN] = "\033[36m",
};

#define BOLD  "\033[1m"
#define DIM   "\033[2m"
#define RESET "\033[0m"

/* A group of rows being written. */
struct writing {
	const struct table *table;
	struct table_layout layout;
	FILE *out;
};

static unsigned flags_of(const struct writing *writing, size_t column)
{
	return writing->table->columns[column].flags;
}

static bool is_last(const struct writing *writing, size_t column)
{
	while (++column < writing->table->column_count)
		if (writing->layout.widths[column])
			return false;
	return true;
}

static void begin_style(const struct writing *writing, const char *style)
{
	if (writing->table->terminal.has_color)
		fputs(style, writing->out);
}

static void end_style(const struct writing *writing, const char *style)
{
	begin_style(writing, *style ? RESET : "");
}

static void pad(const struct writing *writing, size_t columns)
{
	fprintf(writing->out, "%*s", (int)columns, "");
}

/* Writes the lines of a tree for each level, in at most half of the column: names need the rest.
 * Returns their width, and the start of the name. */
static size_t write_levels(const struct writing *writing, size_t width, const char **text)
{
	const char *line = writing->table->terminal.has_utf8 ? "\xe2\x94\x82" : "|";
	size_t each = writing->layout.level_width, most = width / 2 / each;
	size_t indent = strspn(*text, " "), levels = indent / 2 < most ? indent / 2 : most;

	*text += indent;
	if (!levels)
		return 0;
	begin_style(writing, DIM);
	for (size_t i = 0; i < levels; i++)
		fprintf(writing->out, "%s%s", line, each > 1 || i + 1 == levels ? " " : "");
	end_style(writing, DIM);
	return each > 1 ? levels * each : levels + 1;
}

/* Writes a left-aligned text. Returns its width. */
static size_t write_text(const struct writing *writing, size_t column, const char *text,
			 const char *style)
{
	size_t width = writing->layout.widths[column], before = 0, own;
	bool is_limited = writing->layout.is_limited[column];

	if (is_limited && flags_of(writing, column) & COLUMN_TREE)
		before = write_levels(writing, width, &text);
	own = printable_width(text);
	begin_style(writing, style);
	if (is_limited && before + own > width)
		own = printable_write_cut(text, width - before, writing->out);
	else
		printable_write(text, writing->out);
	end_style(writing, style);
	return before + own;
}

/* Writes as much of a text as fits into a line. Returns its width, and the rest for the next line.
 */
static size_t write_wrapped(const struct writing *writing, size_t column, const char **text,
			    const char *style)
{
	size_t bytes = printable_line_bytes(*text, writing->layout.widths[column]);
	size_t width = printable_width_bytes(*text, bytes);

	begin_style(writing, style);
	printable_write_bytes(*text, bytes, writing->out);
	end_style(writing, style);
	*text += bytes;
	*text += strspn(*text, " ");
	return width;
}

static size_t write_bar(const struct writing *writing, const struct table_look *look)
{
	const struct table *table = writing->table;
	size_t width;

	begin_style(writing, styles[look->style]);
	width = bar_write(look->share / writing->layout.largest_share, table->terminal.has_utf8,
			  writing->out);
	end_style(writing, styles[look->style]);
	return width;
}

static bool wraps(const struct writing *writing, size_t column)
{
	return writing->layout.is_limited[column] && flags_of(writing, column) & COLUMN_WRAPS;
}

static bool is_right(const struct writing *writing, size_t column)
{
	return flags_of(writing, column) & COLUMN_NUMBER;
}

/* Writes one line of a cell; *text becomes the rest. */
static void write_cell(const struct writing *writing, size_t column, const char **text,
		       const char *style, const struct table_look *look)
{
	size_t width = writing->layout.widths[column], own;

	if (is_right(writing, column)) {
		own = printable_width(*text);
		pad(writing, own < width ? width - own : 0);
	}
	if (look && flags_of(writing, column) & COLUMN_BAR)
		own = write_bar(writing, look);
	else if (wraps(writing, column))
		own = write_wrapped(writing, column, text, style);
	else
		own = write_text(writing, column, *text, style);
	if (!wraps(writing, column))
		*text = "";
	if (is_last(writing, column))
		return;
	if (!is_right(writing, column))
		pad(writing, own < width ? width - own : 0);
	pad(writing, 2);
}

static void write_names(const struct writing *writing)
{
	const struct table *table = writing->table;

	for (size_t i = 0; i < table->column_count; i++) {
		const char *name = table->columns[i].name;

		if (writing->layout.widths[i])
			write_cell(writing, i, &name, *name ? BOLD : "", NULL);
	}
	putc('\n', writing->out);
}

static const char *style_of(const struct writing *writing, size_t row, size_t column)
{
	unsigned flags = flags_of(writing, column);

	if (!*table_layout_text(writing->table, row, column))
		return "";
	if (flags & COLUMN_TINTED && writing->table->looks[row].tint)
		return tints[writing->table->looks[row].tint];
	if (flags & COLUMN_STYLED)
		return styles[writing->table->looks[row].style];
	return flags & COLUMN_DIM ? DIM : "";
}

/* Writes one line of the rest of each cell. Returns whether there is more. */
static bool write_line(const struct writing *writing, size_t row, const char **left, bool is_first)
{
	const struct table_look *look = is_first ? &writing->table->looks[row] : NULL;
	bool has_more = false;

	for (size_t i = 0; i < writing->table->column_count; i++) {
		if (!writing->layout.widths[i])
			continue;
		write_cell(writing, i, &left[i], *left[i] ? style_of(writing, row, i) : "", look);
		has_more = has_more || *left[i];
	}
	putc('\n', writing->out);
	return has_more;
}

static void write_rows(const struct writing *writing, const char *indent)
{
	const struct table_layout *layout = &writing->layout;

	for (size_t row = layout->begin; row < layout->end; row++) {
		const char *left[TABLE_COLUMNS_MAX];

		for (size_t i = 0; i < writing->table->column_count; i++)
			left[i] = table_layout_text(writing->table, row, i);
		for (bool is_first = true, has_more = true; has_more; is_first = false) {
			fputs(indent, writing->out);
			has_more = write_line(writing, row, left, is_first);
		}
	}
}

/* Writes what the rows share, and their number. */
static void write_heading(const struct writing *writing)
{
	const struct table *table = writing->table;
	size_t begin = writing->layout.begin;

	if (begin)
		putc('\n', writing->out);
	for (size_t i = 0; i < table->column_count; i++) {
		const char *text = table_layout_text(table, begin, i);

		if (!(table->columns[i].flags & COLUMN_GROUP) || !*text)
			continue;
		begin_style(writing, BOLD);
		printable_write(text, writing->out);
		end_style(writing, BOLD);
		fputs("  ", writing->out);
	}
	fprintf(writing->out, "(%zu)\n", writing->layout.end - begin);
}

/* Shortens each name of a stack. */
static void shorten_stack(char *text)
{
	static const char between[] = " < ";
	char *end = text;

	for (char *name = text, *next; name; name = next) {
		next = strstr(name, between);
		if (next)
			*next = '\0';
		short_name(name);
		/* The text so far is at most as long as the names that it was made of. */
		memmove(end, name, strlen(name) + 1);
		end += strlen(end);
		if (next) {
			next += strlen(between);
			end = mempcpy(end, between, strlen(between));
		}
	}
}

/* Shortens names in the cells themselves, which are of no other use after this. */
static void shorten_names(const struct table *table)
{
	for (size_t i = 0; i < table->cell_count; i++) {
		unsigned flags = table->columns[i % table->column_count].flags;

		if (flags & COLUMN_FUNCTION && table->cells[i])
			short_name(table->cells[i]);
		else if (flags & COLUMN_STACK && table->cells[i])
			shorten_stack(table->cells[i]);
	}
}

void table_write_text(const struct table *table, FILE *out)
{
	static const char indent[] = "  ";
	struct writing writing = { .table = table, .out = out };

	if (!table->terminal.long_names)
		shorten_names(table);
	if (!table_layout_has_groups(table)) {
		table_layout_measure(table, 0, 0, &writing.layout);
		write_names(&writing);
		write_rows(&writing, "");
		return;
	}
	for (size_t row = 0; row < table_row_count(table); row = writing.layout.end) {
		table_layout_measure(table, row, strlen(indent), &writing.layout);
		write_heading(&writing);
		write_rows(&writing, indent);
	}
}
