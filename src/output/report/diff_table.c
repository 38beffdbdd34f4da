/* SPDX-License-Identifier: MIT */
#include "diff_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/table/units.h"

/* Frames of a stack that people are shown, from the innermost on. */
#define FRAMES_SHOWN 8

/* Which tables have a column: a bit for each enum diff_by. */
enum when {
	BY_FUNCTION = 1 << DIFF_BY_FUNCTION,
	BY_STACK = 1 << DIFF_BY_STACK,
	BY_OBJECT = 1 << DIFF_BY_OBJECT,
	ALWAYS = BY_FUNCTION | BY_STACK | BY_OBJECT,
	STACKS = 1 << 8,   /* and only if stacks were recorded */
	ABSOLUTE = 1 << 9, /* and only if time is compared, not shares */
};

/* What a cell shows. */
enum what {
	NAME,
	SYMBOL,
	OBJECT,
	STACK,
	VALUE, /* time, or a share, as people read it */
	CHANGE,
	MARKED_CHANGE, /* with a mark if it is noise */
	OF_ALL,        /* the change, as a part of all that there was */
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

struct column {
	const char *name;
	enum what what;
	unsigned when; /* enum when */
	unsigned flags;
	enum diff_side side; /* of those that are of one */
	bool is_total;       /* of the total time, not of self */
};

static const struct column for_people[] = {
	{ "old", VALUE, ALWAYS, COLUMN_NUMBER, DIFF_OLD, false },
	{ "new", VALUE, ALWAYS, COLUMN_NUMBER, DIFF_NEW, false },
	{ "change", CHANGE, ALWAYS, COLUMN_NUMBER, DIFF_NEW, false },
	{ "of all", OF_ALL, ALWAYS | ABSOLUTE, COLUMN_NUMBER, DIFF_NEW, false },
	{ "relative", RELATIVE, ALWAYS, COLUMN_NUMBER, DIFF_NEW, false },
	{ "verdict", VERDICT, ALWAYS, 0, DIFF_NEW, false },
	{ "total", MARKED_CHANGE, BY_FUNCTION | BY_OBJECT | STACKS, COLUMN_NUMBER, DIFF_NEW, true },
	{ "function", NAME, BY_FUNCTION, COLUMN_GIVES, DIFF_NEW, false },
	{ "object", OBJECT, BY_FUNCTION, 0, DIFF_NEW, false },
	{ "object", NAME, BY_OBJECT, COLUMN_GIVES, DIFF_NEW, false },
	{ "stack", STACK, BY_STACK, COLUMN_GIVES, DIFF_NEW, false },
};

static const struct column for_programs[] = {
	{ "name", NAME, ALWAYS, 0, DIFF_NEW, false },
	{ "symbol", SYMBOL, BY_FUNCTION | BY_STACK, 0, DIFF_NEW, false },
	{ "object", OBJECT, BY_FUNCTION | BY_STACK, 0, DIFF_NEW, false },
	{ "stack", STACK, BY_STACK, 0, DIFF_NEW, false },
	{ "old_self", SAMPLES, ALWAYS, COLUMN_NUMBER, DIFF_OLD, false },
	{ "new_self", SAMPLES, ALWAYS, COLUMN_NUMBER, DIFF_NEW, false },
	{ "old_self_ns", NS, ALWAYS, COLUMN_NUMBER, DIFF_OLD, false },
	{ "new_self_ns", NS, ALWAYS, COLUMN_NUMBER, DIFF_NEW, false },
	{ "old_self_share", SHARE, ALWAYS, COLUMN_NUMBER, DIFF_OLD, false },
	{ "new_self_share", SHARE, ALWAYS, COLUMN_NUMBER, DIFF_NEW, false },
	{ "self_change_ns", CHANGE_NS, ALWAYS, COLUMN_NUMBER, DIFF_NEW, false },
	{ "self_ratio", RATIO, ALWAYS, COLUMN_NUMBER, DIFF_NEW, false },
	{ "self_p", P, ALWAYS, COLUMN_NUMBER, DIFF_NEW, false },
	{ "self_significant", SIGNIFICANT, ALWAYS, COLUMN_NUMBER, DIFF_NEW, false },
	{ "old_total", SAMPLES, ALWAYS, COLUMN_NUMBER, DIFF_OLD, true },
	{ "new_total", SAMPLES, ALWAYS, COLUMN_NUMBER, DIFF_NEW, true },
	{ "old_total_ns", NS, ALWAYS, COLUMN_NUMBER, DIFF_OLD, true },
	{ "new_total_ns", NS, ALWAYS, COLUMN_NUMBER, DIFF_NEW, true },
	{ "old_total_share", SHARE, ALWAYS, COLUMN_NUMBER, DIFF_OLD, true },
	{ "new_total_share", SHARE, ALWAYS, COLUMN_NUMBER, DIFF_NEW, true },
	{ "total_change_ns", CHANGE_NS, ALWAYS, COLUMN_NUMBER, DIFF_NEW, true },
	{ "total_ratio", RATIO, ALWAYS, COLUMN_NUMBER, DIFF_NEW, true },
	{ "total_p", P, ALWAYS, COLUMN_NUMBER, DIFF_NEW, true },
	{ "total_significant", SIGNIFICANT, ALWAYS, COLUMN_NUMBER, DIFF_NEW, true },
};

/* A table while it is filled. */
struct filling {
	const struct diff *diff;
	size_t rows;
	const struct column *columns[TABLE_COLUMNS_MAX]; /* those that apply */
	size_t count;
	bool human; /* units and a short stack, for people */
};

static bool applies(const struct diff *diff, const struct column *column)
{
	if (column->when & STACKS && !diff->has_stacks)
		return false;
	if (column->when & ABSOLUTE && diff->options.is_normalized)
		return false;
	return column->when & 1U << diff->options.by;
}

const char *diff_table_verdict(const struct diff_change *change, bool is_share)
{
	bool more = diff_growth(change) > 0;

	if (!change->is_significant)
		return "noise";
	if (is_share)
		return more ? "more" : "less";
	return more ? "slower" : "faster";
}

/* For people: from the innermost on, so that what does not fit is the far end. */
static void write_inwards_out(const struct diff *diff, uint32_t node, FILE *out)
{
	for (uint32_t i = 0; node != DIFF_ROOT; i++, node = diff->nodes[node].caller) {
		if (i == FRAMES_SHOWN) {
			fputs(" < ...", out);
			return;
		}
		fprintf(out, "%s%s", i ? " < " : "", diff_unit(diff, node)->name);
	}
}

/* For programs: from the outermost on, as flame graphs have it. */
static bool write_outwards_in(const struct diff *diff, uint32_t node, FILE *out)
{
	size_t depth = 0;
	uint32_t *path;

	for (uint32_t at = node; at != DIFF_ROOT; at = diff->nodes[at].caller)
		depth++;
	path = calloc(depth + 1, sizeof(*path));
	if (!path)
		return false;
	for (size_t i = depth; i > 0; node = diff->nodes[node].caller)
		path[--i] = node;
	for (size_t i = 0; i < depth; i++)
		fprintf(out, "%s%s", i ? ";" : "", diff_unit(diff, path[i])->name);
	free(path);
	return true;
}

/* Returns the functions of a stack, in a text to be freed; NULL: no memory. */
static char *stack_of(const struct filling *filling, const struct diff_row *row)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool failed = false;

