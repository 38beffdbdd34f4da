/* SPDX-License-Identifier: MIT */
#include "samples_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "calls_table.h"
#include "event_columns.h"
#include "output/table/columns.h"
#include "output/table/language.h"

/* The rows that have a column: a bit for each enum profile_by. */
enum when {
	BY_FUNCTION = 1 << PROFILE_BY_FUNCTION,
	BY_LINE = 1 << PROFILE_BY_LINE,
	BY_OBJECT = 1 << PROFILE_BY_OBJECT,
	BY_THREAD = 1 << PROFILE_BY_THREAD,
	BY_PROCESS = 1 << PROFILE_BY_PROCESS,
	BY_LABEL = 1 << PROFILE_BY_LABEL,
	BY_REGION = 1 << PROFILE_BY_REGION,
	ALWAYS = BY_FUNCTION | BY_LINE | BY_OBJECT | BY_THREAD | BY_PROCESS | BY_LABEL | BY_REGION,
	STACKS = 1 << 8,  /* and only if there are stacks; else it would repeat another */
	JOINED = 1 << 9,  /* and only if there are calls as well */
	CALLED = 1 << 10, /* and only if a row shown has any */
	TIMED = 1 << 11,  /* and only if some of these have times */
};

/* The contents of a cell. */
enum what {
	NAME,
	SYMBOL,
	OBJECT,
	FILE_AND_LINE, /* the last part of the file's path */
	SOURCE,
	LINE,
	SELF_NS,
	TOTAL_NS,
	SELF_SAMPLES,
	TOTAL_SAMPLES,
	SHARE, /* of self time */
	BAR,   /* of the same */
	CALLS,
	MEAN, /* of them */
	CALLS_NS,
	PROCESSES,
	PID,
	TID,
	COMMAND
};

/* Replaced by the key of the label. */
#define LABEL_COLUMN "label"

static const struct column for_people[] = {
	{ "self", SELF_NS, ALWAYS, COLUMN_NUMBER },
	{ "total", TOTAL_NS, BY_FUNCTION | BY_LINE | BY_OBJECT | STACKS,
	  COLUMN_NUMBER | COLUMN_DROPS_5TH },
	{ "total", TOTAL_NS, BY_REGION, COLUMN_NUMBER | COLUMN_DROPS_5TH },
	{ "samples", SELF_SAMPLES, ALWAYS, COLUMN_NUMBER | COLUMN_DROPS_1ST },
	{ "share", SHARE, ALWAYS, COLUMN_NUMBER | COLUMN_STYLED },
	{ "", BAR, ALWAYS, COLUMN_BAR },
	{ "calls", CALLS, BY_FUNCTION | BY_LABEL | CALLED, COLUMN_NUMBER | COLUMN_DROPS_3RD },
	{ "in calls", CALLS_NS, BY_LABEL | CALLED, COLUMN_NUMBER | COLUMN_DROPS_4TH },
	{ "mean", MEAN, BY_FUNCTION | TIMED, COLUMN_NUMBER | COLUMN_DROPS_2ND },
	{ "processes", PROCESSES, BY_LABEL, COLUMN_NUMBER | COLUMN_DROPS_6TH },
	{ "pid", PID, BY_THREAD | BY_PROCESS, COLUMN_NUMBER | COLUMN_DROPS_5TH },
	{ "tid", TID, BY_THREAD, COLUMN_NUMBER | COLUMN_DROPS_6TH },
	{ "function", NAME, BY_FUNCTION | BY_LINE,
	  COLUMN_GIVES | COLUMN_FUNCTION | COLUMN_STYLED | COLUMN_TINTED },
	{ "line", FILE_AND_LINE, BY_LINE, COLUMN_GIVES_TOO | COLUMN_DROPS_LAST },
	{ "object", OBJECT, BY_FUNCTION | BY_LINE,
	  COLUMN_GIVES_TOO | COLUMN_DIM | COLUMN_DROPS_4TH },
	{ "object", NAME, BY_OBJECT, COLUMN_GIVES | COLUMN_STYLED },
	{ "thread", NAME, BY_THREAD, COLUMN_GIVES | COLUMN_STYLED },
	{ "command", COMMAND, BY_PROCESS, COLUMN_GIVES | COLUMN_STYLED },
	{ LABEL_COLUMN, NAME, BY_LABEL, COLUMN_GIVES | COLUMN_STYLED },
	{ "region", NAME, BY_REGION, COLUMN_GIVES | COLUMN_STYLED },
};

static const struct column for_programs[] = {
	{ "name", NAME, ALWAYS & ~BY_LABEL, 0 },
	{ LABEL_COLUMN, NAME, BY_LABEL, 0 },
	{ "processes", PROCESSES, BY_LABEL, COLUMN_NUMBER },
	{ "symbol", SYMBOL, BY_FUNCTION | BY_LINE, 0 },
	{ "object", OBJECT, BY_FUNCTION | BY_LINE, 0 },
	{ "file", SOURCE, BY_LINE, 0 },
	{ "line", LINE, BY_LINE, COLUMN_NUMBER },
	{ "pid", PID, BY_THREAD | BY_PROCESS, COLUMN_NUMBER },
	{ "tid", TID, BY_THREAD, COLUMN_NUMBER },
	{ "command", COMMAND, BY_PROCESS, 0 },
	{ "self", SELF_SAMPLES, ALWAYS, COLUMN_NUMBER },
	{ "total", TOTAL_SAMPLES, ALWAYS, COLUMN_NUMBER },
	{ "self_ns", SELF_NS, ALWAYS, COLUMN_NUMBER },
	{ "total_ns", TOTAL_NS, ALWAYS, COLUMN_NUMBER },
	{ "calls", CALLS, BY_FUNCTION | BY_LABEL | JOINED, COLUMN_NUMBER },
	{ "calls_ns", CALLS_NS, BY_LABEL | JOINED, COLUMN_NUMBER },
	{ "mean_ns", MEAN, BY_FUNCTION | JOINED, COLUMN_NUMBER },
};

