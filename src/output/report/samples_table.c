/* SPDX-License-Identifier: MIT */
#include "samples_table.h"

#include <inttypes.h>
#include <string.h>

#include "calls_table.h"
#include "output/table/units.h"

/* Which rows have a column: a bit for each enum profile_by. */
enum when {
	BY_FUNCTION = 1 << PROFILE_BY_FUNCTION,
	BY_LINE = 1 << PROFILE_BY_LINE,
	BY_OBJECT = 1 << PROFILE_BY_OBJECT,
	BY_THREAD = 1 << PROFILE_BY_THREAD,
	BY_PROCESS = 1 << PROFILE_BY_PROCESS,
	ALWAYS = BY_FUNCTION | BY_LINE | BY_OBJECT | BY_THREAD | BY_PROCESS,
	STACKS = 1 << 8,  /* and only if there are stacks; else it would be the same as another */
	JOINED = 1 << 9,  /* and only if there are calls as well */
	CALLED = 1 << 10, /* and only if some row that is shown has any */
	TIMED = 1 << 11,  /* and only if some of these have times */
};

/* What a cell shows. */
enum what {
	NAME,
	SYMBOL,
	OBJECT,
	FILE_AND_LINE, /* of the file, the last part of its path */
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
	PID,
	TID,
	COMMAND
};

struct column {
	const char *name;
	enum what what;
	unsigned when; /* enum when */
	unsigned flags;
};

static const struct column for_people[] = {
	{ "self", SELF_NS, ALWAYS, COLUMN_NUMBER },
	{ "total", TOTAL_NS, BY_FUNCTION | BY_LINE | BY_OBJECT | STACKS, COLUMN_NUMBER },
	{ "samples", SELF_SAMPLES, ALWAYS, COLUMN_NUMBER },
	{ "share", SHARE, ALWAYS, COLUMN_NUMBER | COLUMN_STYLED },
	{ "", BAR, ALWAYS, COLUMN_BAR },
	{ "calls", CALLS, BY_FUNCTION | CALLED, COLUMN_NUMBER },
	{ "mean", MEAN, BY_FUNCTION | TIMED, COLUMN_NUMBER },
	{ "pid", PID, BY_THREAD | BY_PROCESS, COLUMN_NUMBER },
	{ "tid", TID, BY_THREAD, COLUMN_NUMBER },
	{ "function", NAME, BY_FUNCTION | BY_LINE, COLUMN_GIVES | COLUMN_STYLED },
	{ "line", FILE_AND_LINE, BY_LINE, 0 },
	{ "object", OBJECT, BY_FUNCTION | BY_LINE, COLUMN_GIVES_TOO | COLUMN_DIM },
	{ "object", NAME, BY_OBJECT, COLUMN_GIVES | COLUMN_STYLED },
	{ "thread", NAME, BY_THREAD, COLUMN_GIVES | COLUMN_STYLED },
	{ "command", COMMAND, BY_PROCESS, COLUMN_GIVES | COLUMN_STYLED },
};

static const struct column for_programs[] = {
	{ "name", NAME, ALWAYS, 0 },
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
	{ "calls", CALLS, BY_FUNCTION | JOINED, COLUMN_NUMBER },
	{ "mean_ns", MEAN, BY_FUNCTION | JOINED, COLUMN_NUMBER },
};

/* A table while it is filled. */
struct filling {
	const struct samples_source *source;
	const struct column *columns[TABLE_COLUMNS_MAX]; /* those that apply */
	size_t count;
	bool human; /* units and thousands, for people */
};

/* Room for a text that is made. */
struct cell {
	char room[sizeof(((struct record_process *)0)->command)];
};

_Static_assert(sizeof(struct cell) >= UNITS_BYTES, "a cell has room for any number");

static bool has_calls(const struct samples_source *source, bool timed)
{
	const struct profile_rows *rows = source->rows;

	for (size_t i = 0; i < rows->count && i < source->limit; i++)
		if (rows->rows[i].calls && (!timed || rows->rows[i].mean_ns >= 0))
			return true;
	return false;
}

