/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/cmd.h"
#include "display.h"
#include "report.h"
#include "report_filter.h"
#include "model/annotate/annotation.h"
#include "output/report/annotation_table.h"
#include "output/report/annotation_text.h"
#include "output/table/printable.h"
#include "output/report/samples_summary.h"

#define VERB "annotate"

/* The most other functions that a note names. */
#define OTHERS_NAMED 3

struct arguments {
	const char *path;
	bool help;
	bool is_asm;
	enum disassembler_syntax syntax;
	enum table_format format;
	struct spec_list specs;
	struct source_folders folders;
	size_t limit; /* of functions; 0: all */
	bool has_context;
	uint32_t context;
	struct profile_filter filter;
	struct display_options display;
};

/* Options without a short form. */
enum { ASM = 256, SYNTAX, SOURCE_PATH, CONTEXT, LIMIT, FORMAT };

static const struct option options[] = {
	{ "asm", no_argument, NULL, ASM },
	{ "syntax", required_argument, NULL, SYNTAX },
	{ "source-path", required_argument, NULL, SOURCE_PATH },
	{ "context", required_argument, NULL, CONTEXT },
	{ "limit", required_argument, NULL, LIMIT },
	{ "format", required_argument, NULL, FORMAT },
	REPORT_FILTER_OPTIONS,
	DISPLAY_LONG_OPTION,
	DISPLAY_OPTIONS,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell annotate [OPTION...] FUNCTION [DATA]\n"
	"\n"
	"Shows the source of a function with the share of each line, or its instructions.\n"
	"FUNCTION is [OBJECT:]FUNCTION, both globs; if several match, the one with most samples\n"
	"in its own code is shown. DATA is dwell.data by default.\n"
	"\n"
	"      --asm             show instructions with their lines; the default if lines are\n"
	"                        unknown\n"
	"      --syntax att|intel  syntax of instructions [att]\n"
	"      --source-path DIR  also search DIR for source files; may be repeated\n"
	"      --context N       show N lines or instructions around each sample, or all\n"
	"      --limit N         show at most N functions; 0: all [1]\n"
	"      --format FORMAT   text or json [text]\n" DISPLAY_LONG_HELP DISPLAY_HELP
	"  -h, --help            show this help\n"
	"\n"
	"selecting samples:\n" REPORT_FILTER_HELP "\n"
	"SPEC is [OBJECT:]FUNCTION[,...], both globs, or @FILE with one SPEC per line.\n"
	"\n"
	"examples:\n"
	"  dwell annotate main                           the lines of main\n"
	"  dwell annotate --asm 'libz.so*:*'             the hottest function of libz\n"
	"  dwell annotate --source-path ~/src/app parse  source that was compiled elsewhere\n";

static int take_syntax(struct arguments *arguments, const char *value)
{
	arguments->is_asm = true;
	arguments->syntax = strcmp(value, "intel") == 0 ? DISASSEMBLER_INTEL : DISASSEMBLER_ATT;
	if (strcmp(value, "intel") != 0 && strcmp(value, "att") != 0)
		return cmd_fail(VERB, "unknown syntax '%s' (expected att or intel)", value);
	return 0;
}

static int take_folder(struct source_folders *folders, const char *value)
{
	return source_folders_add(folders, value) ? cmd_fail(VERB, "out of memory") : 0;
}

static int take_context(struct arguments *arguments, const char *value)
{
	uint64_t context = UINT32_MAX;

	if (strcmp(value, "all") != 0 && !decimal_parse(value, UINT32_MAX, &context))
		return cmd_fail(VERB, "invalid context '%s': must be a number of lines, or all",
				value);
	arguments->context = (uint32_t)context;
	arguments->has_context = true;
	return 0;
}

static int take_limit(struct arguments *arguments, const char *value)
{
	uint64_t limit;

	if (!decimal_parse(value, SIZE_MAX, &limit))
		return cmd_fail(VERB,
				"invalid limit '%s': must be a number of functions; 0 means all",
				value);
	arguments->limit = (size_t)limit;
	return 0;
}

static int take_format(struct arguments *arguments, const char *value)
{
	if (!table_format_parse(value, &arguments->format) || arguments->format == TABLE_CSV)
		return cmd_fail(VERB, "unknown format '%s' (expected text or json)", value);
	return 0;
}

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;

	switch (option) {
	case ASM:
		arguments->is_asm = true;
		return 0;
	case SYNTAX:
		return take_syntax(arguments, optarg);
	case SOURCE_PATH:
		return take_folder(&arguments->folders, optarg);
	case CONTEXT:
		return take_context(arguments, optarg);
	case LIMIT:
		return take_limit(arguments, optarg);
	case FORMAT:
		return take_format(arguments, optarg);
	case 'h':
		arguments->help = true;
		return 0;
	case DISPLAY_COLOR:
	case DISPLAY_LONG:
	case DISPLAY_NO_PAGER:
		return display_take(&arguments->display, VERB, option, argv);
	default:
		return report_filter_take(&arguments->filter, VERB, option, argv);
	}
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	int status = cmd_parse(":h", options, take_option, arguments, argc, argv);

	if (status || arguments->help)
		return status;
	if (optind == argc)
		return cmd_fail(VERB, "missing FUNCTION; see dwell " VERB " --help");
	if (optind + 2 < argc)
		return cmd_fail(VERB, "unexpected argument '%s': only one DATA file is allowed",
				argv[optind + 2]);
	arguments->path = optind + 1 < argc ? argv[optind + 1] : CMD_DATA;
	arguments->filter.lines = true;
	return report_filter_take_specs(&arguments->specs, VERB, argv[optind]);
}

