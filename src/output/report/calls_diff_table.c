/* SPDX-License-Identifier: MIT */
#include "calls_diff_table.h"

#include <math.h>
#include <string.h>

#include "event_columns.h"
#include "output/table/columns.h"

/* The condition for a column. */
enum when { ALWAYS, TIMED, REPEATED };

/* The contents of a cell. */
enum what {
	NAME,
	SYMBOL,
	OBJECT,
	CALLS,
	CALLS_CHANGE,
	CALLS_RELATIVE, /* for people, as is the other */
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

static const struct column for_people[] = {
	{ "old calls", CALLS, ALWAYS, COLUMN_NUMBER | COLUMN_DROPS_5TH, DIFF_OLD },
	{ "new calls", CALLS, ALWAYS, COLUMN_NUMBER | COLUMN_DROPS_6TH, DIFF_NEW },
	{ "relative", CALLS_RELATIVE, ALWAYS, COLUMN_NUMBER | COLUMN_DROPS_2ND, DIFF_NEW },
	{ "old total", TOTAL, TIMED, COLUMN_NUMBER | COLUMN_DROPS_3RD, DIFF_OLD },
	{ "new total", TOTAL, TIMED, COLUMN_NUMBER | COLUMN_DROPS_4TH, DIFF_NEW },
	{ "change", TOTAL_CHANGE, TIMED, COLUMN_NUMBER, DIFF_NEW },
	{ "relative", TOTAL_RELATIVE, TIMED, COLUMN_NUMBER | COLUMN_DROPS_LAST, DIFF_NEW },
	{ "verdict", VERDICT, REPEATED, 0, DIFF_NEW },
	{ "old mean", MEAN, TIMED, COLUMN_NUMBER | COLUMN_DROPS_1ST, DIFF_OLD },
	{ "new mean", MEAN, TIMED, COLUMN_NUMBER | COLUMN_DROPS_1ST, DIFF_NEW },
	{ "function", NAME, ALWAYS, COLUMN_GIVES | COLUMN_FUNCTION, DIFF_NEW },
	{ "library", OBJECT, ALWAYS, COLUMN_GIVES_TOO | COLUMN_DIM | COLUMN_DROPS_2ND, DIFF_NEW },
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

static bool applies(const struct filling *filling, const struct column *column)
{
	const struct calls_diff *diff = filling->source;

	if (column->when == REPEATED && !diff->is_repeated)
		return false;
	return column->when == ALWAYS || diff->has_times;
}

/* Prints a number of calls; the mean of several runs need not be whole. */
static const char *print_calls(struct cell *cell, double calls)
{
	if (cell->human && calls == 0)
		return "-";
	if (cell->human && (calls >= 100 || calls == floor(calls)))
		return units_count(cell->room, (uint64_t)(calls + 0.5));
	return cell_double(cell, calls == floor(calls) ? "%.0f" : "%.2f", calls);
}

static const char *print_amount(const struct calls_diff *diff, struct cell *cell, double amount)
{
	if (cell->human)
		return amount > 0 ? units_amount(cell->room, amount, diff->event) : "-";
	return cell_double(cell, "%.0f", amount);
}

static const char *print_ratio(struct cell *cell, double before, double now)
{
	return before > 0 ? cell_double(cell, "%.6g", now / before) : NULL;
}

static const char *verdict_of(const struct calls_diff_row *row)
{
	if (!row->is_significant)
		return "noise";
	return row->sides[DIFF_NEW].total_ns > row->sides[DIFF_OLD].total_ns ? "slower" : "faster";
}

/* Prints the total time. Returns NULL for no value. */
static const char *print_total(const struct calls_diff *diff, const struct calls_diff_row *row,
			       const struct column *column, struct cell *cell)
{
	const struct calls_diff_amount *before = &row->sides[DIFF_OLD];
	const struct calls_diff_amount *now = &row->sides[DIFF_NEW];
	double growth = now->total_ns - before->total_ns;

	/* Calls without times cannot be compared. */
	if ((before->calls > 0 && !before->is_timed) || (now->calls > 0 && !now->is_timed))
		return cell->human ? "-" : NULL;
	switch ((enum what)column->what) {
	case TOTAL:
		return print_amount(diff, cell, row->sides[column->detail].total_ns);
	case TOTAL_CHANGE:
		return cell->human ? units_change(cell->room, growth, diff->event)
				   : cell_double(cell, "%.0f", growth);
	case TOTAL_RELATIVE:
		return units_relative(cell->room, before->total_ns, now->total_ns);
	case TOTAL_RATIO:
		return print_ratio(cell, before->total_ns, now->total_ns);
	case VERDICT:
		return verdict_of(row);
	case P:
		return cell_double(cell, "%.4g", row->p);
	default:
		return row->is_significant ? "true" : "false";
	}
}

static const char *print(const struct filling *filling, const void *of, const struct column *column,
			 struct cell *cell)
{
	const struct calls_diff_row *row = of;
	double before = row->sides[DIFF_OLD].calls, now = row->sides[DIFF_NEW].calls;

	switch ((enum what)column->what) {
	case NAME:
		return row->name;
	case SYMBOL:
		return row->symbol;
	case OBJECT:
		return row->object;
	case CALLS:
		return print_calls(cell, row->sides[column->detail].calls);
	case CALLS_CHANGE:
		return print_calls(cell, now - before);
	case CALLS_RELATIVE:
		return before == now ? "=" : units_relative(cell->room, before, now);
	case CALLS_RATIO:
		return print_ratio(cell, before, now);
	case MEAN:
		if (!cell->human && row->sides[column->detail].mean_ns <= 0)
			return NULL;
		return print_amount(filling->source, cell, row->sides[column->detail].mean_ns);
	default:
		return print_total(filling->source, row, column, cell);
	}
}

static const struct columns_report report = {
	.name = "calls",
	.for_people = COLUMN_LIST(for_people),
	.for_programs = COLUMN_LIST(for_programs),
	.applies = applies,
	.print = print,
};

int calls_diff_table_make(struct table *table, const struct calls_diff *diff, size_t rows,
			  bool human, struct err *err)
{
	struct filling filling = FILLING(diff, diff->rows, diff->count, rows, human);

	int status = columns_fill(table, &report, &filling, err);

	return !status && diff->event ? event_columns_name(table, diff->event, human, err) : status;
}
