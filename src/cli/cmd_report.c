/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/report.h"
#include "model/calls_sort.h"

#define VERB "report"

struct arguments {
	const char *path;
	bool help;
	struct report_options report;
};

/* Options that have no letter. */
enum { BY = 256, SORT, LIMIT, FORMAT };

static const struct option options[] = {
	{ "by", required_argument, NULL, BY },       { "sort", required_argument, NULL, SORT },
	{ "limit", required_argument, NULL, LIMIT }, { "format", required_argument, NULL, FORMAT },
	{ "help", no_argument, NULL, 'h' },          { NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell report [OPTION...] [DATA]\n"
	"\n"
	"Shows what a recording says of each function: how often it was called and how long\n"
	"that took. DATA is dwell.data by default, and may still be recorded to.\n"
	"\n"
	"      --by WHAT         a row for each function (the default), or for each function and\n"
	"                        caller, thread or process\n"
	"      --sort COLUMN     " CALLS_SORT_COLUMNS "\n"
	"      --limit N         at most N rows; 0: all\n"
	"      --format FORMAT   text, json or csv\n"
	"  -h, --help            this\n"
	"\n"
	"examples:\n"
	"  dwell report                                    what `dwell calls` has recorded\n"
	"  dwell report --sort calls --limit 10            what is called most\n"
	"  dwell report --by process --format json x.data  each process, for a program\n";

static int take_by(struct arguments *arguments, const char *value)
{
	static const char *const names[] = { [CALLS_BY_FUNCTION] = "function",
					     [CALLS_BY_CALLER] = "caller",
					     [CALLS_BY_THREAD] = "thread",
					     [CALLS_BY_PROCESS] = "process" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], value) == 0) {
			arguments->report.by = (enum calls_by)i;
			return 0;
		}
	}
	return cmd_fail(VERB, "there are no rows by '%s': function, caller, thread or process",
			value);
}

/* Keeps one option; 0 or the exit status. */
static int take_option(struct arguments *arguments, int option, char **argv)
{
	switch (option) {
	case BY:
		return take_by(arguments, optarg);
	case SORT:
		return report_take_sort(&arguments->report, VERB, optarg);
	case LIMIT:
		return report_take_limit(&arguments->report, VERB, optarg);
	case FORMAT:
		return report_take_format(&arguments->report, VERB, optarg);
	case 'h':
		arguments->help = true;
		return 0;
	default:
		return cmd_fail_option(VERB, option, argv);
	}
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	int option, status;

	/* We say ourselves what is wrong. */
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		status = take_option(arguments, option, argv);
		if (status)
			return status;
	}
	if (optind + 1 < argc && !arguments->help)
		return cmd_fail(VERB, "there is one DATA too many: '%s'", argv[optind + 1]);
	arguments->path = optind < argc ? argv[optind] : CMD_DATA;
	return 0;
}

static int report(const struct arguments *arguments)
{
	struct reader reader;
	struct err err;
	int status = reader_open(&reader, arguments->path, &err);

	if (status)
		return cmd_fail(VERB, "%s", err.text);
	status = report_write(&reader, &arguments->report, stdout, &err);
	if (!status)
		report_note_unmatched(&reader, VERB);
	reader_close(&reader);
	return status ? cmd_fail(VERB, "%s", err.text) : 0;
}

int cmd_report(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	int status = parse(&arguments, argc, argv);

	if (status)
		return status;
	if (!arguments.help)
		return report(&arguments);
	fputs(help, stdout);
	return 0;
}
