/* SPDX-License-Identifier: MIT */
#include "diff_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "event_columns.h"
#include "output/table/columns.h"

/* Frames of a stack shown to people, from the innermost on. */
#define FRAMES_SHOWN 8

/* The tables that have a column: a bit for each enum diff_by. */
enum when {
	BY_FUNCTION = 1 << DIFF_BY_FUNCTION,
	BY_STACK = 1 << DIFF_BY_STACK,
	BY_OBJECT = 1 << DIFF_BY_OBJECT,
	ALWAYS = BY_FUNCTION | BY_STACK | BY_OBJECT,
	STACKS = 1 << 8,   /* and only if stacks were recorded */
	ABSOLUTE = 1 << 9, /* and only if times are compared, not shares */
};

/* The contents of a cell. */
enum what {
	NAME,
	SYMBOL,
	OBJECT,
	STACK,
	VALUE, /* time or share, for people */
	CHANGE,
	MARKED_CHANGE, /* with a mark if it is noise */
	OF_ALL,        /* the change as a part of the whole */
	RELATIVE,
	VERDICT,
	SAMPLES,
	NS,
	SHARE,
	CHANGE_NS,
	RATIO,
	P,
	SIGNIFICANT,
};

/* The side that a column is of, where it is of one; and that it is of the total time, not of self.
 */
enum detail { OLD = DIFF_OLD, NEW = DIFF_NEW, SIDE = 1, TOTAL = 2 };

_Static_assert((OLD | NEW) == SIDE, "a side is one bit");

static const struct column for_people[] = {
	{ "old", VALUE, ALWAYS, COLUMN_NUMBER | COLUMN_DROPS_4TH, OLD },
	{ "new", VALUE, ALWAYS, COLUMN_NUMBER | COLUMN_DROPS_5TH, NEW },
	{ "change", CHANGE, ALWAYS, COLUMN_NUMBER, NEW },
	{ "of all", OF_ALL, ALWAYS | ABSOLUTE, COLUMN_NUMBER | COLUMN_DROPS_1ST, NEW },
	{ "relative", RELATIVE, ALWAYS, COLUMN_NUMBER | COLUMN_DROPS_6TH, NEW },
	{ "verdict", VERDICT, ALWAYS, 0, NEW },
	{ "total", MARKED_CHANGE, BY_FUNCTION | BY_OBJECT | STACKS,
	  COLUMN_NUMBER | COLUMN_DROPS_2ND, NEW | TOTAL },
	{ "function", NAME, BY_FUNCTION, COLUMN_GIVES | COLUMN_FUNCTION, NEW },
	{ "object", OBJECT, BY_FUNCTION, COLUMN_GIVES_TOO | COLUMN_DIM | COLUMN_DROPS_3RD, NEW },
	{ "object", NAME, BY_OBJECT, COLUMN_GIVES, NEW },
	{ "stack", STACK, BY_STACK, COLUMN_GIVES | COLUMN_STACK, NEW },
};