	if (!out)
		return NULL;
	if (filling->human)
		write_inwards_out(filling->diff, row->node, out);
	else
		failed = !write_outwards_in(filling->diff, row->node, out);
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
	return diff->options.is_normalized ? units_share(room, value, 1) : units_time(room, value);
}

static const char *print_change(const struct diff *diff, double growth, char *room)
{
	if (!diff->options.is_normalized)
		return units_change(room, growth);
	snprintf(room, UNITS_BYTES, "%+.1f%%", growth * 100);
	return room;
}

/* In text, what is noise has a mark before it. */
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

static const char *print_double(const char *format, double value, char *room)
{
	snprintf(room, UNITS_BYTES, format, value);
	return room;
}

/* Of one run. */
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

/* For programs. NULL: there is no value. */
static const char *print_number(const struct diff *diff, const struct diff_change *change,
				const struct column *column, char *room)
{
	switch (column->what) {
	case SAMPLES:
		return print_double("%.0f", (double)change->sides[column->side].samples, room);
	case NS:
		return print_double("%.0f", ns_of(diff, change, column->side), room);
	case SHARE:
		return print_double("%.6f", share_of(diff, change, column->side), room);
	case CHANGE_NS:
		return print_double("%.0f",
				    ns_of(diff, change, DIFF_NEW) - ns_of(diff, change, DIFF_OLD),
				    room);
	case RATIO:
		if (!(change->sides[DIFF_OLD].value > 0))
			return NULL;
		return print_double("%.6g",
				    change->sides[DIFF_NEW].value / change->sides[DIFF_OLD].value,
				    room);
	case P:
		return print_double("%.4g", change->p, room);
	default:
		return change->is_significant ? "true" : "false";
	}
}

