/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "cli/cmd.h"
#include "next_steps.h"
#include "report_filter.h"
#include "report_part.h"
#include "model/calls/calls_sort.h"
#include "model/profile/join.h"
#include "output/report/calls_summary.h"
#include "output/report/calls_table.h"
#include "output/report/calls_tree_table.h"
#include "output/report/run_summary.h"
#include "output/report/samples_summary.h"
#include "output/table/printable.h"
#include "output/table/units.h"
#include "recording/make/finish.h"
#include "recording/read/specs.h"

/* The default number of rows. */
#define USUAL_LIMIT 40

int report_take_sort(struct report_options *options, const char *verb, const char *value)
{
	if (!calls_sort_known(value) && !profile_sort_known(value))
		return cmd_fail(verb,
				"unknown --sort column \'%s\' (samples: " PROFILE_SORT_COLUMNS
				"; calls: " CALLS_SORT_COLUMNS ")",
				value);
	options->sort = value;
	return 0;
}

int report_take_limit(struct report_options *options, const char *verb, const char *value)
{
	uint64_t limit;

	if (!decimal_parse(value, SIZE_MAX, &limit))
		return cmd_fail(verb, "invalid limit '%s': must be a number of rows; 0 means all",
				value);
	options->limit = (size_t)limit;
	options->has_limit = true;
	return 0;
}

int report_take_format(struct report_options *options, const char *verb, const char *value)
{
	if (!table_format_parse(value, &options->format))
		return cmd_fail(verb, "unknown format '%s' (expected text, json or csv)", value);
	return 0;
}

/* Checks that the recording distinguishes what is to have rows of its own. If it has samples, the
 * shape may be meant for these. */
static int check_by(const struct reader *reader, const struct report_options *options,
		    struct err *err)
{
	enum calls_by by = options->by;

	if (options->shape == REPORT_TREE && !calls_tree_exists(reader) && !profile_exists(reader))
		return err_set(err, EINVAL,
			       "'%s' contains no tree of calls: record it with dwell calls --tree",
			       reader->path);
	if ((by == CALLS_BY_CALLER || by == CALLS_BY_CALLING_OBJECT) &&
	    !(reader->header.flags & RECORD_BY_CALLER))
		return err_set(err, EINVAL, "'%s' contains no callers: record it with --by-caller",
			       reader->path);
	if (by != CALLS_BY_THREAD)
		return 0;
	for (size_t i = 0; i < reader->count; i++)
		if (reader->segments[i].kind == RECORD_THREAD &&
		    reader_thread(&reader->segments[i])->users > 1)
			return err_set(
				err, EINVAL,
				"'%s' contains no calls per thread: record it with --by-thread",
				reader->path);
	return 0;
}

size_t report_rows(const struct report_options *options, size_t usual)
{
	size_t limit = options->format == TABLE_TEXT ? usual : 0;

	if (options->has_limit)
		limit = options->limit;
	return limit ? limit : SIZE_MAX;
}

double report_threshold(const struct report_options *options)
{
	const double usual = 0.01;

	return options->has_threshold ? options->threshold : usual;
}

void report_write_rows(struct table *table, const struct terminal *terminal, size_t all,
		       size_t shown, FILE *out)
{
	table->terminal = *terminal;
	table_write(table, TABLE_TEXT, out);
	if (all > shown)
		fprintf(out, "... and %zu more rows; --limit 0 shows all\n", all - shown);
}

/* Both parts of a report; each may be missing. */
struct parts {
	const struct reader *reader;
	const struct report_options *options;
	struct report_samples *samples; /* NULL: none */
	struct calls *calls;
	struct calls_tree *tree;     /* in place of their rows; NULL: none */
	bool has_calls;              /* which are shown as text */
	const struct groups *groups; /* by label; NULL: none */
	struct terminal terminal;
};

/* Makes the table of calls: their rows, or their tree. Sets the number of rows that it may have. */
static int make_calls(const struct parts *parts, struct table *table, size_t *rows, bool human,
		      struct err *err)
{
	*rows = report_rows(parts->options, parts->tree ? REPORT_USUAL_NODES : USUAL_LIMIT);
	return parts->tree ? calls_tree_table_make(table, parts->tree, *rows, human, err)
			   : calls_table_make(table, parts->calls, *rows, human, err);
}

static int write_calls(const struct parts *parts, FILE *out, struct err *err)
{
	const struct calls *calls = parts->calls;
	struct table table;
	size_t rows;
	int status = make_calls(parts, &table, &rows, true, err);

	if (status)
		return status;
	report_write_rows(&table, &parts->terminal, parts->tree ? parts->tree->count : calls->count,
			  rows, out);
	if (parts->tree && parts->tree->left_out)
		fputs(REPORT_OMITTED, out);
	table_fini(&table);
	putc('\n', out);
	if (parts->samples)
		calls_summary_write_calls(parts->reader, calls, out);
	else
		calls_summary_write(parts->reader, calls, out);
	return 0;
}

