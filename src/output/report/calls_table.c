/* SPDX-License-Identifier: MIT */
#include "calls_table.h"

#include <inttypes.h>
#include <string.h>

#include "output/table/units.h"

/* When a table has a column. */
enum when {
	ALWAYS,
	BY_CALLER,
	BY_THREAD,
	BY_PROCESS,
	BY_EITHER, /* of the two above */
	TIMED,     /* not for --count */
	ALL_TIMED, /* nor for --sample-timing */
	SAMPLED,
	ANY,       /* if it is not 0 in all rows shown */
	EXCEPTION, /* the same, where it is not the rule anyhow */
	JOINED,    /* if there are samples as well */
	FOUND,     /* and some row that is shown has any */
};

/* What a cell shows, and of which type that is in a row. */
enum what {
	TEXT,  /* const char *; NULL: no value */
	COUNT, /* uint64_t */
	TIME,  /* uint64_t; no value where nothing returned, as in what follows */
	MEAN,  /* double, a time; below 0: no value */
	TOTAL, /* uint64_t, a time; no value if total_unknown */
	SELF,  /* uint64_t, a time; no value if sampled */
	SHARE, /* uint64_t, of the self time of all */
	OTHER, /* double, a time that calls do not tell; below 0: no value */
	PID,   /* of the process, as is COMMAND; TID is of the thread */
	TID,
	COMMAND,
};

struct column {
	const char *name;
	enum what what;
	enum when when;
	size_t member; /* offset in struct calls_row */
	unsigned flags;
};

#define MEMBER(member) offsetof(struct calls_row, member)

static const struct column for_people[] = {
	{ "calls", COUNT, ALWAYS, MEMBER(calls), COLUMN_NUMBER },
	{ "total", TOTAL, TIMED, MEMBER(total_ns), COLUMN_NUMBER },
	{ "self", SELF, ALL_TIMED, MEMBER(self_ns), COLUMN_NUMBER },
	{ "sampled", OTHER, FOUND, MEMBER(sampled_ns), COLUMN_NUMBER },
	{ "mean", MEAN, TIMED, MEMBER(mean_ns), COLUMN_NUMBER },
	{ "+-", MEAN, SAMPLED, MEMBER(stderr_ns), COLUMN_NUMBER },
	{ "p50", TIME, TIMED, MEMBER(p50_ns), COLUMN_NUMBER },
	{ "p99", TIME, TIMED, MEMBER(p99_ns), COLUMN_NUMBER },
	{ "max", TIME, TIMED, MEMBER(max_ns), COLUMN_NUMBER },
	{ "share", SHARE, ALL_TIMED, MEMBER(self_ns), COLUMN_NUMBER | COLUMN_STYLED },
	{ "escaped", COUNT, ANY, MEMBER(escaped), COLUMN_NUMBER },
	{ "abandoned", COUNT, ANY, MEMBER(abandoned), COLUMN_NUMBER },
	{ "untimed", COUNT, EXCEPTION, MEMBER(untimed), COLUMN_NUMBER },
	{ "pid", PID, BY_EITHER, 0, COLUMN_NUMBER },
	{ "tid", TID, BY_THREAD, 0, COLUMN_NUMBER },
	{ "function", TEXT, ALWAYS, MEMBER(name), COLUMN_GIVES | COLUMN_STYLED },
	{ "library", TEXT, ALWAYS, MEMBER(object), COLUMN_GIVES_TOO | COLUMN_DIM },
	{ "caller", TEXT, BY_CALLER, MEMBER(caller), COLUMN_GIVES_TOO },
	{ "command", COMMAND, BY_PROCESS, 0, COLUMN_GIVES_TOO },
};

