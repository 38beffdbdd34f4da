/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/cmd.h"
#include "display.h"
#include "progress.h"
#include "model/calls/calls.h"
#include "output/report/calls_summary.h"
#include "output/report/info_tables.h"
#include "output/table/printable.h"
#include "output/report/run_summary.h"
#include "output/report/samples_summary.h"
#include "output/table/units.h"

#define VERB "info"

enum { FORMAT = 256 };

static const struct option options[] = {
	{ "format", required_argument, NULL, FORMAT },
	DISPLAY_OPTIONS,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell info [OPTION...] [DATA]\n"
	"\n"
	"Shows how a recording was made: the clock, the requested and achieved rate, losses,\n"
	"labels, processes, threads, and objects with their build-ids. DATA is dwell.data by\n"
	"default.\n"
	"\n"
	"      --format FORMAT   text or json [text]\n" DISPLAY_HELP
	"  -h, --help            show this help\n"
	"\n"
	"examples:\n"
	"  dwell info                 show how dwell.data was made\n"
	"  dwell info --format json   machine-readable\n";

struct arguments {
	const char *path;
	bool help;
	enum table_format format;
	struct display_options display;
};

/* Labels, processes, threads and objects. */
#define TABLES 4

/* Everything that is known about a recording. */
struct facts {
	struct reader reader;
	struct calls calls;
	bool is_sampled;
	struct profile_filter filter;
	struct profile profile;
	struct profile_rows processes, threads;
	struct profile_objects objects;
	uint64_t file_bytes; /* on the disk */
};

static int read_facts(struct facts *facts, const char *path, struct err *err)
{
	struct stat stat_of_it;
	int status = reader_open(&facts->reader, path, err);

	if (status)
		return status;
	if (stat(path, &stat_of_it) == 0)
		facts->file_bytes = (uint64_t)stat_of_it.st_size;
	facts->is_sampled = profile_exists(&facts->reader);
	/* Functions are not shown, so inlined ones need not be found. */
	facts->filter.no_inline = true;
	status = calls_merge(&facts->calls, &facts->reader, CALLS_BY_FUNCTION, err);
	if (!status)
		status = objects_read(&facts->objects, &facts->reader, err);
	if (!status)
		status =
			progress_read_profile(&facts->profile, &facts->reader, &facts->filter, err);
	if (!status)
		status = profile_rows_make(&facts->processes, &facts->profile, PROFILE_BY_PROCESS,
					   err);
	if (!status)
		status =
			profile_rows_make(&facts->threads, &facts->profile, PROFILE_BY_THREAD, err);
	if (!status)
		profile_rows_sort(&facts->threads, NULL);
	return status;
}

static void free_facts(struct facts *facts)
{
	profile_rows_free(&facts->threads);
	profile_rows_free(&facts->processes);
	profile_free(&facts->profile);
	objects_free(&facts->objects);
	calls_free(&facts->calls);
	reader_close(&facts->reader);
}

static int add_meta(const struct facts *facts, struct table *table, struct err *err)
{
	const struct run_summary_pair size[] = {
		{ "file_bytes", facts->file_bytes },
		{ "stacks", facts->profile.stack_count },
	};
	int status = calls_summary_add_meta(table, &facts->reader, &facts->calls, err);

	if (!status && facts->is_sampled)
		status = samples_summary_add_meta(table, &facts->profile, err);
	if (!status && run_summary_add_numbers(table, size, sizeof(size) / sizeof(size[0])))
		status = err_no_memory(err);
	return status;
}

static void write_started(const struct facts *facts, FILE *out)
{
	time_t seconds = (time_t)(facts->reader.header.started_unix_ns / 1000000000);
	struct tm local;
	char text[64];

	if (seconds && localtime_r(&seconds, &local) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local))
		fprintf(out, "started %s\n", text);
}

static int write_head(const struct facts *facts, FILE *out, struct err *err)
{
	char size[UNITS_BYTES], stacks[UNITS_BYTES];
	int status = 0;

	printable_print(out, "%s: %s bytes\n", facts->reader.path,
			units_count(size, facts->file_bytes));
	write_started(facts, out);
	if (facts->is_sampled) {
		status = samples_summary_write(&facts->reader, &facts->profile, out, err);
		fprintf(out, "%s different stacks\n",
			units_count(stacks, facts->profile.stack_count));
	}
	if (!facts->is_sampled)
		calls_summary_write(&facts->reader, &facts->calls, out);
	else if (facts->calls.count)
		calls_summary_write_calls(&facts->reader, &facts->calls, out);
	return status;
}

static int write_tables(const struct facts *facts, struct table *tables[TABLES],
			const struct arguments *arguments, struct err *err)
{
	const struct table *const all[] = { tables[0], tables[1], tables[2], tables[3] };
	bool is_text = arguments->format == TABLE_TEXT;
	/* Recordings of older versions have no labels. */
	size_t first = is_text && !tables[0]->cell_count;
	struct terminal terminal = display_open(&arguments->display, arguments->format, stdout);
	int status;

	for (size_t i = 0; i < TABLES; i++)
		tables[i]->terminal = terminal;
	if (is_text) {
		status = write_head(facts, stdout, err);
		putchar('\n');
	} else {
		status = add_meta(facts, tables[0], err);
	}
	if (!status)
		table_write_all(all + first, TABLES - first, arguments->format, stdout);
	display_close();
	return status;
}

static int write_facts(const struct facts *facts, const struct arguments *arguments,
		       struct err *err)
{
	bool human = arguments->format == TABLE_TEXT;
	struct table labels = { 0 }, processes = { 0 }, threads = { 0 }, objects = { 0 };
	struct table *tables[TABLES] = { &labels, &processes, &threads, &objects };
	int status = info_tables_labels(&labels, &facts->reader, err);

	if (!status)
		status = info_tables_processes(&processes, &facts->reader, &facts->processes, human,
					       err);
	if (!status)
		status = info_tables_threads(&threads, &facts->threads, human, err);
	if (!status)
		status = info_tables_objects(&objects, &facts->objects, &facts->profile, err);
	if (!status)
		status = write_tables(facts, tables, arguments, err);
	for (size_t i = 0; i < TABLES; i++)
		table_fini(tables[i]);
	return status;
}

static int info(const struct arguments *arguments)
{
	struct facts facts = { 0 };
	struct err err;
	int status = read_facts(&facts, arguments->path, &err);

	if (!status)
		status = write_facts(&facts, arguments, &err);
	free_facts(&facts);
	return status ? cmd_fail(VERB, "%s", err.text) : 0;
}

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;

	switch (option) {
	case FORMAT:
		if (table_format_parse(optarg, &arguments->format) &&
		    arguments->format != TABLE_CSV)
			return 0;
		return cmd_fail(VERB, "unknown format '%s' (expected text or json)", optarg);
	case 'h':
		arguments->help = true;
		return 0;
	default:
		return display_take(&arguments->display, VERB, option, argv);
	}
}

int cmd_info(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	int status = cmd_parse(":h", options, take_option, &arguments, argc, argv);

	if (!status && optind + 1 < argc && !arguments.help)
		status = cmd_fail(VERB, "unexpected argument '%s': only one DATA file is allowed",
				  argv[optind + 1]);
	if (status)
		return status;
	arguments.path = optind < argc ? argv[optind] : CMD_DATA;
	if (!arguments.help)
		return info(&arguments);
	fputs(help, stdout);
	return 0;
}
