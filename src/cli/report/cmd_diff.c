/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "diff_gate.h"
#include "diff_input.h"
#include "display.h"
#include "report.h"
#include "report_filter.h"
#include "report_part.h"
#include "output/report/calls_diff_table.h"
#include "output/report/diff_summary.h"
#include "output/report/diff_table.h"

#define VERB "diff"

/* The default number of rows. */
#define USUAL_ROWS 20

/* The default of --min, as a part of all time: smaller growth does not matter. */
#define USUAL_LEAST 0.01

/* Exit status if something has grown by more than it may. */
#define GROWN 1

struct arguments {
	struct diff_paths paths[DIFF_SIDES];
	bool help;
	struct report_options report; /* format and limit */
	const char *sort;             /* NULL: by change */
	struct profile_filter filter;
	struct diff_options diff;
	struct diff_gate gate;
};

/* Options without a short form. */
enum { BY = 256, NORMALIZE, SORT, LIMIT, FORMAT, FAIL_ABOVE, FAIL_CALLS_ABOVE, FAIL_SINGLE, MIN };

static const struct option options[] = {
	{ "by", required_argument, NULL, BY },
	{ "normalize", no_argument, NULL, NORMALIZE },
	{ "sort", required_argument, NULL, SORT },
	{ "limit", required_argument, NULL, LIMIT },
	{ "format", required_argument, NULL, FORMAT },
	{ "fail-above", required_argument, NULL, FAIL_ABOVE },
	{ "fail-calls-above", required_argument, NULL, FAIL_CALLS_ABOVE },
	{ "fail-single", no_argument, NULL, FAIL_SINGLE },
	{ "min", required_argument, NULL, MIN },
	REPORT_FILTER_OPTIONS,
	DISPLAY_LONG_OPTION,
	DISPLAY_OPTIONS,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell diff [OPTION...] OLD NEW\n"
	"       dwell diff [OPTION...] OLD... -- NEW...\n"
	"\n"
	"Compares recordings: the time in each function, with changes that are only sampling "
	"noise\n"
	"marked as such, and the exact numbers of calls. For several recordings per side, the "
	"mean\n"
	"run is shown, and a change must also exceed the spread between runs.\n"
	"\n"
	"      --by function|stack|object\n"
	"                        rows of samples [function]\n"
	"      --normalize       compare shares of all time instead of time\n"
	"      --sort COLUMN     samples: " DIFF_SORT_COLUMNS "\n"
	"                        calls: " CALLS_DIFF_SORT_COLUMNS "\n"
	"      --limit N         show at most N rows; 0: all\n"
	"      --format FORMAT   text, json or csv [text]\n"
	"      --fail-above PERCENT\n"
	"                        exit with 1 if a function, or the whole run, takes that much "
	"more\n"
	"                        time beyond noise, or is called that much more often\n"
	"      --fail-calls-above PERCENT\n"
	"                        the same for calls only, or another limit for them\n"
	"      --fail-single     fail on times even with one recording per side\n"
	"      --min PERCENT     ignore growth by less than this of all time "
	"[1]\n" DISPLAY_LONG_HELP DISPLAY_HELP "  -h, --help            show this help\n"
	"\n"
	"selecting samples of both sides:\n" REPORT_FILTER_HELP "\n"
	"SPEC is [OBJECT:]FUNCTION[,...], both globs, or @FILE with one SPEC per line.\n"
	"\n"
	"examples:\n"
	"  dwell diff before.data after.data                  compare two runs\n"
	"  dwell diff main.*.data -- branch.*.data            compare several runs of each\n"
	"  dwell diff --fail-above 10 main.*.data -- branch.*.data    for CI\n"
	"  dwell diff --by stack --focus 'parse*' a.data b.data\n";

static int take_by(struct arguments *arguments, const char *value)
{
	static const char *const names[] = { [DIFF_BY_FUNCTION] = "function",
					     [DIFF_BY_STACK] = "stack",
					     [DIFF_BY_OBJECT] = "object" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], value) == 0) {
			arguments->diff.by = (enum diff_by)i;
			return 0;
		}
	}
	return cmd_fail(VERB, "unknown --by value '%s' (expected function, stack or object)",
			value);
}

static int take_sort(struct arguments *arguments, const char *value)
{
	if (!diff_sort_known(value) && !calls_diff_sort_known(value))
		return cmd_fail(VERB,
				"unknown --sort column \'%s\' (samples: " DIFF_SORT_COLUMNS
				"; calls: " CALLS_DIFF_SORT_COLUMNS ")",
				value);
	arguments->sort = value;
	return 0;
}

