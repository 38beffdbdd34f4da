/* SPDX-License-Identifier: MIT */
#include "calls_diff_table.h"

#include <math.h>
#include <string.h>

#include "output/table/units.h"

/* When a column is there. */
enum when { ALWAYS, TIMED, REPEATED };

/* What a cell shows. */
enum what {
	NAME,
	SYMBOL,
	OBJECT,
	CALLS,
	CALLS_CHANGE,
	CALLS_RELATIVE, /* as people read it, as is the other */
	CALLS_RATIO,
	TOTAL,
	TOTAL_CHANGE,
	TOTAL_RELATIVE,
	TOTAL_RATIO,
	MEAN,
	VERDICT,
	P,
	SIGNIFICANT,
};

struct column {
	const char *name;
	enum what what;
	enum when when;
	unsigned flags;
	enum diff_side side; /* of those that are of one */
};

static const struct column for_people[] = {
	{ "old calls", CALLS, ALWAYS, COLUMN_NUMBER, DIFF_OLD },
	{ "new calls", CALLS, ALWAYS, COLUMN_NUMBER, DIFF_NEW },
	{ "relative", CALLS_RELATIVE, ALWAYS, COLUMN_NUMBER, DIFF_NEW },
	{ "old total", TOTAL, TIMED, COLUMN_NUMBER, DIFF_OLD },
	{ "new total", TOTAL, TIMED, COLUMN_NUMBER, DIFF_NEW },
	{ "change", TOTAL_CHANGE, TIMED, COLUMN_NUMBER, DIFF_NEW },
	{ "relative", TOTAL_RELATIVE, TIMED, COLUMN_NUMBER, DIFF_NEW },
	{ "verdict", VERDICT, REPEATED, 0, DIFF_NEW },
	{ "old mean", MEAN, TIMED, COLUMN_NUMBER, DIFF_OLD },
	{ "new mean", MEAN, TIMED, COLUMN_NUMBER, DIFF_NEW },
	{ "function", NAME, ALWAYS, COLUMN_GIVES, DIFF_NEW },
	{ "library", OBJECT, ALWAYS, 0, DIFF_NEW },
};

static const struct column for_programs[] = {
	{ "name", NAME, ALWAYS, 0, DIFF_NEW },
	{ "symbol", SYMBOL, ALWAYS, 0, DIFF_NEW },
	{ "object", OBJECT, ALWAYS, 0, DIFF_NEW },
	{ "old_calls", CALLS, ALWAYS, COLUMN_NUMBER, DIFF_OLD },
	{ "new_calls", CALLS, ALWAYS, COLUMN_NUMBER, DIFF_NEW },
	{ "calls_change", CALLS_CHANGE, ALWAYS, COLUMN_NUMBER, DIFF_NEW },
	{ "calls_ratio", CALLS_RATIO, ALWAYS, COLUMN_NUMBER, DIFF_NEW },
	{ "old_total_ns", TOTAL, TIMED, COLUMN_NUMBER, DIFF_OLD },
	{ "new_total_ns", TOTAL, TIMED, COLUMN_NUMBER, DIFF_NEW },
	{ "total_change_ns", TOTAL_CHANGE, TIMED, COLUMN_NUMBER, DIFF_NEW },
	{ "total_ratio", TOTAL_RATIO, TIMED, COLUMN_NUMBER, DIFF_NEW },
	{ "old_mean_ns", MEAN, TIMED, COLUMN_NUMBER, DIFF_OLD },
	{ "new_mean_ns", MEAN, TIMED, COLUMN_NUMBER, DIFF_NEW },
	{ "total_p", P, REPEATED, COLUMN_NUMBER, DIFF_NEW },
	{ "total_significant", SIGNIFICANT, REPEATED, COLUMN_NUMBER, DIFF_NEW },
};

/* A table while it is filled. */
struct filling {
	const struct calls_diff *diff;
	size_t rows;
	const struct column *columns[TABLE_COLUMNS_MAX]; /* those that apply */
	size_t count;
	bool human; /* units and thousands, for people */
};

static bool applies(const struct calls_diff *diff, const struct column *column)
{
	if (column->when == REPEATED && !diff->is_repeated)
		return false;
	return column->when == ALWAYS || diff->has_times;
}

/* Of several runs, a number of calls need not be whole. */
static const char *print_calls(const struct filling *filling, double calls, char *room)
{
	if (filling->human && calls == 0)
		return "-";
	if (filling->human && (calls >= 100 || calls == floor(calls)))
		return units_count(room, (uint64_t)(calls + 0.5));
	snprintf(room, UNITS_BYTES, "%.*f", calls == floor(calls) ? 0 : 2, calls);
	return room;
}