static int write_text(const struct parts *parts, FILE *out, struct err *err)
{
	int status = 0;

	if (parts->samples)
		status = report_samples_write(parts->samples, &parts->terminal, out, err);
	if (!status && parts->samples && parts->has_calls)
		putc('\n', out);
	return !status && parts->has_calls ? write_calls(parts, out, err) : status;
}

/* Adds what both parts share to the first table's meta, for JSON. */
static int add_meta(const struct parts *parts, struct table *table, struct err *err)
{
	int status = calls_summary_add_meta(table, parts->reader, parts->calls, err);

	if (!status && parts->samples)
		status = samples_summary_add_meta(table, &parts->samples->profile, err);
	return status;
}

/* Writes the tables. In JSON both are present, even if empty; an empty CSV table would only get in
 * the way. */
static int write_tables(const struct parts *parts, struct table *samples, struct table *calls,
			FILE *out, struct err *err)
{
	bool is_json = parts->options->format == TABLE_JSON;
	const struct table *tables[2];
	size_t count = 0;
	int status = add_meta(parts, parts->samples || is_json ? samples : calls, err);

	if (parts->samples || is_json)
		tables[count++] = samples;
	if (parts->has_calls || is_json)
		tables[count++] = calls;
	if (!status)
		table_write_all(tables, count, parts->options->format, out);
	return status;
}

/* Makes the table of samples, or an empty one if there are none. */
static int make_samples(const struct parts *parts, struct table *none, struct table **table,
			struct err *err)
{
	static const struct table_column columns[] = { { "name", 0 } };

	table_init(none, "samples", columns, 1);
	*table = parts->samples ? &parts->samples->table : none;
	return parts->samples ? report_samples_make_table(parts->samples, err) : 0;
}

static int write_data(const struct parts *parts, FILE *out, struct err *err)
{
	struct table none, *samples, calls;
	size_t rows;
	int status = make_calls(parts, &calls, &rows, false, err);

	if (status)
		return status;
	status = make_samples(parts, &none, &samples, err);
	if (!status)
		status = write_tables(parts, samples, &calls, out, err);
	table_fini(&none);
	table_fini(&calls);
	return status;
}

/* Writes both parts, which have been read. */
static int write_parts(struct parts *parts, FILE *out, struct err *err)
{
	enum table_format format = parts->options->format;
	int status;

	parts->terminal = display_open(&parts->options->display, format, out);
	status = format == TABLE_TEXT ? write_text(parts, out, err) : write_data(parts, out, err);
	display_close();
	return status;
}

/* Recordings without samples were made by an older dwell, or are damaged. */
bool report_has_calls(const struct reader *reader)
{
	return !reader_first(reader, RECORD_SETUP) || !profile_exists(reader) ||
	       reader_has_specs(reader);
}

static int write_with_samples(struct parts *parts, FILE *out, struct err *err)
{
	struct report_samples samples;
	int status;

	if (!profile_exists(parts->reader))
		return write_parts(parts, out, err);
	status = report_samples_open(&samples, parts->reader, parts->options, parts->groups, err);
	if (status)
		return status;
	parts->samples = &samples;
	if (parts->has_calls && parts->groups)
		status = join_groups(parts->calls, &samples.rows, err);
	else if (parts->has_calls)
		status = join_calls_and_samples(parts->calls, &samples.rows, &samples.profile,
						parts->reader, err);
	if (!status)
		status = write_parts(parts, out, err);
	report_samples_close(&samples);
	return status;
}

/* Writes everything with calls as a tree, if that is wanted and recorded. */
static int write_with_tree(struct parts *parts, FILE *out, struct err *err)
{
	struct calls_tree tree;
	int status;

	if (parts->options->shape != REPORT_TREE || !calls_tree_exists(parts->reader))
		return write_with_samples(parts, out, err);
	status = calls_tree_make(&tree, parts->reader, report_threshold(parts->options), err);
	if (status)
		return status;
	parts->tree = &tree;
	parts->calls->totals.lost_callers = tree.lost_calls;
	status = write_with_samples(parts, out, err);
	calls_tree_free(&tree);
	return status;
}

static int write_all(struct parts *parts, FILE *out, struct err *err)
{
	const struct reader *reader = parts->reader;
	const struct report_options *options = parts->options;
	struct calls calls;
	int status = parts->has_calls ? check_by(reader, options, err) : 0;

	if (!status)
		status = parts->groups
				 ? calls_merge_groups(&calls, reader, parts->groups, err)
				 : calls_merge(&calls, reader,
					       report_filter_callers(options->filter, options->by),
					       err);
	if (status)
		return status;
	calls_sort(&calls, options->sort && calls_sort_known(options->sort) ? options->sort : NULL);
	parts->calls = &calls;
	status = write_with_tree(parts, out, err);
	calls_free(&calls);
	return status;
}

int report_write(const struct reader *reader, const struct report_options *options, FILE *out,
		 struct err *err)
{
	struct parts parts = { .reader = reader,
			       .options = options,
			       .has_calls = report_has_calls(reader) };
	struct groups groups;
	int status;