/* Parses "12.5" or "250%" as a part of 1. */
static int take_percent(double *part, const char *value)
{
	char *end = NULL;
	double percent = isdigit((unsigned char)*value) || *value == '.' ? strtod(value, &end) : 0;

	if (!end || end == value || (*end && strcmp(end, "%") != 0) || !(percent <= 1e9))
		return cmd_fail(VERB, "invalid percentage '%s'", value);
	*part = percent / 100;
	return 0;
}

/* Keeps an option that makes growth an error. Returns 0 or the exit status. */
static int take_gate(struct arguments *arguments, int option)
{
	struct diff_gate *gate = &arguments->gate;

	if (option == FAIL_SINGLE) {
		gate->fails_single = true;
		return 0;
	}
	if (option == MIN)
		return take_percent(&gate->least, optarg);
	if (option == FAIL_ABOVE) {
		gate->has_time = true;
		return take_percent(&gate->time, optarg);
	}
	gate->has_calls = true;
	return take_percent(&gate->calls, optarg);
}

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;

	switch (option) {
	case BY:
		return take_by(arguments, optarg);
	case NORMALIZE:
		arguments->diff.is_normalized = true;
		return 0;
	case SORT:
		return take_sort(arguments, optarg);
	case LIMIT:
		return report_take_limit(&arguments->report, VERB, optarg);
	case FORMAT:
		return report_take_format(&arguments->report, VERB, optarg);
	case FAIL_ABOVE:
	case FAIL_CALLS_ABOVE:
	case FAIL_SINGLE:
	case MIN:
		return take_gate(arguments, option);
	case 'h':
		arguments->help = true;
		return 0;
	case DISPLAY_COLOR:
	case DISPLAY_LONG:
	case DISPLAY_NO_PAGER:
		return display_take(&arguments->report.display, VERB, option, argv);
	default:
		return report_filter_take(&arguments->filter, VERB, option, argv);
	}
}

/* Returns the number of words after "--", or 0 without it. getopt_long() moves them to the end. */
static size_t words_behind_dashes(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--") == 0)
			return (size_t)(argc - i - 1);
	return 0;
}

/* Takes the words after "--" as the new side, unless there are none before it. */
static int take_paths(struct arguments *arguments, char **words, size_t count, size_t behind)
{
	if (behind == count)
		behind = 0;
	if (count < 2)
		return cmd_fail(VERB,
				"missing recording: OLD and NEW are needed; see dwell diff --help");
	if (!behind && count > 2)
		return cmd_fail(VERB,
				"unexpected argument '%s': separate several recordings of each "
				"side by --, as in OLD... -- NEW...",
				words[2]);
	if (!behind)
		behind = 1;
	arguments->paths[DIFF_OLD] = (struct diff_paths){ words, count - behind };
	arguments->paths[DIFF_NEW] = (struct diff_paths){ words + count - behind, behind };
	return 0;
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	size_t behind = words_behind_dashes(argc, argv);
	int status = cmd_parse(":h", options, take_option, arguments, argc, argv);

	if (status || arguments->help)
		return status;
	if (arguments->gate.has_time && !arguments->gate.has_calls) {
		arguments->gate.has_calls = true;
		arguments->gate.calls = arguments->gate.time;
	}
	return take_paths(arguments, argv + optind, (size_t)(argc - optind), behind);
}

/* The two sides; either kind of data may be missing. */
struct comparison {
	const struct arguments *arguments;
	struct terminal terminal;
	struct diff_summary summary;
	struct diff samples;
	struct calls_diff calls;
};

static int write_samples(const struct comparison *comparison, FILE *out, struct err *err)
{
	const struct diff *diff = &comparison->samples;
	size_t rows = report_rows(&comparison->arguments->report, USUAL_ROWS);
	struct table table;
	int status = diff_table_make(&table, diff, rows, true, err);

	if (status)
		return status;
	report_write_rows(&table, &comparison->terminal, diff->count, rows, out);
	table_fini(&table);
	putc('\n', out);
	diff_summary_write_verdicts(diff, out);
	return 0;
}

static int write_calls(const struct comparison *comparison, FILE *out, struct err *err)
{
	const struct calls_diff *diff = &comparison->calls;
	size_t rows = report_rows(&comparison->arguments->report, USUAL_ROWS);
	struct table table;
	int status = calls_diff_table_make(&table, diff, rows, true, err);

	if (status)
		return status;
	report_write_rows(&table, &comparison->terminal, diff->count, rows, out);
	table_fini(&table);
	return 0;
}

