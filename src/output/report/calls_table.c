/* SPDX-License-Identifier: MIT */
#include "calls_table.h"

#include <stdlib.h>
#include <string.h>

#include "event_columns.h"
#include "output/table/columns.h"

/* The condition for a column. */
enum when {
	ALWAYS,
	BY_CALLER,
	BY_SITE, /* if a caller shown is a function */
	BY_THREAD,
	BY_PROCESS,
	BY_EITHER, /* of the two above */
	BY_LABEL,
	TIMED,     /* not for --count */
	ALL_TIMED, /* nor for --sample-timing */
	SPREAD,    /* TIMED, and single calls are known, which no event has */
	CLOCKED,   /* of time, not of an event */
	SAMPLED,
	WAITED,    /* if a call of a row shown was long */
	ANY,       /* if it is not 0 in all rows shown */
	EXCEPTION, /* the same, unless it is always so */
	JOINED,    /* if there are samples as well */
	FOUND,     /* and if a row shown has any */
};

/* The contents of a cell, and its type in a row. */
enum what {
	TEXT,    /* const char *; NULL: no value */
	COUNT,   /* uint64_t */
	TIME,    /* uint64_t; no value if no call returned, as for those below */
	MEAN,    /* double, a time; below 0: no value */
	TOTAL,   /* uint64_t, a time; no value if total_unknown */
	SELF,    /* uint64_t, a time; no value if sampled */
	SHARE,   /* uint64_t, of the self time of all */
	WAITING, /* double, a part of the total; no value if unknown */
	OTHER,   /* double, a time that calls do not contain; below 0: no value */
	PID,     /* of the process, as is COMMAND; TID is of the thread */
	TID,
	COMMAND,
};

#define MEMBER(member) offsetof(struct calls_row, member)

/* Replaced by the key of the label. */
#define LABEL_COLUMN "label"

static const struct column for_people[] = {
	{ "calls", COUNT, ALWAYS, COLUMN_NUMBER | COLUMN_DROPS_LAST, MEMBER(calls) },
	{ "total", TOTAL, TIMED, COLUMN_NUMBER, MEMBER(total_ns) },
	{ "waiting", WAITING, WAITED, COLUMN_NUMBER | COLUMN_DROPS_5TH, MEMBER(waiting) },
	{ "self", SELF, ALL_TIMED, COLUMN_NUMBER | COLUMN_DROPS_4TH, MEMBER(self_ns) },
	{ "sampled", OTHER, FOUND, COLUMN_NUMBER | COLUMN_DROPS_3RD, MEMBER(sampled_ns) },
	{ "mean", MEAN, TIMED, COLUMN_NUMBER | COLUMN_DROPS_6TH, MEMBER(mean_ns) },
	{ "+-", MEAN, SAMPLED, COLUMN_NUMBER | COLUMN_DROPS_1ST, MEMBER(stderr_ns) },
	{ "p50", TIME, SPREAD, COLUMN_NUMBER | COLUMN_DROPS_1ST, MEMBER(p50_ns) },
	{ "p99", TIME, SPREAD, COLUMN_NUMBER | COLUMN_DROPS_3RD, MEMBER(p99_ns) },
	{ "max", TIME, SPREAD, COLUMN_NUMBER | COLUMN_DROPS_2ND, MEMBER(max_ns) },
	{ "share", SHARE, ALL_TIMED, COLUMN_NUMBER | COLUMN_STYLED | COLUMN_DROPS_6TH,
	  MEMBER(self_ns) },
	{ "escaped", COUNT, ANY, COLUMN_NUMBER | COLUMN_DROPS_2ND, MEMBER(escaped) },
	{ "abandoned", COUNT, ANY, COLUMN_NUMBER | COLUMN_DROPS_2ND, MEMBER(abandoned) },
	{ "untimed", COUNT, EXCEPTION, COLUMN_NUMBER | COLUMN_DROPS_2ND, MEMBER(untimed) },
	{ "pid", PID, BY_EITHER, COLUMN_NUMBER | COLUMN_DROPS_6TH, 0 },
	{ "tid", TID, BY_THREAD, COLUMN_NUMBER | COLUMN_DROPS_LAST, 0 },
	{ LABEL_COLUMN, TEXT, BY_LABEL, COLUMN_GIVES_TOO, MEMBER(label) },
	{ "function", TEXT, ALWAYS, COLUMN_GIVES | COLUMN_FUNCTION | COLUMN_STYLED, MEMBER(name) },
	{ "library", TEXT, ALWAYS, COLUMN_GIVES_TOO | COLUMN_DIM | COLUMN_DROPS_4TH,
	  MEMBER(object) },
	{ "caller", TEXT, BY_CALLER, COLUMN_GIVES | COLUMN_FUNCTION, MEMBER(caller) },
	{ "of", TEXT, BY_SITE, COLUMN_GIVES_TOO | COLUMN_DIM | COLUMN_DROPS_5TH,
	  MEMBER(caller_object) },
	{ "command", COMMAND, BY_PROCESS, COLUMN_GIVES, 0 },
};