static const struct column for_programs[] = {
	{ "name", NAME, ALWAYS, 0, NEW },
	{ "symbol", SYMBOL, BY_FUNCTION | BY_STACK, 0, NEW },
	{ "object", OBJECT, BY_FUNCTION | BY_STACK, 0, NEW },
	{ "stack", STACK, BY_STACK, 0, NEW },
	{ "old_self", SAMPLES, ALWAYS, COLUMN_NUMBER, OLD },
	{ "new_self", SAMPLES, ALWAYS, COLUMN_NUMBER, NEW },
	{ "old_self_ns", NS, ALWAYS, COLUMN_NUMBER, OLD },
	{ "new_self_ns", NS, ALWAYS, COLUMN_NUMBER, NEW },
	{ "old_self_share", SHARE, ALWAYS, COLUMN_NUMBER, OLD },
	{ "new_self_share", SHARE, ALWAYS, COLUMN_NUMBER, NEW },
	{ "self_change_ns", CHANGE_NS, ALWAYS, COLUMN_NUMBER, NEW },
	{ "self_ratio", RATIO, ALWAYS, COLUMN_NUMBER, NEW },
	{ "self_p", P, ALWAYS, COLUMN_NUMBER, NEW },
	{ "self_significant", SIGNIFICANT, ALWAYS, COLUMN_NUMBER, NEW },
	{ "old_total", SAMPLES, ALWAYS, COLUMN_NUMBER, OLD | TOTAL },
	{ "new_total", SAMPLES, ALWAYS, COLUMN_NUMBER, NEW | TOTAL },
	{ "old_total_ns", NS, ALWAYS, COLUMN_NUMBER, OLD | TOTAL },
	{ "new_total_ns", NS, ALWAYS, COLUMN_NUMBER, NEW | TOTAL },
	{ "old_total_share", SHARE, ALWAYS, COLUMN_NUMBER, OLD | TOTAL },
	{ "new_total_share", SHARE, ALWAYS, COLUMN_NUMBER, NEW | TOTAL },
	{ "total_change_ns", CHANGE_NS, ALWAYS, COLUMN_NUMBER, NEW | TOTAL },
	{ "total_ratio", RATIO, ALWAYS, COLUMN_NUMBER, NEW | TOTAL },
	{ "total_p", P, ALWAYS, COLUMN_NUMBER, NEW | TOTAL },
	{ "total_significant", SIGNIFICANT, ALWAYS, COLUMN_NUMBER, NEW | TOTAL },
};

static bool applies(const struct filling *filling, const struct column *column)
{
	const struct diff *diff = filling->source;

	if (column->when & STACKS && !diff->has_stacks)
		return false;
	if (column->when & ABSOLUTE && diff->options.is_normalized)
		return false;
	return column->when & 1U << diff->options.by;
}

const char *diff_table_verdict(const struct diff *diff, const struct diff_change *change)
{
	bool is_time = !diff->event && (!diff->options.is_normalized || change == &diff->all);

	bool more = diff_growth(change) > 0;

	if (!change->is_significant)
		return "noise";
	if (!is_time)
		return more ? "more" : "less";
	return more ? "slower" : "faster";
}

/* Returns the functions of a stack, which the caller frees: for people from the innermost on, so
 * that the far end is cut; for programs from the outermost on, as in flame graphs. */
static void write_inwards_out(const struct diff *diff, uint32_t node, FILE *out)
{
	for (uint32_t i = 0; node != DIFF_ROOT; i++, node = diff->tree.nodes[node].caller) {
		if (i == FRAMES_SHOWN) {
			fputs(" < ...", out);
			return;
		}
		fprintf(out, "%s%s", i ? " < " : "", diff_unit(diff, node)->name);
	}
}

/* Prints a change with a mark in front if it is noise. */
static bool write_outwards_in(const struct diff *diff, uint32_t node, FILE *out)
{
	size_t depth = 0;
	uint32_t *path;

	for (uint32_t at = node; at != DIFF_ROOT; at = diff->tree.nodes[at].caller)
		depth++;
	path = calloc(depth + 1, sizeof(*path));
	if (!path)
		return false;
	for (size_t i = depth; i > 0; node = diff->tree.nodes[node].caller)
		path[--i] = node;
	for (size_t i = 0; i < depth; i++)
		fprintf(out, "%s%s", i ? ";" : "", diff_unit(diff, path[i])->name);
	free(path);
	return true;
}

/* Returns the time per run. */
static char *stack_of(const struct filling *filling, const struct diff_row *row)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool failed = false;

	if (!out)
		return NULL;
	if (filling->human)
		write_inwards_out(filling->source, row->node, out);
	else
		failed = !write_outwards_in(filling->source, row->node, out);
	failed = failed || ferror(out);
	if (fclose(out) || failed) {
		free(text);
		return NULL;
	}
	return text;
}

static const char *print_value(const struct diff *diff, double value, char *room)
{
	if (value == 0)
		return "-";
	return diff->options.is_normalized ? units_share(room, value, 1)
					   : units_amount(room, value, diff->event);
}

