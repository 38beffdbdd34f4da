/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "export_tables.h"
#include "export_wire.h"
#include "output_file.h"
#include "report_filter.h"
#include "output/export/export.h"
#include "symbol/short_name.h"

#define VERB "export"

/* The part of a recording that is written, if it contains both. */
enum part { PART_ANY, PART_SAMPLES, PART_CALLS };

struct arguments {
	const char *path;
	const char *out;
	const struct export_format *format;
	bool is_unit_events; /* --unit events, which is for other samples than --unit ns */
	enum part part;
	bool has_wire;
	bool has_both; /* samples and calls, if there are both */
	bool long_names;
	bool help;
	struct export_source source;
	struct profile_filter filter;
};

/* Options without a short form. */
enum { UNIT = 256, THREADS, TIMELINE, OBJECT, OF, WIRE, LONG };

static const struct option options[] = {
	{ "format", required_argument, NULL, 'f' },  { "output", required_argument, NULL, 'o' },
	{ "unit", required_argument, NULL, UNIT },   { "threads", no_argument, NULL, THREADS },
	{ "timeline", no_argument, NULL, TIMELINE }, { "object", required_argument, NULL, OBJECT },
	{ "of", required_argument, NULL, OF },       { "wire", required_argument, NULL, WIRE },
	{ "long", no_argument, NULL, LONG },         REPORT_FILTER_OPTIONS,
	{ "help", no_argument, NULL, 'h' },          { NULL, 0, NULL, 0 },
};

static const char usage[] =
	"usage: dwell export -f FORMAT [OPTION...] [DATA]\n"
	"\n"
	"Converts a recording for other tools, to stdout by default. DATA is dwell.data by "
	"default.\n"
	"All formats contain the same numbers.\n"
	"\n"
	"  -f, --format FORMAT   one of the formats below\n"
	"  -o, --output FILE     write to FILE, as a whole or not at all [stdout]\n"
	"      --of samples|calls  part of a recording that contains both\n"
	"      --unit samples|ns|events  unit of values (folded, speedscope)\n"
	"      --threads         separate threads (folded)\n"
	"      --timeline        show when each function ran (perfetto)\n"
	"      --object NAME     write this library instead of the program (gmon)\n"
	"      --wire 1.10|1.9   version of the format: 1.10 or later, or older (otlp) [1.10]\n"
	"      --long            write long names of C++ and Rust whole, as callgrind, csv, json\n"
	"                        and perf-script do by default\n"
	"  -h, --help            show this help\n"
	"\n"
	"for samples:\n" REPORT_FILTER_HELP "\n"
	"SPEC is [OBJECT:]FUNCTION[,...], both globs, or @FILE with one SPEC per line.\n"
	"\n"
	"formats:\n";

static const char examples[] =
	"\n"
	"examples:\n"
	"  dwell export -f pprof -o app.pb.gz && go tool pprof -top app.pb.gz\n"
	"  dwell export -f folded | flamegraph.pl > flames.svg\n"
	"  dwell export -f callgrind -o callgrind.out && callgrind_annotate callgrind.out\n"
	"  dwell export -f perfetto --timeline --time 2-3 -o trace.json\n";

/* Formats shared with `dwell report`; the others are in output/. */
static const struct export_format table_formats[] = {
	{ "json", "as dwell report --format json", export_table_json, EXPORT_WHOLE },
	{ "csv", "as dwell report --format csv", export_table_csv, EXPORT_WHOLE },
};

static const size_t table_format_count = sizeof(table_formats) / sizeof(table_formats[0]);

/* Returns NULL after the last one. */
static const struct export_format *format_at(size_t place)
{
	if (place < export_format_count)
		return &export_formats[place];
	place -= export_format_count;
	return place < table_format_count ? &table_formats[place] : NULL;
}

static void help(void)
{
	const struct export_format *format;

	fputs(usage, stdout);
	for (size_t i = 0; (format = format_at(i)); i++)
		printf("  %-12s  %s\n", format->name, format->summary);
	fputs(examples, stdout);
}

static int take_format(struct arguments *arguments, const char *value)
{
	const struct export_format *format;

	for (size_t i = 0; (format = format_at(i)); i++) {
		if (strcmp(format->name, value) == 0) {
			arguments->format = format;
			return 0;
		}
	}
	return cmd_fail(VERB, "unknown format '%s'; see dwell export --help", value);
}

static int take_unit(struct arguments *arguments, const char *value)
{
	if (strcmp(value, "samples") == 0)
		arguments->source.unit = EXPORT_UNIT_SAMPLES;
	else if (strcmp(value, "ns") == 0 || strcmp(value, "events") == 0)
		arguments->source.unit = EXPORT_UNIT_NS;
	else
		return cmd_fail(VERB, "unknown unit '%s' (expected samples, ns or events)", value);
	arguments->is_unit_events = strcmp(value, "events") == 0;
	return 0;
}

