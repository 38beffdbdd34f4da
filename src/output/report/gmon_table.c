/* SPDX-License-Identifier: MIT */
#include "gmon_table.h"

#include <math.h>

#include "output/table/columns.h"
#include "output/table/printable.h"

/* The contents of a cell. */
enum what { NAME, SYMBOL, OBJECT, SAMPLES, NS, SHARE, CALLS, CALLER, CALLEE };

static const struct column for_people[] = {
	{ "self", NS, 0, COLUMN_NUMBER },
	{ "share", SHARE, 0, COLUMN_NUMBER },
	{ "calls", CALLS, 0, COLUMN_NUMBER },
	{ "function", NAME, 0, COLUMN_GIVES | COLUMN_FUNCTION },
};

/* As the table of samples has them, as far as it goes. */
static const struct column for_programs[] = {
	{ "name", NAME, 0, 0 },
	{ "symbol", SYMBOL, 0, 0 },
	{ "object", OBJECT, 0, 0 },
	{ "self", SAMPLES, 0, COLUMN_NUMBER },
	{ "self_ns", NS, 0, COLUMN_NUMBER },
	{ "calls", CALLS, 0, COLUMN_NUMBER },
};

static const struct column of_calls[] = {
	{ "caller", CALLER, 0, 0 },
	{ "callee", CALLEE, 0, 0 },
	{ "calls", CALLS, 0, COLUMN_NUMBER },
};

static const char *print(const struct filling *filling, const void *of, const struct column *column,
			 struct cell *cell)
{
	const struct gmon_profile *profile = filling->source;
	const struct gmon_row *row = of;

	switch ((enum what)column->what) {
	case NAME:
		return row->name;
	case SYMBOL:
		return row->symbol;
	case OBJECT:
		return profile->title;
	case SAMPLES:
		return cell_number(cell, (uint64_t)llround(row->samples));
	case NS:
		return cell->human ? units_time(cell->room, row->ns)
				   : cell_number(cell, (uint64_t)llround(row->ns));
	case SHARE:
		return units_share(cell->room, row->ns, profile->ns);
	default:
		return row->calls ? cell_count(cell, row->calls) : NULL;
	}
}

static const char *print_call(const struct filling *filling, const void *row,
			      const struct column *column, struct cell *cell)
{
	const struct gmon_profile *profile = filling->source;
	const struct gmon_call *call = row;

	if (column->what == CALLS)
		return cell_number(cell, call->count);
	return profile->rows[column->what == CALLER ? call->caller : call->callee].name;
}

static const struct columns_report report = {
	.name = "samples",
	.for_people = COLUMN_LIST(for_people),
	.for_programs = COLUMN_LIST(for_programs),
	.print = print,
};

static const struct columns_report calls_report = {
	.name = "arcs",
	.for_programs = COLUMN_LIST(of_calls),
	.print = print_call,
};

int gmon_table_make(struct table *table, const struct gmon_profile *profile, size_t limit,
		    bool human, struct err *err)
{
	struct filling filling = FILLING(profile, profile->rows, profile->count, limit, human);
	int status = columns_fill(table, &report, &filling, err);

	if (status || human)
		return status;
	if (table_add_meta_number(table, "samples", (uint64_t)llround(profile->samples)) ||
	    table_add_meta_number(table, "samples_ns", (uint64_t)llround(profile->ns)) ||
	    table_add_meta_number(table, "rate", profile->rate)) {
		table_fini(table);
		return err_no_memory(err);
	}
	return 0;
}

int gmon_table_make_calls(struct table *table, const struct gmon_profile *profile, struct err *err)
{
	struct filling filling =
		FILLING(profile, profile->calls, profile->call_count, SIZE_MAX, false);

	return columns_fill(table, &calls_report, &filling, err);
}

void gmon_table_write_summary(const struct gmon_profile *profile, FILE *out)
{
	char samples[UNITS_BYTES], time[UNITS_BYTES], rate[UNITS_BYTES];

	printable_print(out, "%s: %s samples, %s of CPU time", profile->title,
			units_count(samples, (uint64_t)llround(profile->samples)),
			units_time(time, profile->ns));
	if (profile->rate)
		fprintf(out, "; %s per second", units_count(rate, profile->rate));
	putc('\n', out);
}