static const char *print_change(const struct diff *diff, double growth, char *room)
{
	if (!diff->options.is_normalized)
		return units_change(room, growth, diff->event);
	snprintf(room, UNITS_BYTES, "%+.1f%%", growth * 100);
	return room;
}

/* Prints a number for programs. Returns NULL for no value. */
static const char *print_marked(const struct diff *diff, const struct diff_change *change,
				char *room)
{
	double growth = diff_growth(change);

	if (change->is_significant || growth == 0)
		return print_change(diff, growth, room);
	room[0] = '~';
	print_change(diff, growth, room + 1);
	return room;
}

/* Returns NULL for no value. */
static double ns_of(const struct diff *diff, const struct diff_change *change, enum diff_side side)
{
	return diff->runs[side] ? change->sides[side].ns / (double)diff->runs[side] : 0;
}

static double share_of(const struct diff *diff, const struct diff_change *change,
		       enum diff_side side)
{
	double all = diff->all.sides[side].ns;

	return all > 0 ? change->sides[side].ns / all : 0;
}

/* Fills in the columns that apply, and the rows. */
static const char *print_number(const struct diff *diff, const struct diff_change *change,
				const struct column *column, struct cell *cell)
{
	enum diff_side side = column->detail & SIDE;

	switch ((enum what)column->what) {
	case SAMPLES:
		return cell_double(cell, "%.0f", (double)change->sides[side].samples);
	case NS:
		return cell_double(cell, "%.0f", ns_of(diff, change, side));
	case SHARE:
		return cell_double(cell, "%.6f", share_of(diff, change, side));
	case CHANGE_NS:
		return cell_double(cell, "%.0f",
				   ns_of(diff, change, DIFF_NEW) - ns_of(diff, change, DIFF_OLD));
	case RATIO:
		if (!(change->sides[DIFF_OLD].value > 0))
			return NULL;
		return cell_double(cell, "%.6g",
				   change->sides[DIFF_NEW].value / change->sides[DIFF_OLD].value);
	case P:
		return cell_double(cell, "%.4g", change->p);
	default:
		return change->is_significant ? "true" : "false";
	}
}

static const char *print(const struct filling *filling, const void *of, const struct column *column,
			 struct cell *cell)
{
	const struct diff *diff = filling->source;
	const struct diff_row *row = of;
	const struct diff_change *change = column->detail & TOTAL ? &row->total : &row->self;
	const struct diff_unit *innermost = diff_unit(diff, row->node);
	double growth = diff_growth(change);

	switch ((enum what)column->what) {
	case STACK:
		return cell_own(cell, stack_of(filling, row));
	case NAME:
		return innermost->name;
	case SYMBOL:
		return innermost->symbol;
	case OBJECT:
		return innermost->object;
	case VALUE:
		return print_value(diff, change->sides[column->detail & SIDE].value, cell->room);
	case CHANGE:
		return print_change(diff, growth, cell->room);
	case MARKED_CHANGE:
		return print_marked(diff, change, cell->room);
	case OF_ALL:
		if (!(diff_whole(diff) > 0) || growth == 0)
			return "-";
		return cell_double(cell, "%+.1f%%", growth / diff_whole(diff) * 100);
	case RELATIVE:
		return units_relative(cell->room, change->sides[DIFF_OLD].value,
				      change->sides[DIFF_NEW].value);
	case VERDICT:
		return change->sides[DIFF_OLD].samples || change->sides[DIFF_NEW].samples
			       ? diff_table_verdict(diff, change)
			       : "-";
	default:
		return print_number(diff, change, column, cell);
	}
}

static const struct columns_report report = {
	.name = "samples",
	.for_people = COLUMN_LIST(for_people),
	.for_programs = COLUMN_LIST(for_programs),
	.applies = applies,
	.print = print,
};

int diff_table_make(struct table *table, const struct diff *diff, size_t rows, bool human,
		    struct err *err)
{
	struct filling filling = FILLING(diff, diff->rows, diff->count, rows, human);

	int status = columns_fill(table, &report, &filling, err);

	if (!status && diff->event)
		event_columns_rename(table);
	return status;
}
