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

static int add_row(struct table *table, const struct live_row *row, enum live_by by,
		   const struct live_window *window)
{
	double whole = (double)window->amount.ns;
	char left[UNITS_BYTES], right[UNITS_BYTES], tid[32], pid[32];
	const char *functions[] = { left, right, row->name, row->object };
	const char *threads[] = { left, right, row->name, tid, pid };

	units_share(left, (double)row->self.ns, by == LIVE_THREADS ? window->seconds * 1e9 : whole);
	units_share(right, (double)row->total.ns, whole);
	snprintf(tid, sizeof(tid), "%u", row->tid);
	snprintf(pid, sizeof(pid), "%u", row->pid);
	return table_add(table, by == LIVE_THREADS ? threads : functions);
}

int top_batch_write(const struct top_facts *facts, const struct top_state *state,
		    const struct live_rows *rows, const struct live_window *window, size_t limit,
		    FILE *out)
{
	static const struct table_column functions[] = { { "self", COLUMN_NUMBER },
							 { "total", COLUMN_NUMBER },
							 { "function", COLUMN_FUNCTION },
							 { "object", 0 } };
	static const struct table_column threads[] = { { "cpu", COLUMN_NUMBER },
						       { "share", COLUMN_NUMBER },
						       { "thread", 0 },
						       { "tid", COLUMN_NUMBER },
						       { "pid", COLUMN_NUMBER } };
	enum live_by by = state->views[state->depth - 1].by;
	struct table table;
	int status = 0;

	if (by == LIVE_THREADS)
		table_init(&table, "threads", threads, sizeof(threads) / sizeof(threads[0]));
	else
		table_init(&table, "functions", functions,
			   sizeof(functions) / sizeof(functions[0]));
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