/* An annotation, and where it is written to. */
struct job {
	const struct arguments *arguments;
	const struct profile *profile;
	struct terminal terminal;
	const uint32_t *functions;
	size_t count;
	struct annotation_tables tables; /* for programs */
};

static int write_function(struct job *job, const struct annotation *annotation,
			  const struct annotation_code *code, struct err *err)
{
	const struct arguments *arguments = job->arguments;
	struct annotation_text text = { .annotation = annotation,
					.code = code,
					.folders = &arguments->folders,
					.has_color = job->terminal.has_color,
					.long_names = job->terminal.long_names,
					.has_context = arguments->has_context,
					.context = arguments->context };

	if (arguments->format == TABLE_TEXT)
		return annotation_text_write(&text, stdout, err);
	return annotation_tables_add(&job->tables, annotation, code, &arguments->folders, err);
}

/* Falls back to lines alone if there are no instructions. */
static int annotate_one(struct job *job, uint32_t function, struct err *err)
{
	const struct arguments *arguments = job->arguments;
	struct annotation_code code = { 0 };
	struct annotation annotation;
	bool has_lines, is_asm;
	int status = annotation_make(&annotation, job->profile, function, err);

	if (status)
		return status;
	has_lines = annotation_has_lines(&annotation);
	is_asm = arguments->is_asm || !has_lines;
	if (is_asm)
		status = annotation_code_make(&code, &annotation, arguments->syntax, err);
	if (status == -ENOENT) {
		cmd_note(VERB, "%s", err->text);
		status = 0;
	}
	if (!status)
		status = write_function(job, &annotation, code.count ? &code : NULL, err);
	annotation_code_free(&code);
	annotation_free(&annotation);
	return status;
}

static void write_others(const struct job *job, size_t shown)
{
	printf("\n%zu more %s %s: ", job->count - shown,
	       job->count - shown == 1 ? "function" : "functions",
	       job->count - shown == 1 ? "matches" : "match");
	for (size_t i = shown; i < job->count && i < shown + OTHERS_NAMED; i++)
		printable_print(stdout, "%s%s", i == shown ? "" : ", ",
				job->profile->functions.list[job->functions[i]].name);
	printf("%s; --limit 0 shows all\n", job->count > shown + OTHERS_NAMED ? ", ..." : "");
}

static int annotate_all(struct job *job, struct err *err)
{
	const struct arguments *arguments = job->arguments;
	bool human = arguments->format == TABLE_TEXT;
	size_t limit = arguments->limit ? arguments->limit : SIZE_MAX, shown = 0;
	int status = 0;

	for (; shown < job->count && shown < limit && !status; shown++) {
		if (shown && human)
			putchar('\n');
		status = annotate_one(job, job->functions[shown], err);
	}
	if (!status && human && shown < job->count)
		write_others(job, shown);
	return status;
}

static int write_data(struct job *job, struct err *err)
{
	const struct table *const tables[] = { &job->tables.functions, &job->tables.lines,
					       &job->tables.instructions };
	int status = samples_summary_add_meta(&job->tables.functions, job->profile, err);

	if (!status)
		table_write_all(tables, 3, job->arguments->format, stdout);
	return status;
}

static int annotate_chosen(struct arguments *arguments, const struct profile *profile,
			   struct err *err)
{
	struct job job = { .arguments = arguments, .profile = profile };
	uint32_t *functions;
	int status = annotation_choose(profile, &arguments->specs, &functions, &job.count, err);

	if (status)
		return status;
	job.functions = functions;
	annotation_tables_init(&job.tables, ANNOTATION_REPORT);
	if (!job.count)
		status = err_set(err, ENOENT,
				 "no sample is in or below a function that matches '%s'",
				 arguments->specs.specs[0].text);
	if (!status) {
		job.terminal = display_open(&arguments->display, arguments->format, stdout);
		status = annotate_all(&job, err);
		if (!status && arguments->format != TABLE_TEXT)
			status = write_data(&job, err);
		display_close();
	}
	annotation_tables_fini(&job.tables);
	free(functions);
	return status;
}

static int annotate(struct arguments *arguments)
{
	struct profile profile;
	struct reader reader;
	struct err err;
	int status = reader_open(&reader, arguments->path, &err);

	if (status)
		return cmd_fail(VERB, "%s", err.text);
	if (reader_first(&reader, RECORD_ANSWERS))
		arguments->folders.nowhere_else = true;
	status = report_filter_read(&profile, &reader, &arguments->filter, &err);
	if (!status) {
		status = annotate_chosen(arguments, &profile, &err);
		profile_free(&profile);
	}
	/* If nothing is left to show, that may be the reason. */
	if (!status || status == -ENOENT)
		report_filter_note_unmatched(&arguments->filter, VERB);
	reader_close(&reader);
	return status ? cmd_fail_by(VERB, status, &err) : 0;
}

int cmd_annotate(int argc, char **argv)
{
	struct arguments arguments = { .limit = 1 };
	int status = parse(&arguments, argc, argv);

	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status)
		status = annotate(&arguments);
	spec_list_free(&arguments.specs);
	free(arguments.folders.list);
	profile_filter_fini(&arguments.filter);
	return status;
}