static const char *print_time(const struct filling *filling, double ns, char *room)
{
	if (filling->human)
		return ns > 0 ? units_time(room, ns) : "-";
	snprintf(room, UNITS_BYTES, "%.0f", ns);
	return room;
}

static const char *print_ratio(double before, double now, char *room)
{
	if (!(before > 0))
		return NULL;
	snprintf(room, UNITS_BYTES, "%.6g", now / before);
	return room;
}

static const char *verdict_of(const struct calls_diff_row *row)
{
	if (!row->is_significant)
		return "noise";
	return row->sides[DIFF_NEW].total_ns > row->sides[DIFF_OLD].total_ns ? "slower" : "faster";
}

/* Of the time. NULL: there is no value. */
static const char *print_total(const struct filling *filling, const struct calls_diff_row *row,
			       const struct column *column, char *room)
{
	const struct calls_diff_amount *before = &row->sides[DIFF_OLD];
	const struct calls_diff_amount *now = &row->sides[DIFF_NEW];
	double growth = now->total_ns - before->total_ns;

	/* Where there were calls but no times, there is nothing to compare. */
	if ((before->calls > 0 && !before->is_timed) || (now->calls > 0 && !now->is_timed))
		return filling->human ? "-" : NULL;
	switch (column->what) {
	case TOTAL:
		return print_time(filling, row->sides[column->side].total_ns, room);
	case TOTAL_CHANGE:
		if (filling->human)
			return units_change(room, growth);
		snprintf(room, UNITS_BYTES, "%.0f", growth);
		return room;
	case TOTAL_RELATIVE:
		return units_relative(room, before->total_ns, now->total_ns);
	case TOTAL_RATIO:
		return print_ratio(before->total_ns, now->total_ns, room);
	case VERDICT:
		return verdict_of(row);
	case P:
		snprintf(room, UNITS_BYTES, "%.4g", row->p);
		return room;
	default:
		return row->is_significant ? "true" : "false";
	}
}

/* NULL: there is no value. */
static const char *print(const struct filling *filling, const struct calls_diff_row *row,
			 const struct column *column, char *room)
{
	double before = row->sides[DIFF_OLD].calls, now = row->sides[DIFF_NEW].calls;

	switch (column->what) {
	case NAME:
		return row->name;
	case SYMBOL:
		return row->symbol;
	case OBJECT:
		return row->object;
	case CALLS:
		return print_calls(filling, row->sides[column->side].calls, room);
	case CALLS_CHANGE:
		return print_calls(filling, now - before, room);
	case CALLS_RELATIVE:
		return before == now ? "=" : units_relative(room, before, now);
	case CALLS_RATIO:
		return print_ratio(before, now, room);
	case MEAN:
		if (!filling->human && row->sides[column->side].mean_ns <= 0)
			return NULL;
		return print_time(filling, row->sides[column->side].mean_ns, room);
	default:
		return print_total(filling, row, column, room);
	}
}

static int add_row(struct table *table, const struct filling *filling,
		   const struct calls_diff_row *row)
{
	const char *texts[TABLE_COLUMNS_MAX];
	char rooms[TABLE_COLUMNS_MAX][UNITS_BYTES];

	for (size_t i = 0; i < filling->count; i++)
		texts[i] = print(filling, row, filling->columns[i], rooms[i]);
	return table_add(table, texts);
}

/* Those of the columns that apply, and the rows. */
static int fill(struct calls_diff_table *table, struct filling *filling,
		const struct column *columns, size_t count, struct err *err)
{
	const struct calls_diff *diff = filling->diff;

	for (size_t i = 0; i < count; i++) {
		if (!applies(diff, &columns[i]))
			continue;
		table->columns[filling->count].name = columns[i].name;
		table->columns[filling->count].flags = columns[i].flags;
		filling->columns[filling->count++] = &columns[i];
	}
	table_init(&table->table, "calls", table->columns, filling->count);
	for (size_t i = 0; i < diff->count && i < filling->rows; i++) {
		if (add_row(&table->table, filling, &diff->rows[i])) {
			table_fini(&table->table);
			return err_no_memory(err);
		}
	}
	return 0;
}

int calls_diff_table_for_people(struct calls_diff_table *table, const struct calls_diff *diff,
				size_t rows, struct err *err)
{
	struct filling filling = { .diff = diff, .rows = rows, .human = true };

	return fill(table, &filling, for_people, sizeof(for_people) / sizeof(for_people[0]), err);
}

int calls_diff_table_for_programs(struct calls_diff_table *table, const struct calls_diff *diff,
				  size_t rows, struct err *err)
{
	struct filling filling = { .diff = diff, .rows = rows };

	return fill(table, &filling, for_programs, sizeof(for_programs) / sizeof(for_programs[0]),
		    err);
}