static const struct column for_programs[] = {
	{ "name", TEXT, ALWAYS, MEMBER(name), 0 },
	{ "symbol", TEXT, ALWAYS, MEMBER(symbol), 0 },
	{ "version", TEXT, ALWAYS, MEMBER(version), 0 },
	{ "object", TEXT, ALWAYS, MEMBER(object), 0 },
	{ "caller", TEXT, BY_CALLER, MEMBER(caller), 0 },
	{ "pid", PID, BY_EITHER, 0, COLUMN_NUMBER },
	{ "tid", TID, BY_THREAD, 0, COLUMN_NUMBER },
	{ "command", COMMAND, BY_PROCESS, 0, 0 },
	{ "calls", COUNT, ALWAYS, MEMBER(calls), COLUMN_NUMBER },
	{ "returned", COUNT, ALWAYS, MEMBER(returned), COLUMN_NUMBER },
	{ "escaped", COUNT, ALWAYS, MEMBER(escaped), COLUMN_NUMBER },
	{ "abandoned", COUNT, ALWAYS, MEMBER(abandoned), COLUMN_NUMBER },
	{ "untimed", COUNT, ALWAYS, MEMBER(untimed), COLUMN_NUMBER },
	{ "running", COUNT, ALWAYS, MEMBER(running), COLUMN_NUMBER },
	{ "total_ns", TOTAL, ALWAYS, MEMBER(total_ns), COLUMN_NUMBER },
	{ "self_ns", SELF, ALWAYS, MEMBER(self_ns), COLUMN_NUMBER },
	{ "min_ns", TIME, ALWAYS, MEMBER(min_ns), COLUMN_NUMBER },
	{ "max_ns", TIME, ALWAYS, MEMBER(max_ns), COLUMN_NUMBER },
	{ "mean_ns", MEAN, ALWAYS, MEMBER(mean_ns), COLUMN_NUMBER },
	{ "p50_ns", TIME, ALWAYS, MEMBER(p50_ns), COLUMN_NUMBER },
	{ "p90_ns", TIME, ALWAYS, MEMBER(p90_ns), COLUMN_NUMBER },
	{ "p99_ns", TIME, ALWAYS, MEMBER(p99_ns), COLUMN_NUMBER },
	{ "timed", COUNT, SAMPLED, MEMBER(returned), COLUMN_NUMBER },
	{ "stderr_ns", MEAN, SAMPLED, MEMBER(stderr_ns), COLUMN_NUMBER },
	{ "sampled_self_ns", OTHER, JOINED, MEMBER(sampled_ns), COLUMN_NUMBER },
};

/* A table while it is filled. */
struct filling {
	const struct calls *calls;
	size_t rows;                                     /* how many of them are shown */
	const struct column *columns[TABLE_COLUMNS_MAX]; /* those that apply */
	size_t count;
	bool human; /* units and thousands, for people */
};

/* A text of a row's own, or room for one that is made. */
struct cell {
	char room[sizeof(((struct record_process *)0)->command)];
};

_Static_assert(sizeof(struct cell) >= UNITS_BYTES, "a cell has room for any number");

static const void *member_of(const struct calls_row *row, const struct column *column)
{
	return (const char *)row + column->member;
}

static uint64_t number_of(const struct calls_row *row, const struct column *column)
{
	return *(const uint64_t *)member_of(row, column);
}

static bool is_anywhere(const struct filling *filling, const struct column *column)
{
	for (size_t i = 0; i < filling->rows; i++)
		if (number_of(&filling->calls->rows[i], column))
			return true;
	return false;
}

static bool has_samples(const struct filling *filling)
{
	for (size_t i = 0; i < filling->rows; i++)
		if (filling->calls->rows[i].sampled_ns >= 0)
			return true;
	return false;
}

