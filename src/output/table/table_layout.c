/* SPDX-License-Identifier: MIT */
#include "table_layout.h"

#include <string.h>

#include "bar.h"
#include "printable.h"

/* A longer cell sticks out instead of widening its column. */
#define WIDEST 40

/* Widths that most names need: columns are cut down to these, the less important ones first. */
#define USUAL      24
#define USUAL_LESS 20
#define USUAL_TREE 48

/* The least widths of such columns; narrower names would be meaningless. The levels of a tree take
 * up to half of its column. */
#define NARROWEST      20
#define NARROWEST_LESS 12
#define NARROWEST_TREE (2 * NARROWEST)

bool table_layout_has_groups(const struct table *table)
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
		    strcmp(table_layout_text(table, row, i), table_layout_text(table, other, i)))
			return false;
	return true;
}

/* Returns the width of the widest cell of a column, at most the limit. */
static size_t widest_cell(const struct table *table, const struct table_layout *layout,
			  size_t column, size_t limit)
{
	size_t widest = 0;

	for (size_t row = layout->begin; row < layout->end; row++) {
		size_t own = printable_width(table_layout_text(table, row, column));

		if (own > limit)
			own = limit;
		if (own > widest)
			widest = own;
	}
	return widest;
}

/* Returns a column's width. Only rows below column names are at least as wide as these. */
static size_t width_of_column(const struct table *table, const struct table_layout *layout,
			      size_t column, size_t limit)
{
	size_t name =
		table_layout_has_groups(table) ? 0 : printable_width(table->columns[column].name);
	size_t widest = widest_cell(table, layout, column, limit);

	return widest > name ? widest : name;
}

/* Returns the width of all columns, with two blanks between them. */
static size_t width_of_line(const struct table *table, const struct table_layout *layout)
{
	size_t width = 0;

	for (size_t i = 0; i < table->column_count; i++)
		width += layout->widths[i] ? layout->widths[i] + 2 : 0;
	return width > 2 ? width - 2 : 0;
}

/* Narrows such columns by the excess of the line, but not below the least width. */
static void take_from(const struct table *table, struct table_layout *layout, unsigned flag,
		      size_t least, size_t room)
{
	for (size_t i = 0; i < table->column_count; i++) {
		size_t line = width_of_line(table, layout);
		size_t excess = line > room ? line - room : 0, spare;

		if (!(table->columns[i].flags & flag) || layout->widths[i] <= least)
			continue;
		spare = layout->widths[i] - least;
		layout->widths[i] -= spare < excess ? spare : excess;
	}
}

static void set_bars(const struct table *table, struct table_layout *layout, size_t width)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].flags & COLUMN_BAR)
			layout->widths[i] = width;
}

static bool has_tree(const struct table *table)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].flags & COLUMN_TREE)
			return true;
	return false;
}

/* Makes columns that may be cut as wide as their widest cell, and then narrows them as long as
 * names are likely to stay whole. Returns whether that is enough. */
static bool fit_with(const struct table *table, struct table_layout *layout, size_t bar,
		     size_t room)
{
	size_t usual = has_tree(table) ? USUAL_TREE : USUAL;

	for (size_t i = 0; i < table->column_count; i++) {
		unsigned flags = table->columns[i].flags;

		if (!(flags & (COLUMN_GIVES | COLUMN_GIVES_TOO)) || !layout->widths[i])
			continue;
		layout->is_limited[i] = true;
		layout->widths[i] = width_of_column(table, layout, i, SIZE_MAX);
	}
	set_bars(table, layout, bar);
	take_from(table, layout, COLUMN_GIVES_TOO, USUAL_LESS, room);
	take_from(table, layout, COLUMN_GIVES, usual, room);
	return width_of_line(table, layout) <= room;
}

/* Narrows names as far as they have a meaning. Returns whether that is enough. */
static bool fit_narrowly(const struct table *table, struct table_layout *layout, size_t room)
{
	size_t least = has_tree(table) ? NARROWEST_TREE : NARROWEST;

	take_from(table, layout, COLUMN_GIVES, least, room);
	take_from(table, layout, COLUMN_GIVES_TOO, NARROWEST_LESS, room);
	take_from(table, layout, COLUMN_WRAPS, NARROWEST_LESS, room);
	return width_of_line(table, layout) <= room;
}

/* Drops the columns that go at this step; at step 0, none do. */
static void drop(const struct table *table, struct table_layout *layout, unsigned step)
{
	for (size_t i = 0; i < table->column_count && step; i++)
		if ((table->columns[i].flags & COLUMN_DROPS_LAST) == step * COLUMN_DROPS_1ST)
			layout->widths[i] = 0;
}

/* Drops bars first, because they only repeat a number, and then one column after the other. */
static void fit(const struct table *table, struct table_layout *layout, size_t room)
{
	const unsigned steps = COLUMN_DROPS_LAST / COLUMN_DROPS_1ST;

	if (layout->largest_share > 0 && fit_with(table, layout, BAR_WIDTH, room))
		return;
	for (unsigned step = 0; step <= steps; step++) {
		drop(table, layout, step);
		if (fit_with(table, layout, 0, room) || fit_narrowly(table, layout, room))
			return;
	}
}

/* Narrows the levels of a tree if names would have less than half of their column. */
static void narrow_levels(const struct table *table, struct table_layout *layout)
{
	for (size_t i = 0; i < table->column_count; i++) {
		if (!(table->columns[i].flags & COLUMN_TREE))
			continue;
		for (size_t row = layout->begin; row < layout->end; row++)
			if (strspn(table_layout_text(table, row, i), " ") > layout->widths[i] / 2)
				layout->level_width = 1;
	}
}

static double largest_share(const struct table *table)
{
	double largest = 0;

	for (size_t i = 0; i < table->look_count; i++)
		if (table->looks[i].share > largest)
			largest = table->looks[i].share;
	return largest;
}

void table_layout_measure(const struct table *table, size_t row, size_t indent,
			  struct table_layout *layout)
{
	const unsigned unseen = COLUMN_GROUP | COLUMN_DATA | COLUMN_BAR;
	size_t end = row, width = table->terminal.width;

	while (end < table_row_count(table) && same_group(table, row, end))
		end++;
	*layout = (struct table_layout){
		.begin = row, .end = end, .largest_share = largest_share(table), .level_width = 2
	};
	for (size_t i = 0; i < table->column_count; i++)
		if (!(table->columns[i].flags & unseen))
			layout->widths[i] = width_of_column(table, layout, i, WIDEST);
	if (!width)
		return;
	fit(table, layout, width > indent ? width - indent : 0);
	narrow_levels(table, layout);
}