static int take_part(struct arguments *arguments, const char *value)
{
	if (strcmp(value, "samples") == 0)
		arguments->part = PART_SAMPLES;
	else if (strcmp(value, "calls") == 0)
		arguments->part = PART_CALLS;
	else
		return cmd_fail(VERB, "unknown --of value '%s' (expected samples or calls)", value);
	return 0;
}

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;

	switch (option) {
	case 'f':
		return take_format(arguments, optarg);
	case 'o':
		arguments->out = optarg;
		return 0;
	case UNIT:
		return take_unit(arguments, optarg);
	case OF:
		return take_part(arguments, optarg);
	case WIRE:
		arguments->has_wire = true;
		return export_wire_take(&arguments->source.wire, VERB, optarg);
	case THREADS:
		arguments->source.has_threads = true;
		return 0;
	case TIMELINE:
		arguments->source.is_timeline = true;
		return 0;
	case LONG:
		arguments->long_names = true;
		return 0;
	case OBJECT:
		arguments->source.object = optarg;
		return 0;
	case 'h':
		arguments->help = true;
		return 0;
	default:
		return report_filter_take(&arguments->filter, VERB, option, argv);
	}
}

/* Checks that the format supports the options. */
static int check(const struct arguments *arguments)
{
	const struct export_source *source = &arguments->source;
	const struct {
		bool asked;
		unsigned flag;
		const char *option;
	} wishes[] = {
		{ source->unit != EXPORT_UNIT_DEFAULT, EXPORT_TAKES_UNIT, "--unit" },
		{ source->has_threads, EXPORT_TAKES_THREADS, "--threads" },
		{ source->is_timeline, EXPORT_TAKES_TIMELINE, "--timeline" },
		{ source->object, EXPORT_TAKES_OBJECT, "--object" },
		{ arguments->part != PART_ANY, EXPORT_TAKES_SAMPLES, "--of" },
		{ arguments->has_wire, EXPORT_TAKES_WIRE, "--wire" },
	};

	if (!arguments->format)
		return cmd_fail(VERB, "missing format: give -f FORMAT; see dwell export --help");
	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
		if (wishes[i].asked && !(arguments->format->flags & wishes[i].flag))
			return cmd_fail(VERB, "format %s does not support %s",
					arguments->format->name, wishes[i].option);
	if (arguments->format->flags & EXPORT_BINARY && !arguments->out && isatty(STDOUT_FILENO))
		return cmd_fail(
			VERB,
			"%s is a binary format: write it to a file with -o FILE, not to a terminal",
			arguments->format->name);
	return 0;
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	int status = cmd_parse(":hf:o:", options, take_option, arguments, argc, argv);

	if (status || arguments->help)
		return status;
	if (optind + 1 < argc)
		return cmd_fail(VERB, "unexpected argument '%s': only one DATA file is allowed",
				argv[optind + 1]);
	arguments->path = optind < argc ? argv[optind] : CMD_DATA;
	return check(arguments);
}

/* Checks that there is a tree of calls, and that the options are for it. */
static int check_tree(const struct arguments *arguments, const struct reader *reader,
		      struct err *err)
{
	if (!calls_tree_exists(reader))
		return err_set(err, EINVAL,
			       "'%s' contains no tree of calls, which format %s needs: record it "
			       "with dwell calls --tree",
			       reader->path, arguments->format->name);
	if (arguments->source.has_threads || arguments->source.unit == EXPORT_UNIT_SAMPLES)
		return err_set(err, EINVAL,
			       "calls are written in ns, for all threads: leave out %s",
			       arguments->source.has_threads ? "--threads" : "--unit samples");
	return 0;
}

/* Chooses the part to write: samples if there are any, unless the user or the format wants calls.
 */
static int choose_part(struct arguments *arguments, const struct reader *reader, struct err *err)
{
	const struct export_format *format = arguments->format;
	bool is_sampled = profile_exists(reader);

	if (format->flags & EXPORT_WHOLE)
		return 0;
	arguments->has_both = arguments->part == PART_ANY && format->flags & EXPORT_BOTH;
	if (arguments->part == PART_ANY)
		arguments->part = is_sampled ? PART_SAMPLES : PART_CALLS;
	if (arguments->part == PART_SAMPLES && !is_sampled)
		return err_set(err, EINVAL, "'%s' contains no samples", reader->path);
	if (arguments->source.unit == EXPORT_UNIT_NS && arguments->part == PART_SAMPLES &&
	    arguments->is_unit_events != (reader_event(reader) != NULL))
		return err_set(err, EINVAL, "samples of '%s' count %s: leave out --unit",
			       reader->path, reader_event(reader) ? "events" : "time");
	if (arguments->part == PART_CALLS && format->flags & EXPORT_TAKES_TREE)
		return check_tree(arguments, reader, err);
	if (arguments->part == PART_CALLS && !(format->flags & EXPORT_TAKES_CALLS))
		return err_set(err, EINVAL,
			       "format %s supports samples only%s '%s'; callgrind, json, csv, otlp "
			       "and pprof support calls too",
			       format->name,
			       is_sampled ? ": it cannot hold the calls of"
					  : ", and there are only calls in",
			       reader->path);
	return 0;
}

