/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "report.h"
#include "report_filter.h"
#include "report_gmon.h"
#include "report_imbalance.h"
#include "base/label_list.h"
#include "model/calls/calls_sort.h"
#include "recording/read/gmon.h"

#define VERB "report"

struct arguments {
	char *const *paths; /* more than one only if each is a gmon.out */
	size_t count;
	const char *program; /* the program of a gmon.out */
	bool help;
	bool has_by;
	bool imbalance;
	struct report_options report;
	struct profile_filter filter;
};

/* Options without a short form. */
enum { BY = 256, IMBALANCE, SORT, LIMIT, FORMAT, TREE, CALLERS, MIN, EXE };

static const struct option options[] = {
	{ "by", required_argument, NULL, BY },
	{ "imbalance", no_argument, NULL, IMBALANCE },
	{ "tree", no_argument, NULL, TREE },
	{ "callers", no_argument, NULL, CALLERS },
	{ "min", required_argument, NULL, MIN },
	REPORT_FILTER_OPTIONS,
	{ "exe", required_argument, NULL, EXE },
	{ "sort", required_argument, NULL, SORT },
	{ "limit", required_argument, NULL, LIMIT },
	{ "format", required_argument, NULL, FORMAT },
	DISPLAY_LONG_OPTION,
	DISPLAY_OPTIONS,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell report [OPTION...] [DATA...]\n"
	"\n"
	"Shows the functions of a recording: the time that samples found in each, and the number\n"
	"of calls and their times. DATA is dwell.data by default, and may still be recorded to.\n"
	"DATA can be a gmon.out as well; several of them are added up.\n"
	"\n"
	"      --by "
	"function|caller|caller-object|line|object|thread|process|program|rank|host|region\n"
	"                        rows [function]; for calls: each function and its caller, the\n"
	"                        caller's object, thread, process, program, rank or host;\n"
	"                        label:KEY: rows by another label of processes\n"
	"      --imbalance       compare each function among ranks, or what --by names: least,\n"
	"                        mean, most, and the time saved if all were even\n"
	"      --sort COLUMN     samples: " PROFILE_SORT_COLUMNS "\n"
	"                        calls: " CALLS_SORT_COLUMNS "\n"
	"      --limit N         show at most N rows; 0: all\n"
	"      --format FORMAT   text, json or csv [text]\n" DISPLAY_LONG_HELP DISPLAY_HELP
	"  -h, --help            show this help\n"
	"\n"
	"for samples:\n"
	"      --tree            show each function below its callers; also for calls that were\n"
	"                        recorded with --tree\n"
	"      --callers         show each function with its callers below\n"
	"      --min PERCENT     omit smaller branches; 0: none [1]\n" REPORT_FILTER_HELP "\n"
	"for a gmon.out:\n"
	"      --exe FILE        the program that wrote it [a.out]\n"
	"\n"
	"SPEC is [OBJECT:]FUNCTION[,...], both globs, or @FILE with one SPEC per line.\n"
	"\n"
	"examples:\n"
	"  dwell report                                    show dwell.data\n"
	"  dwell report --sort calls --limit 10            the functions called most often\n"
	"  dwell report --tree --focus 'parse*'            the time below parse functions\n"
	"  dwell report --by process --format json x.data  each process, machine-readable\n";

/* Returns the key of a label that has rows; NULL: the value names something else. */
static const char *label_of(const char *value)
{
	static const char prefix[] = "label:";
	size_t length = sizeof(prefix) - 1;

	if (strcmp(value, LABEL_RANK) == 0 || strcmp(value, LABEL_HOST) == 0)
		return value;
	return strncmp(value, prefix, length) == 0 && value[length] ? value + length : NULL;
}

static int take_label(struct arguments *arguments)
{
	arguments->report.by = CALLS_BY_LABEL;
	arguments->report.samples_by = PROFILE_BY_LABEL;
	return 0;
}

/* Samples and calls know different kinds of rows. A kind that one of them does not know gives it a
 * row per function. */
static int take_by(struct arguments *arguments, const char *value)
{
	const char *label = label_of(value);
	static const struct {
		const char *name;
		enum calls_by calls;
		enum profile_by samples;
	} names[] = {
		{ "function", CALLS_BY_FUNCTION, PROFILE_BY_FUNCTION },
		{ "caller", CALLS_BY_CALLER, PROFILE_BY_FUNCTION },
		{ "caller-object", CALLS_BY_CALLING_OBJECT, PROFILE_BY_FUNCTION },
		{ "line", CALLS_BY_FUNCTION, PROFILE_BY_LINE },
		{ "object", CALLS_BY_FUNCTION, PROFILE_BY_OBJECT },
		{ "thread", CALLS_BY_THREAD, PROFILE_BY_THREAD },
		{ "process", CALLS_BY_PROCESS, PROFILE_BY_PROCESS },
		{ "region", CALLS_BY_FUNCTION, PROFILE_BY_REGION },
	};

	arguments->has_by = true;
	arguments->report.label = label;
	arguments->report.by_program = strcmp(value, "program") == 0;
	if (label || arguments->report.by_program)
		return take_label(arguments);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i].name, value) == 0) {
			arguments->report.by = names[i].calls;
			arguments->report.samples_by = names[i].samples;
			return 0;
		}
	}
	return cmd_fail(VERB,
			"unknown --by value '%s' (expected function, caller, caller-object, line, "
			"object, thread, process, program, rank, host, region or label:KEY)",
			value);
}