static bool applies(const struct filling *filling, const struct column *column)
{
	const struct calls *calls = filling->calls;

	switch (column->when) {
	case BY_CALLER:
		return calls->by == CALLS_BY_CALLER;
	case BY_THREAD:
		return calls->by == CALLS_BY_THREAD;
	case BY_PROCESS:
		return calls->by == CALLS_BY_PROCESS;
	case BY_EITHER:
		return calls->by == CALLS_BY_THREAD || calls->by == CALLS_BY_PROCESS;
	case TIMED:
		return !calls->counted;
	case ALL_TIMED:
		return !calls->counted && !calls->sampled;
	case SAMPLED:
		return calls->sampled;
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

static const char *print_plain(uint64_t number, char *room)
{
	snprintf(room, UNITS_BYTES, "%" PRIu64, number);
	return room;
}

static const char *print_number(const struct filling *filling, uint64_t number, char *room)
{
	return filling->human ? units_count(room, number) : print_plain(number, room);
}

static const char *print_time(const struct filling *filling, double ns, bool whole, char *room)
{
	if (ns < 0)
		return NULL;
	if (filling->human)
		return units_time(room, ns);
	snprintf(room, UNITS_BYTES, "%.*f", whole ? 0 : 1, ns);
	return room;
}

/* NULL: there is no value. */
static const char *print(const struct filling *filling, const struct calls_row *row,
			 const struct column *column, char *room)
{
	bool is_time = column->what == TIME || column->what == MEAN || column->what == TOTAL ||
		       column->what == SELF || column->what == SHARE;

	if (is_time && !row->timed)
		return NULL;
	switch (column->what) {
	case TEXT:
		return *(const char *const *)member_of(row, column);
	case COUNT:
		return print_number(filling, number_of(row, column), room);
	case TOTAL:
		return row->total_unknown ? NULL
					  : print_time(filling, (double)row->total_ns, true, room);
	case SELF:
		return filling->calls->sampled
			       ? NULL
			       : print_time(filling, (double)row->self_ns, true, room);
	case TIME:
		return print_time(filling, (double)number_of(row, column), true, room);
	case MEAN:
		return print_time(filling, *(const double *)member_of(row, column), false, room);
	case SHARE:
		return units_share(room, (double)row->self_ns,
				   (double)filling->calls->totals.self_ns);
	case OTHER:
		return print_time(filling, *(const double *)member_of(row, column), true, room);
	case PID:
		return row->process ? print_plain(row->process->pid, room) : NULL;
	case TID:
		return row->thread ? print_plain(row->thread->tid, room) : NULL;
	case COMMAND:
		break;
	}
	if (!row->process)
		return NULL;
	calls_table_join(room, row->process->command, sizeof(row->process->command));
	return room;
}

static int add_row(struct table *table, const struct filling *filling, const struct calls_row *row)
{
	const char *texts[TABLE_COLUMNS_MAX];
	struct cell cells[TABLE_COLUMNS_MAX];

	for (size_t i = 0; i < filling->count; i++)
		texts[i] = print(filling, row, filling->columns[i], cells[i].room);
	return table_add_looking(
		table, texts,
		table_look_of((double)row->self_ns, (double)filling->calls->totals.self_ns));
}

/* Those of the columns that apply, and the rows. */
static int fill(struct calls_table *table, struct filling *filling, const struct column *columns,
		size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!applies(filling, &columns[i]))
			continue;
		table->columns[filling->count].name = columns[i].name;
		table->columns[filling->count].flags = columns[i].flags;
		filling->columns[filling->count++] = &columns[i];
	}
	table_init(&table->table, "calls", table->columns, filling->count);
	for (size_t i = 0; i < filling->rows; i++) {
		if (add_row(&table->table, filling, &filling->calls->rows[i])) {
			table_fini(&table->table);
			return err_no_memory(err);
		}
	}
	return 0;
}

int calls_table_for_people(struct calls_table *table, const struct calls *calls, size_t rows,
			   struct err *err)
{
	struct filling filling = { .calls = calls,
				   .rows = rows < calls->count ? rows : calls->count,
				   .human = true };

	return fill(table, &filling, for_people, sizeof(for_people) / sizeof(for_people[0]), err);
}

int calls_table_for_programs(struct calls_table *table, const struct calls *calls, size_t rows,
			     struct err *err)
{
	struct filling filling = { .calls = calls,
				   .rows = rows < calls->count ? rows : calls->count };

	return fill(table, &filling, for_programs, sizeof(for_programs) / sizeof(for_programs[0]),
		    err);
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