/* NULL: there is no value. */
static const char *print(const struct filling *filling, const struct diff_row *row,
			 const struct column *column, char *room)
{
	const struct diff *diff = filling->diff;
	const struct diff_change *change = column->is_total ? &row->total : &row->self;
	const struct diff_unit *innermost = diff_unit(diff, row->node);
	double growth = diff_growth(change);

	switch (column->what) {
	case NAME:
		return innermost->name;
	case SYMBOL:
		return innermost->symbol;
	case OBJECT:
		return innermost->object;
	case VALUE:
		return print_value(diff, change->sides[column->side].value, room);
	case CHANGE:
		return print_change(diff, growth, room);
	case MARKED_CHANGE:
		return print_marked(diff, change, room);
	case OF_ALL:
		if (!(diff_whole(diff) > 0) || growth == 0)
			return "-";
		return print_double("%+.1f%%", growth / diff_whole(diff) * 100, room);
	case RELATIVE:
		return units_relative(room, change->sides[DIFF_OLD].value,
				      change->sides[DIFF_NEW].value);
	case VERDICT:
		return change->sides[DIFF_OLD].samples || change->sides[DIFF_NEW].samples
			       ? diff_table_verdict(change, diff->options.is_normalized)
			       : "-";
	default:
		return print_number(diff, change, column, room);
	}
}

static int add_row(struct table *table, const struct filling *filling, const struct diff_row *row)
{
	const char *texts[TABLE_COLUMNS_MAX];
	char rooms[TABLE_COLUMNS_MAX][UNITS_BYTES + 1], *stack = NULL;
	int status;

	if (filling->diff->options.by == DIFF_BY_STACK && !(stack = stack_of(filling, row)))
		return -ENOMEM;
	for (size_t i = 0; i < filling->count; i++)
		texts[i] = filling->columns[i]->what == STACK
				   ? stack
				   : print(filling, row, filling->columns[i], rooms[i]);
	status = table_add(table, texts);
	free(stack);
	return status;
}

/* Those of the columns that apply, and the rows. */
static int fill(struct diff_table *table, struct filling *filling, const struct column *columns,
		size_t count, struct err *err)
{
	const struct diff *diff = filling->diff;

	for (size_t i = 0; i < count; i++) {
		if (!applies(diff, &columns[i]))
			continue;
		table->columns[filling->count].name = columns[i].name;
		table->columns[filling->count].flags = columns[i].flags;
		filling->columns[filling->count++] = &columns[i];
	}
	table_init(&table->table, "samples", table->columns, filling->count);
	for (size_t i = 0; i < diff->count && i < filling->rows; i++) {
		if (add_row(&table->table, filling, &diff->rows[i])) {
			table_fini(&table->table);
			return err_no_memory(err);
		}
	}
	return 0;
}

int diff_table_for_people(struct diff_table *table, const struct diff *diff, size_t rows,
			  struct err *err)
{
	struct filling filling = { .diff = diff, .rows = rows, .human = true };

	return fill(table, &filling, for_people, sizeof(for_people) / sizeof(for_people[0]), err);
}

int diff_table_for_programs(struct diff_table *table, const struct diff *diff, size_t rows,
			    struct err *err)
{
	struct filling filling = { .diff = diff, .rows = rows };

	return fill(table, &filling, for_programs, sizeof(for_programs) / sizeof(for_programs[0]),
		    err);
}