static bool applies(const struct samples_source *source, const struct column *column)
{
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

static const char *print_plain(uint64_t number, char *room)
{
	snprintf(room, UNITS_BYTES, "%" PRIu64, number);
	return room;
}

static const char *print_number(const struct filling *filling, uint64_t number, char *room)
{
	return filling->human ? units_count(room, number) : print_plain(number, room);
}

static const char *print_time(const struct filling *filling, uint64_t ns, char *room)
{
	return filling->human ? units_time(room, (double)ns) : print_plain(ns, room);
}

/* As the table of calls has it. */
static const char *print_mean(const struct filling *filling, const struct profile_row *row,
			      char *room)
{
	if (!row->calls || row->mean_ns < 0)
		return NULL;
	if (filling->human)
		return units_time(room, row->mean_ns);
	snprintf(room, UNITS_BYTES, "%.1f", row->mean_ns);
	return room;
}

static const char *print_command(const struct profile_row *row, char *room)
{
	if (!row->process)
		return NULL;
	calls_table_join(room, row->process->command, sizeof(row->process->command));
	return room;
}

static const char *print_line(const struct profile_row *row, struct cell *cell)
{
	const char *slash = row->source ? strrchr(row->source, '/') : NULL;
	const char *title = slash ? slash + 1 : row->source;

	if (!row->source)
		return NULL;
	if (row->line)
		snprintf(cell->room, sizeof(cell->room), "%s:%" PRIu32, title, row->line);
	return row->line ? cell->room : title;
}

/* NULL: there is no value. */
static const char *print(const struct filling *filling, const struct profile_row *row,
			 enum what what, struct cell *cell)
{
	char *room = cell->room;

	switch (what) {
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
		return row->line ? print_plain(row->line, room) : NULL;
	case SELF_NS:
		return print_time(filling, row->self.ns, room);
	case TOTAL_NS:
		return print_time(filling, row->total.ns, room);
	case SELF_SAMPLES:
		return print_number(filling, row->self.samples, room);
	case TOTAL_SAMPLES:
		return print_number(filling, row->total.samples, room);
	case SHARE:
		return units_share(room, (double)row->self.ns,
				   (double)filling->source->profile->totals.kept.ns);
	case BAR:
		return NULL;
	case CALLS:
		return row->calls ? print_number(filling, row->calls, room) : NULL;
	case MEAN:
		return print_mean(filling, row, room);
	case PID:
		return row->process ? print_plain(row->process->pid, room) : NULL;
	case TID:
		return print_plain(row->tid, room);
	case COMMAND:
		break;
	}
	return print_command(row, room);
}

static int add_row(struct table *table, const struct filling *filling,
		   const struct profile_row *row)
{
	const char *texts[TABLE_COLUMNS_MAX];
	struct cell cells[TABLE_COLUMNS_MAX];

	for (size_t i = 0; i < filling->count; i++)
		texts[i] = print(filling, row, filling->columns[i]->what, &cells[i]);
	return table_add_looking(table, texts,
				 table_look_of((double)row->self.ns,
					       (double)filling->source->profile->totals.kept.ns));
}

/* Those of the columns that apply, and the rows. */
static int fill(struct samples_table *table, struct filling *filling, const struct column *columns,
		size_t count, struct err *err)
{
	const struct profile_rows *rows = filling->source->rows;

	for (size_t i = 0; i < count; i++) {
		if (!applies(filling->source, &columns[i]))
			continue;
		table->columns[filling->count].name = columns[i].name;
		table->columns[filling->count].flags = columns[i].flags;
		filling->columns[filling->count++] = &columns[i];
	}
	table_init(&table->table, "samples", table->columns, filling->count);
	for (size_t i = 0; i < rows->count && i < filling->source->limit; i++) {
		if (add_row(&table->table, filling, &rows->rows[i])) {
			table_fini(&table->table);
			return err_no_memory(err);
		}
	}
	return 0;
}

int samples_table_for_people(struct samples_table *table, const struct samples_source *source,
			     struct err *err)
{
	struct filling filling = { .source = source, .human = true };

	return fill(table, &filling, for_people, sizeof(for_people) / sizeof(for_people[0]), err);
}

int samples_table_for_programs(struct samples_table *table, const struct samples_source *source,
			       struct err *err)
{
	struct filling filling = { .source = source };

	return fill(table, &filling, for_programs, sizeof(for_programs) / sizeof(for_programs[0]),
		    err);
}