	if (!options->label && !options->by_program)
		return write_all(&parts, out, err);
	status = options->by_program ? groups_read_programs(&groups, reader, err)
				     : groups_read(&groups, reader, options->label, err);
	if (status)
		return status;
	parts.groups = &groups;
	status = write_all(&parts, out, err);
	groups_free(&groups);
	return status;
}

void report_line(const struct reader *reader, const char *verb, const char *data)
{
	struct profile_amount sum = profile_sum(reader);
	const struct record_event *event = reader_event(reader);
	char count[UNITS_BYTES], amount[UNITS_BYTES];
	char *next = next_steps(reader, data, false);

	cmd_note(verb, "%s %s of %s%s%s in '%s', %" PRIu64 " KB%s%s",
		 units_count(count, sum.samples), sum.samples == 1 ? "sample" : "samples",
		 units_amount(amount, (double)sum.ns, event), event ? " " : "",
		 event ? event->text : "", data, (reader->bytes + 1023) >> 10,
		 next ? "; next: " : "", next ? next : "");
	free(next);
}

void report_next(const struct reader *reader, const char *data)
{
	char *next = isatty(STDERR_FILENO) ? next_steps(reader, data, true) : NULL;

	if (!next)
		return;
	fputs("next: ", stderr);
	printable_write(next, stderr);
	putc('\n', stderr);
	free(next);
}

/* Returns whether an error means that a disk, a quota or a limit was full. Other errors come from
 * opening the recording: a sandbox has hidden it, or /proc. */
static bool is_full(int code)
{
	return code == ENOSPC || code == EDQUOT || code == EFBIG || code == ENOMEM ||
	       code == EMFILE || code == ENFILE || code == EIO;
}

void report_note_scarce(const struct reader *reader, const char *verb, const char *data)
{
	const struct record_scarcity *scarcity = &reader->header.scarcity;

	if (finish_is_torn(reader))
		cmd_note(verb,
			 "part of the recording is lost: '%s' was truncated while it was being "
			 "written",
			 data);
	else if (scarcity->code)
		cmd_note(verb, "%s was recorded, because %s '%s': %s",
			 reader_first(reader, RECORD_PROCESS) ? "not everything" : "nothing",
			 is_full((int)scarcity->code) ? "there was no room in"
						      : "a process could not open",
			 data, strerror((int)scarcity->code));
}

void report_note_sandbox(const struct reader *reader, const char *verb)
{
	char text[RUN_SUMMARY_SANDBOX_BYTES];

	if (run_summary_sandbox(&reader->header, text))
		cmd_note(verb, "not everything was recorded: %s", text);
}

void report_note_unreached(const struct reader *reader, const char *verb, const char *data)
{
	const struct record_unreached *unreached = &reader->header.unreached;
	const char *programs = unreached->programs == 1 ? "program" : "programs";
	char count[UNITS_BYTES];

	if (!unreached->programs)
		return;
	units_count(count, unreached->programs);
	if (unreached->code == ELIBACC)
		cmd_note(verb,
			 "%s %s not recorded: executed in an environment without dwell's "
			 "LD_PRELOAD and DWELL_DATA",
			 count, programs);
	else
		cmd_note(verb, "%s %s not recorded: cannot open '%s': %s", count, programs, data,
			 strerror((int)unreached->code));
}

static const struct record_sampler *find_refused(const struct reader_segment *segment)
{
	const struct record_item *item = NULL;

	while ((item = reader_next(segment, item)))
		if (item->kind == RECORD_SAMPLER && ((const struct record_sampler *)item)->refused)
			return (const struct record_sampler *)item;
	return NULL;
}

void report_note_refused(const struct reader *reader, const char *verb)
{
	const struct record_sampler *refused = NULL, *one;
	size_t count = 0;

	for (size_t i = 0; i < reader->count; i++) {
		one = find_refused(&reader->segments[i]);
		count += one != NULL;
		refused = refused ? refused : one;
	}
	if (refused)
		cmd_note(verb, "no samples of %zu %s: the %s clock was refused: %s", count,
			 count == 1 ? "process" : "processes",
			 *refused->clock ? refused->clock : "CPU", strerror((int)refused->refused));
}

/* Returns the option that chose it: verbs that sample have another one for calls. */
static const char *option_of(const struct reader *reader, uint32_t role)
{
	static const char *const options[] = {
		[RECORD_CHOOSE] = "-f", [RECORD_EXCLUDE] = "-x", [RECORD_FROM] = "--from"
	};

	return role == RECORD_CHOOSE && reader->header.hz ? "--calls" : options[role];
}

void report_note_unmatched(const struct reader *reader, const char *verb)
{
	struct specs specs;
	struct err err;

	if (specs_unmatched(&specs, reader, &err))
		return;
	for (size_t i = 0; i < specs.count; i++) {
		uint32_t role = specs.list[i]->role;

		if (role >= RECORD_CHOOSE && role <= RECORD_FROM)
			cmd_note(verb, "%s '%s' matched nothing that the program used",
				 option_of(reader, role), specs.list[i]->text);
	}
	specs_free(&specs);
}