static const struct column for_programs[] = {
	{ "name", TEXT, ALWAYS, 0, MEMBER(name) },
	{ "symbol", TEXT, ALWAYS, 0, MEMBER(symbol) },
	{ "version", TEXT, ALWAYS, 0, MEMBER(version) },
	{ "object", TEXT, ALWAYS, 0, MEMBER(object) },
	{ "caller", TEXT, BY_CALLER, 0, MEMBER(caller) },
	{ "caller_object", TEXT, BY_CALLER, 0, MEMBER(caller_object) },
	{ "pid", PID, BY_EITHER, COLUMN_NUMBER, 0 },
	{ "tid", TID, BY_THREAD, COLUMN_NUMBER, 0 },
	{ "command", COMMAND, BY_PROCESS, 0, 0 },
	{ LABEL_COLUMN, TEXT, BY_LABEL, 0, MEMBER(label) },
	{ "calls", COUNT, ALWAYS, COLUMN_NUMBER, MEMBER(calls) },
	{ "returned", COUNT, ALWAYS, COLUMN_NUMBER, MEMBER(returned) },
	{ "escaped", COUNT, ALWAYS, COLUMN_NUMBER, MEMBER(escaped) },
	{ "abandoned", COUNT, ALWAYS, COLUMN_NUMBER, MEMBER(abandoned) },
	{ "untimed", COUNT, ALWAYS, COLUMN_NUMBER, MEMBER(untimed) },
	{ "running", COUNT, ALWAYS, COLUMN_NUMBER, MEMBER(running) },
	{ "total_ns", TOTAL, ALWAYS, COLUMN_NUMBER, MEMBER(total_ns) },
	{ "self_ns", SELF, ALWAYS, COLUMN_NUMBER, MEMBER(self_ns) },
	{ "min_ns", TIME, CLOCKED, COLUMN_NUMBER, MEMBER(min_ns) },
	{ "max_ns", TIME, CLOCKED, COLUMN_NUMBER, MEMBER(max_ns) },
	{ "mean_ns", MEAN, ALWAYS, COLUMN_NUMBER, MEMBER(mean_ns) },
	{ "p50_ns", TIME, CLOCKED, COLUMN_NUMBER, MEMBER(p50_ns) },
	{ "p90_ns", TIME, CLOCKED, COLUMN_NUMBER, MEMBER(p90_ns) },
	{ "p99_ns", TIME, CLOCKED, COLUMN_NUMBER, MEMBER(p99_ns) },
	{ "cpu_ns", TIME, CLOCKED, COLUMN_NUMBER, MEMBER(cpu_ns) },
	{ "waiting", WAITING, CLOCKED, COLUMN_NUMBER, MEMBER(waiting) },
	{ "watched", COUNT, CLOCKED, COLUMN_NUMBER, MEMBER(watched) },
	{ "timed", COUNT, SAMPLED, COLUMN_NUMBER, MEMBER(returned) },
	{ "stderr_ns", MEAN, SAMPLED, COLUMN_NUMBER, MEMBER(stderr_ns) },
	{ "sampled_self_ns", OTHER, JOINED, COLUMN_NUMBER, MEMBER(sampled_ns) },
};

static const void *member_of(const struct calls_row *row, const struct column *column)
{
	return (const char *)row + column->detail;
}

static uint64_t number_of(const struct calls_row *row, const struct column *column)
{
	return *(const uint64_t *)member_of(row, column);
}

static const struct calls_row *rows_of(const struct filling *filling)
{
	return filling->rows;
}

static bool is_anywhere(const struct filling *filling, const struct column *column)
{
	for (size_t i = 0; i < filling->row_count; i++)
		if (number_of(&rows_of(filling)[i], column))
			return true;
	return false;
}

static bool has_samples(const struct filling *filling)
{
	for (size_t i = 0; i < filling->row_count; i++)
		if (rows_of(filling)[i].sampled_ns >= 0)
			return true;
	return false;
}

static bool has_waits(const struct filling *filling)
{
	for (size_t i = 0; i < filling->row_count; i++)
		if (rows_of(filling)[i].watched || rows_of(filling)[i].waiting != 0)
			return true;
	return false;
}

static bool is_by_caller(const struct calls *calls)
{
	return calls->callers || calls->by == CALLS_BY_CALLING_OBJECT;
}

/* An object that stands for its functions is its own caller. */
static bool has_sites(const struct filling *filling)
{
	for (size_t i = 0; i < filling->row_count; i++)
		if (rows_of(filling)[i].caller != rows_of(filling)[i].caller_object)
			return true;
	return false;
}

