/* SPDX-License-Identifier: MIT */
#include "top_batch.h"

#include <string.h>

#include "output/table/table.h"
#include "output/table/units.h"

/* Writes the head lines without the blanks that fill a line of the screen. */
static void write_heads(const struct top_facts *facts, const struct top_state *state, FILE *out)
{
	char text[TOP_TEXT_BYTES];

	for (int i = 0; i < TOP_TEXT_HEADS; i++) {
		size_t length;

		top_text_head(text, facts, state, i, TOP_TEXT_COLUMNS);
		length = strlen(text);
		while (length && text[length - 1] == ' ')
			length--;
		fprintf(out, "%.*s\n", (int)length, text);
	}
}

/* Rows of each kind have these cells; waiting only where it is sampled. */
static const struct table_column of_functions[] = {
	{ "self", COLUMN_NUMBER },
	{ "total", COLUMN_NUMBER | COLUMN_DROPS_2ND },
	{ "waiting", COLUMN_NUMBER },
	{ "function", COLUMN_GIVES | COLUMN_FUNCTION },
	{ "object", COLUMN_GIVES_TOO | COLUMN_DROPS_1ST },
};
static const struct table_column of_threads[] = {
	{ "cpu", COLUMN_NUMBER },   { "share", COLUMN_NUMBER }, { "waiting", COLUMN_NUMBER },
	{ "thread", COLUMN_GIVES }, { "tid", COLUMN_NUMBER },   { "pid", COLUMN_NUMBER },
};
static const struct table_column of_programs[] = {
	{ "cpu", COLUMN_NUMBER },    { "share", COLUMN_NUMBER },     { "waiting", COLUMN_NUMBER },
	{ "program", COLUMN_GIVES }, { "processes", COLUMN_NUMBER },
};

static const struct kind {
	const char *name;
	const struct table_column *columns;
	size_t count;
} kinds[] = {
	[LIVE_FUNCTIONS] = { "functions", of_functions, 5 },
	[LIVE_THREADS] = { "threads", of_threads, 6 },
	[LIVE_PROGRAMS] = { "programs", of_programs, 5 },
	[LIVE_AROUND] = { "functions", of_functions, 5 },
};

#define WAITING 2 /* its column */

static int add_row(struct table *table, const struct live_row *row, enum live_by by,
		   const struct live_window *window)
{
	char left[UNITS_BYTES], right[UNITS_BYTES], waiting[UNITS_BYTES], number[32], pid[32];
	const char *cells[] = { left, right, waiting, row->name, row->object, pid };

	top_text_figures(left, right, waiting, row, by, window);
	snprintf(number, sizeof(number), "%u", by == LIVE_THREADS ? row->tid : row->processes);
	snprintf(pid, sizeof(pid), "%u", row->pid);
	if (!row->object)
		cells[4] = number;
	return table_add(table, cells);
}

int top_batch_write(const struct top_facts *facts, const struct top_state *state,
		    const struct live_rows *rows, const struct live_window *window, size_t limit,
		    FILE *out)
{
	enum live_by by = state->views[state->depth - 1].by;
	struct table table;
	int status = 0;

	table_init(&table, kinds[by].name, kinds[by].columns, kinds[by].count);
	if (!state->has_waiting)
		table.columns[WAITING].flags |= COLUMN_DATA;
	table.terminal = terminal_of(out, TERMINAL_COLOR_NEVER);
	table.terminal.long_names = state->long_names;
	for (size_t i = 0; i < rows->count && i < limit && !status; i++)
		status = add_row(&table, &rows->rows[i], by, window);
	if (!status) {
		write_heads(facts, state, out);
		table_write(&table, TABLE_TEXT, out);
		putc('\n', out);
		fflush(out);
	}
	table_fini(&table);
	return status;
}
