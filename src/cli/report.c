/* SPDX-License-Identifier: MIT */
#include "cli/report.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/decimal.h"
#include "cli/cmd.h"
#include "model/calls_sort.h"
#include "output/calls_summary.h"
#include "output/calls_table.h"

/* Rows that a person looks at. */
#define USUAL_LIMIT 40

int report_take_sort(struct report_options *options, const char *verb, const char *value)
{
	if (!calls_sort_known(value))
		return cmd_fail(verb, "there is no column '%s' to sort by: " CALLS_SORT_COLUMNS,
				value);
	options->sort = value;
	return 0;
}

int report_take_limit(struct report_options *options, const char *verb, const char *value)
{
	uint64_t limit;

	if (!decimal_parse(value, SIZE_MAX, &limit))
		return cmd_fail(verb, "'%s' is no number of rows", value);
	options->limit = (size_t)limit;
	options->has_limit = true;
	return 0;
}

int report_take_format(struct report_options *options, const char *verb, const char *value)
{
	if (!table_format_parse(value, &options->format))
		return cmd_fail(verb, "there is no format '%s': text, json or csv", value);
	return 0;
}

/* That the recording tells apart what is to have rows of its own. */
static int check_by(const struct reader *reader, enum calls_by by, struct err *err)
{
	if (by == CALLS_BY_CALLER && !(reader->header.flags & RECORD_BY_CALLER))
		return err_set(err, EINVAL,
			       "'%s' does not tell callers apart: record it with --by-caller",
			       reader->path);
	if (by != CALLS_BY_THREAD)
		return 0;
	for (size_t i = 0; i < reader->count; i++)
		if (reader->segments[i].kind == RECORD_THREAD &&
		    reader_thread(&reader->segments[i])->users > 1)
			return err_set(err, EINVAL,
				       "'%s' does not tell threads apart: record it with "
				       "--by-thread",
				       reader->path);
	return 0;
}

/* Columns of the terminal; 0: it is none. */
static size_t width_of(FILE *out)
{
	struct winsize size;
	int fd = fileno(out);

	return fd >= 0 && isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static size_t rows_of(const struct report_options *options)
{
	size_t limit = options->format == TABLE_TEXT ? USUAL_LIMIT : 0;

	if (options->has_limit)
		limit = options->limit;
	return limit ? limit : SIZE_MAX;
}

static int write_text(const struct reader *reader, const struct calls *calls, size_t rows,
		      FILE *out, struct err *err)
{
	struct calls_table table;
	int status = calls_table_for_people(&table, calls, rows, err);

	if (status)
		return status;
	table.table.width = width_of(out);
	table_write(&table.table, TABLE_TEXT, out);
	table_fini(&table.table);
	if (calls->count > rows)
		fprintf(out, "... and %zu rows more; --limit 0 shows all\n", calls->count - rows);
	putc('\n', out);
	calls_summary_write(reader, calls, out);
	return 0;
}

static int write_data(const struct reader *reader, const struct calls *calls, size_t rows,
		      enum table_format format, FILE *out, struct err *err)
{
	struct calls_table table;
	int status = calls_table_for_programs(&table, calls, rows, err);

	if (status)
		return status;
	status = calls_summary_add_meta(&table.table, reader, calls, err);
	if (!status)
		table_write(&table.table, format, out);
	table_fini(&table.table);
	return status;
}

int report_write(const struct reader *reader, const struct report_options *options, FILE *out,
		 struct err *err)
{
	struct calls calls;
	size_t rows = rows_of(options);
	int status = check_by(reader, options->by, err);

	if (!status)
		status = calls_merge(&calls, reader, options->by, err);
	if (status)
		return status;
	calls_sort(&calls, options->sort);
	if (options->format == TABLE_TEXT)
		status = write_text(reader, &calls, rows, out, err);
	else
		status = write_data(reader, &calls, rows, options->format, out, err);
	calls_free(&calls);
	return status;
}

void report_note_unmatched(const struct reader *reader, const char *verb)
{
	static const char *const options[] = {
		[RECORD_CHOOSE] = "-f", [RECORD_EXCLUDE] = "-x", [RECORD_FROM] = "--from"
	};
	const struct reader_segment *setup = reader_first(reader, RECORD_SETUP);
	const struct record_item *item = NULL;

	while ((item = reader_next(setup, item))) {
		const struct record_spec *spec = (const struct record_spec *)item;

		if (item->kind == RECORD_SPEC && !spec->matched && spec->role >= RECORD_CHOOSE &&
		    spec->role <= RECORD_FROM)
			cmd_note(verb, "%s '%s' matched nothing that the program has used",
				 options[spec->role], spec->text);
	}
}