static bool has_calls(const struct samples_source *source, bool timed)
{
	const struct profile_rows *rows = source->rows;

	for (size_t i = 0; i < rows->count && i < source->limit; i++)
		if (rows->rows[i].calls && (!timed || rows->rows[i].mean_ns >= 0))
			return true;
	return false;
}

static bool applies(const struct filling *filling, const struct column *column)
{
	const struct samples_source *source = filling->source;

	if (column->when & STACKS && !source->profile->totals.has_stacks)
		return false;
	if (column->when & JOINED && !source->rows->joined)
		return false;
	if (column->when & CALLED && !has_calls(source, false))
		return false;
	if (column->when & TIMED && !has_calls(source, true))
		return false;
	return column->when & 1U << source->rows->by;
}

/* Prints it as the table of calls does. */
static const char *print_mean(const struct profile_row *row, struct cell *cell, bool is_event)
{
	if (!row->calls || row->mean_ns < 0)
		return NULL;
	return cell->human ? units_amount(cell->room, row->mean_ns, is_event)
			   : cell_double(cell, "%.1f", row->mean_ns);
}

static const char *print_line(const struct profile_row *row, struct cell *cell)
{
	const char *slash = row->source ? strrchr(row->source, '/') : NULL;
	const char *title = slash ? slash + 1 : row->source;
	char *text;

	if (!row->source)
		return NULL;
	if (!row->line)
		return title;
	return cell_own(cell, asprintf(&text, "%s:%" PRIu32, title, row->line) < 0 ? NULL : text);
}

static const struct profile *profile_of(const struct filling *filling)
{
	return ((const struct samples_source *)filling->source)->profile;
}

static const char *print(const struct filling *filling, const void *of, const struct column *column,
			 struct cell *cell)
{
	const struct profile_row *row = of;
	bool is_event = profile_of(filling)->totals.event;

	switch ((enum what)column->what) {
	case NAME:
		return row->name;
	case SYMBOL:
		return row->symbol;
	case OBJECT:
		return row->object;
	case FILE_AND_LINE:
		return print_line(row, cell);
	case SOURCE:
		return row->source;
	case LINE:
		return row->line ? cell_number(cell, row->line) : NULL;
	case SELF_NS:
		return cell_amount(cell, row->self.ns, is_event);
	case TOTAL_NS:
		return cell_amount(cell, row->total.ns, is_event);
	case SELF_SAMPLES:
		return cell_count(cell, row->self.samples);
	case TOTAL_SAMPLES:
		return cell_count(cell, row->total.samples);
	case SHARE:
		return units_share(cell->room, (double)row->self.ns,
				   (double)profile_of(filling)->totals.kept.ns);
	case BAR:
		return NULL;
	case CALLS:
		return row->calls ? cell_count(cell, row->calls) : NULL;
	case MEAN:
		return print_mean(row, cell, is_event);
	case CALLS_NS:
		return cell_amount(cell, row->calls_ns, is_event);
	case PROCESSES:
		return row->processes ? cell_number(cell, row->processes) : NULL;
	case PID:
		return row->process ? cell_number(cell, row->process->pid) : NULL;
	case TID:
		return cell_number(cell, row->tid);
	case COMMAND:
		break;
	}
	return calls_table_command(cell, row->process);
}

static struct table_look look(const struct filling *filling, const void *row)
{
	const struct profile *profile = profile_of(filling);
	const struct profile_row *it = row;
	struct table_look shown =
		table_look_of((double)it->self.ns, (double)profile->totals.kept.ns);
	const struct function *function = it->function < profile->functions.count
						  ? &profile->functions.list[it->function]
						  : NULL;
	/* Other rows than those of functions have the number 0. */
	const struct language *language =
		function && it->name == function->name ? language_of(function) : NULL;

	shown.tint = language ? language->tint : TINT_NONE;
	return shown;
}

static const struct columns_report report = {
	.name = "samples",
	.for_people = COLUMN_LIST(for_people),
	.for_programs = COLUMN_LIST(for_programs),
	.applies = applies,
	.print = print,
	.look = look,
};

int samples_table_make(struct table *table, const struct samples_source *source, bool human,
		       struct err *err)
{
	const struct profile_rows *rows = source->rows;
	struct filling filling = FILLING(source, rows->rows, rows->count, source->limit, human);

	int status = columns_fill(table, &report, &filling, err);

	if (!status && source->profile->totals.event)
		event_columns_rename(table);
	if (!status && rows->groups)
		table_rename(table, LABEL_COLUMN, rows->groups->key);
	return status;
}