static bool applies(const struct filling *filling, const struct column *column)
{
	const struct calls *calls = filling->source;

	switch ((enum when)column->when) {
	case BY_CALLER:
		return is_by_caller(calls);
	case BY_SITE:
		return is_by_caller(calls) && has_sites(filling);
	case BY_THREAD:
		return calls->by == CALLS_BY_THREAD;
	case BY_PROCESS:
		return calls->by == CALLS_BY_PROCESS;
	case BY_EITHER:
		return calls->by == CALLS_BY_THREAD || calls->by == CALLS_BY_PROCESS;
	case BY_LABEL:
		return calls->by == CALLS_BY_LABEL;
	case TIMED:
		return !calls->counted;
	case SPREAD:
		return !calls->counted && !calls->event;
	case CLOCKED:
		return !calls->event;
	case ALL_TIMED:
		return !calls->counted && !calls->sampled;
	case SAMPLED:
		return calls->sampled;
	case WAITED:
		return !calls->counted && has_waits(filling);
	case EXCEPTION:
		return !calls->counted && !calls->sampled && is_anywhere(filling, column);
	case ANY:
		return is_anywhere(filling, column);
	case JOINED:
		return calls->joined;
	case FOUND:
		return calls->joined && has_samples(filling);
	case ALWAYS:
		break;
	}
	return true;
}

/* Prints an amount that need not be whole; below 0: there is no value. */
static const char *print_mean(const struct calls *calls, struct cell *cell, double amount,
			      const char *format)
{
	if (amount < 0)
		return NULL;
	return cell->human ? units_amount(cell->room, amount, calls->event)
			   : cell_double(cell, format, amount);
}

static const char *print_amount(const struct calls *calls, struct cell *cell, uint64_t amount)
{
	return cell_amount(cell, amount, calls->event);
}

static const char *print_waiting(struct cell *cell, const struct calls_row *row)
{
	if (row->waiting < 0 || row->total_unknown)
		return NULL;
	return cell->human ? units_share(cell->room, row->waiting, 1)
			   : cell_double(cell, "%.4g", row->waiting);
}

static const char *print(const struct filling *filling, const void *of, const struct column *column,
			 struct cell *cell)
{
	const struct calls *calls = filling->source;
	const struct calls_row *row = of;
	bool is_time = column->what == TIME || column->what == MEAN || column->what == TOTAL ||
		       column->what == SELF || column->what == SHARE || column->what == WAITING;

	if (is_time && !row->timed)
		return NULL;
	switch ((enum what)column->what) {
	case TEXT:
		return *(const char *const *)member_of(row, column);
	case COUNT:
		return cell_count(cell, number_of(row, column));
	case TOTAL:
		return row->total_unknown ? NULL : print_amount(calls, cell, row->total_ns);
	case SELF:
		return calls->sampled ? NULL : print_amount(calls, cell, row->self_ns);
	case TIME:
		return print_amount(calls, cell, number_of(row, column));
	case MEAN:
		return print_mean(calls, cell, *(const double *)member_of(row, column), "%.1f");
	case SHARE:
		return units_share(cell->room, (double)row->self_ns, (double)calls->totals.self_ns);
	case WAITING:
		return print_waiting(cell, row);
	case OTHER:
		return print_mean(calls, cell, *(const double *)member_of(row, column), "%.0f");
	case PID:
		return row->process ? cell_number(cell, row->process->pid) : NULL;
	case TID:
		return row->thread ? cell_number(cell, row->thread->tid) : NULL;
	case COMMAND:
		break;
	}
	return calls_table_command(cell, row->process);
}

static struct table_look look(const struct filling *filling, const void *row)
{
	return table_look_of((double)((const struct calls_row *)row)->self_ns,
			     (double)((const struct calls *)filling->source)->totals.self_ns);
}

static const struct columns_report report = {
	.name = "calls",
	.for_people = COLUMN_LIST(for_people),
	.for_programs = COLUMN_LIST(for_programs),
	.applies = applies,
	.print = print,
	.look = look,
};

int calls_table_make(struct table *table, const struct calls *calls, size_t rows, bool human,
		     struct err *err)
{
	struct filling filling = FILLING(calls, calls->rows, calls->count, rows, human);

	int status = columns_fill(table, &report, &filling, err);

	if (!status && calls->groups)
		table_rename(table, LABEL_COLUMN, calls->groups->key);
	return !status && calls->event ? event_columns_name(table, calls->event, human, err)
				       : status;
}

const char *calls_table_command(struct cell *cell, const struct record_process *process)
{
	char *text;

	if (!process)
		return NULL;
	text = malloc(sizeof(process->command));
	if (text)
		calls_table_join(text, process->command, sizeof(process->command));
	return cell_own(cell, text);
}

void calls_table_join(char *text, const char *arguments, size_t size)
{
	size_t end = size;

	while (end && arguments[end - 1] == '\0')
		end--;
	memmove(text, arguments, end);
	for (size_t i = 0; i < end; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	text[size && end == size ? size - 1 : end] = '\0';
}