static bool is_short(const struct arguments *arguments)
{
	return arguments->format->flags & EXPORT_IS_SEEN && !arguments->long_names;
}

/* Writes what was read. */
static int write_source(struct arguments *arguments, FILE *out, struct err *err)
{
	struct export_source *source = &arguments->source;
	struct resources resources;
	int status = resources_read(&resources, source->reader, NULL, err);

	if (status)
		return status;
	source->resources = &resources;
	status = arguments->format->write(source, out, err);
	resources_free(&resources);
	return status;
}

static enum calls_by calls_by(const struct arguments *arguments)
{
	if (arguments->format->flags & EXPORT_BOTH)
		return CALLS_BY_PROCESS;
	if (!(arguments->source.reader->header.flags & RECORD_BY_CALLER))
		return CALLS_BY_FUNCTION;
	return report_filter_callers(&arguments->filter, CALLS_BY_CALLER);
}

static int write_tree(struct arguments *arguments, FILE *out, struct err *err)
{
	struct export_source *source = &arguments->source;
	struct calls_tree tree;
	int status = calls_tree_make(&tree, source->reader, 0, err);

	if (status)
		return status;
	if (tree.count == 0)
		cmd_note(VERB, "'%s' contains no calls", source->reader->path);
	for (size_t i = 0; is_short(arguments) && i < tree.function_count; i++)
		short_name(tree.functions[i].name);
	source->tree = &tree;
	status = write_source(arguments, out, err);
	calls_tree_free(&tree);
	return status;
}

/* Writes calls, beside the samples if these have been read. */
static int write_calls(struct arguments *arguments, FILE *out, struct err *err)
{
	struct export_source *source = &arguments->source;
	struct calls calls;
	int status = calls_merge(&calls, source->reader, calls_by(arguments), err);

	if (status)
		return status;
	if (calls.count == 0 && !source->profile)
		cmd_note(VERB, "'%s' contains no calls", source->reader->path);
	for (size_t i = 0; is_short(arguments) && i < calls.count; i++)
		short_name(calls.rows[i].name);
	source->calls = calls.count || !source->profile ? &calls : NULL;
	status = write_source(arguments, out, err);
	calls_free(&calls);
	return status;
}

static int write_samples(struct arguments *arguments, FILE *out, struct err *err)
{
	struct export_source *source = &arguments->source;
	struct profile profile;
	int status;

	arguments->filter.lines = arguments->format->flags & EXPORT_HAS_LINES;
	arguments->filter.keep_samples = arguments->format->flags & EXPORT_KEEPS_SAMPLES;
	arguments->filter.arcs = arguments->format->flags & EXPORT_HAS_ARCS;
	status = report_filter_read(&profile, source->reader, &arguments->filter, err);
	if (status)
		return status;
	if (profile.totals.kept.samples == 0)
		cmd_note(VERB, "'%s' contains no samples%s", source->reader->path,
			 profile.totals.seen.samples ? " that match the options" : "");
	if (is_short(arguments))
		functions_shorten(&profile.functions);
	source->profile = &profile;
	status = arguments->has_both ? write_calls(arguments, out, err)
				     : write_source(arguments, out, err);
	profile_free(&profile);
	return status;
}

static int write_part(struct arguments *arguments, FILE *out, struct err *err)
{
	if (arguments->format->flags & EXPORT_WHOLE)
		return arguments->format->write(&arguments->source, out, err);
	if (arguments->part == PART_SAMPLES)
		return write_samples(arguments, out, err);
	return arguments->format->flags & EXPORT_TAKES_TREE ? write_tree(arguments, out, err)
							    : write_calls(arguments, out, err);
}

static int write_file(struct arguments *arguments, struct err *err)
{
	struct output_file file;
	int status = output_file_open(&file, arguments->out, err);

	if (status)
		return status;
	status = write_part(arguments, file.out, err);
	if (!status)
		return output_file_finish(&file, err);
	output_file_drop(&file);
	return status;
}

static int export(struct arguments *arguments)
{
	struct reader reader;
	struct err err;
	int status = reader_open(&reader, arguments->path, &err);

	if (status)
		return cmd_fail(VERB, "%s", err.text);
	arguments->source.reader = &reader;
	arguments->source.filter = &arguments->filter;
	status = choose_part(arguments, &reader, &err);
	if (!status)
		status = write_file(arguments, &err);
	if (!status)
		report_filter_note_unmatched(&arguments->filter, VERB);
	reader_close(&reader);
	return status ? cmd_fail_by(VERB, status, &err) : 0;
}

int cmd_export(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	int status = parse(&arguments, argc, argv);

	if (!status && arguments.help)
		help();
	else if (!status)
		status = export(&arguments);
	profile_filter_fini(&arguments.filter);
	return status;
}