static int take_min(struct arguments *arguments, const char *value)
{
	if (!report_filter_percent(value, &arguments->report.threshold))
		return cmd_fail(VERB, "invalid percentage '%s'", value);
	arguments->report.has_threshold = true;
	return 0;
}

static int take_shape(struct arguments *arguments, enum report_shape shape)
{
	if (arguments->report.shape != REPORT_FLAT && arguments->report.shape != shape)
		return cmd_fail(VERB, "give either --tree or --callers, not both");
	arguments->report.shape = shape;
	return 0;
}

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;

	switch (option) {
	case BY:
		return take_by(arguments, optarg);
	case IMBALANCE:
		arguments->imbalance = true;
		return 0;
	case TREE:
		return take_shape(arguments, REPORT_TREE);
	case CALLERS:
		return take_shape(arguments, REPORT_CALLERS);
	case MIN:
		return take_min(arguments, optarg);
	case SORT:
		return report_take_sort(&arguments->report, VERB, optarg);
	case LIMIT:
		return report_take_limit(&arguments->report, VERB, optarg);
	case FORMAT:
		return report_take_format(&arguments->report, VERB, optarg);
	case EXE:
		arguments->program = optarg;
		return 0;
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

/* Checks that several files are all gmon.out: nothing else can be added up. */
static int check(const struct arguments *arguments)
{
	for (size_t i = 0; arguments->count > 1 && i < arguments->count; i++)
		if (!gmon_is(arguments->paths[i]))
			return cmd_fail(VERB,
					"unexpected argument '%s': only one DATA file is allowed, "
					"unless all are gmon.out files",
					arguments->paths[i ? i : 1]);
	if (arguments->imbalance && (!arguments->report.label || arguments->report.sort ||
				     arguments->report.shape != REPORT_FLAT))
		return cmd_fail(VERB,
				"--imbalance compares functions among ranks, hosts or another "
				"label: give --by rank, host or label:KEY, and no --sort, --tree "
				"or --callers");
	if (arguments->report.shape != REPORT_FLAT && arguments->has_by &&
	    arguments->report.samples_by != PROFILE_BY_FUNCTION)
		return cmd_fail(VERB, "--tree and --callers show functions: only --by function is "
				      "allowed with them");
	return 0;
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	static char *const by_default[] = { (char *)CMD_DATA };
	int status = cmd_parse(":h", options, take_option, arguments, argc, argv);

	if (status)
		return status;
	arguments->paths = optind < argc ? argv + optind : by_default;
	arguments->count = optind < argc ? (size_t)(argc - optind) : 1;
	if (arguments->imbalance && !arguments->has_by) {
		arguments->report.label = LABEL_RANK;
		take_label(arguments);
	}
	arguments->filter.lines = arguments->report.samples_by == PROFILE_BY_LINE;
	return arguments->help ? 0 : check(arguments);
}

static int report_gmon(const struct arguments *arguments)
{
	struct err err;
	int status = report_gmon_write(arguments->paths, arguments->count, arguments->program,
				       &arguments->report, stdout, &err);

	return status ? cmd_fail_by(VERB, status, &err) : 0;
}

static int report(const struct arguments *arguments)
{
	struct reader reader;
	struct err err;
	int status = reader_open(&reader, arguments->paths[0], &err);

	if (status)
		return cmd_fail(VERB, "%s", err.text);
	if (arguments->program)
		cmd_note(VERB,
			 "--exe is ignored: '%s' is a recording, which contains the name of its "
			 "program",
			 arguments->paths[0]);
	status = (arguments->imbalance ? report_imbalance_write
				       : report_write)(&reader, &arguments->report, stdout, &err);
	if (!status) {
		report_note_unmatched(&reader, VERB);
		report_filter_note_unmatched(&arguments->filter, VERB);
	}
	reader_close(&reader);
	return status ? cmd_fail_by(VERB, status, &err) : 0;
}

int cmd_report(int argc, char **argv)
{
	struct arguments arguments = { .report.filter = &arguments.filter };
	int status = parse(&arguments, argc, argv);

	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status && gmon_is(arguments.paths[0]))
		status = report_gmon(&arguments);
	else if (!status)
		status = report(&arguments);
	profile_filter_fini(&arguments.filter);
	return status;
}