static int write_text(const struct comparison *comparison, FILE *out, struct err *err)
{
	const struct diff_summary *summary = &comparison->summary;
	int status = 0;

	diff_summary_write_head(summary, out);
	if (summary->samples)
		status = write_samples(comparison, out, err);
	if (!status && summary->samples && summary->calls)
		putc('\n', out);
	if (!status && summary->calls)
		status = write_calls(comparison, out, err);
	return status;
}

/* Writes both tables to JSON, even empty ones; CSV gets only those that were compared. */
static int write_tables(const struct comparison *comparison, struct table *samples,
			struct table *calls, FILE *out, struct err *err)
{
	enum table_format format = comparison->arguments->report.format;
	const struct table *tables[2];
	size_t count = 0;

	if (comparison->summary.samples || format == TABLE_JSON)
		tables[count++] = samples;
	if (comparison->summary.calls || format == TABLE_JSON)
		tables[count++] = calls;
	if (format == TABLE_JSON && diff_summary_add_meta(samples, &comparison->summary))
		return err_no_memory(err);
	table_write_all(tables, count, format, out);
	return 0;
}

static int write_data(const struct comparison *comparison, FILE *out, struct err *err)
{
	size_t rows = report_rows(&comparison->arguments->report, USUAL_ROWS);
	struct table samples, calls;
	int status = diff_table_make(&samples, &comparison->samples, rows, false, err);

	if (status)
		return status;
	status = calls_diff_table_make(&calls, &comparison->calls, rows, false, err);
	if (!status) {
		status = write_tables(comparison, &samples, &calls, out, err);
		table_fini(&calls);
	}
	table_fini(&samples);
	return status;
}

static int write_all(struct comparison *comparison, FILE *out, struct err *err)
{
	const struct report_options *report = &comparison->arguments->report;
	int status;

	comparison->terminal = display_open(&report->display, report->format, out);
	status = report->format == TABLE_TEXT ? write_text(comparison, out, err)
					      : write_data(comparison, out, err);
	display_close();
	return status;
}

/* Compares the kinds of data that both sides contain. */
static int compare(struct comparison *comparison, const struct diff_input *input, struct err *err)
{
	const struct arguments *arguments = comparison->arguments;
	int status = 0;

	for (int side = 0; side < DIFF_SIDES; side++) {
		comparison->summary.commands[side] = input->sides[side].command;
		comparison->summary.runs[side] = input->sides[side].count;
	}
	if (input->has_samples) {
		status = diff_input_compare_samples(input, &arguments->diff, &comparison->samples,
						    err);
		if (status)
			return status;
		diff_sort(&comparison->samples, arguments->sort);
		comparison->summary.samples = &comparison->samples;
	}
	if (input->has_calls) {
		status = diff_input_compare_calls(input, &comparison->calls, err);
		if (status)
			return status;
		calls_diff_sort(&comparison->calls, arguments->sort);
		comparison->summary.calls = &comparison->calls;
	}
	return 0;
}

static int check(struct comparison *comparison)
{
	const struct diff_summary *summary = &comparison->summary;

	return diff_gate_check(&comparison->arguments->gate,
			       summary->samples ? &comparison->samples : NULL,
			       summary->calls ? &comparison->calls : NULL, VERB)
		       ? GROWN
		       : 0;
}

static int diff(struct arguments *arguments)
{
	struct comparison comparison = { .arguments = arguments };
	struct diff_input input;
	struct err err;
	int status = diff_input_open(&input, arguments->paths, &arguments->filter, &err);

	if (status)
		return cmd_fail(VERB, "%s", err.text);
	status = compare(&comparison, &input, &err);
	if (!status)
		status = write_all(&comparison, stdout, &err);
	if (!status) {
		report_filter_note_unmatched(&arguments->filter, VERB);
		status = check(&comparison);
	} else {
		status = cmd_fail(VERB, "%s", err.text);
	}
	diff_free(&comparison.samples);
	calls_diff_free(&comparison.calls);
	diff_input_close(&input);
	return status;
}

int cmd_diff(int argc, char **argv)
{
	struct arguments arguments = { .gate.least = USUAL_LEAST };
	int status = parse(&arguments, argc, argv);

	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status)
		status = diff(&arguments);
	profile_filter_fini(&arguments.filter);
	return status;
}
