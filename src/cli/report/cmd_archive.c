/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cmd.h"
#include "fetching.h"
#include "progress.h"
#include "model/calls/callers.h"
#include "model/profile/profile.h"
#include "output/table/units.h"
#include "recording/make/archive.h"
#include "symbol/archive_write.h"

#define VERB   "archive"
#define SUFFIX ".archive"

struct arguments {
	const char *path;
	const char *output; /* NULL: the recording's path with SUFFIX */
	bool force;
	bool quiet;
	bool help;
	struct profile_filter filter;
};

enum { DEBUGINFOD = 256 };

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "force", no_argument, NULL, 'f' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "debuginfod", optional_argument, NULL, DEBUGINFOD },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell archive [OPTION...] [DATA]\n"
	"\n"
	"Writes a copy of a recording that contains the names of all sampled functions, so that\n"
	"reports on another machine are the same without the files. DATA is dwell.data by\n"
	"default, and is not changed.\n"
	"\n"
	"  -o, --output FILE     write to FILE [DATA" SUFFIX "]\n"
	"  -f, --force           replace an existing recording\n"
	"  -q, --quiet           print errors only\n"
	"      --debuginfod[=S]  download debug files from DEBUGINFOD_URLS, for at most S seconds\n"
	"                        each [30] and four times that in total\n"
	"  -h, --help            show this help\n"
	"\n"
	"examples:\n"
	"  dwell archive                      dwell.data" SUFFIX ", from dwell.data\n"
	"  dwell archive -o slow.data x.data  slow.data, from x.data\n"
	"  dwell report slow.data             on any machine\n";

/* Finds the names of everything that was sampled, as items of an archive. */
static int find_names(const struct reader *reader, struct profile_filter *filter, char **items,
		      size_t *size, struct err *err)
{
	struct archive_write names = { 0 };
	struct profile profile;
	int status;

	filter->new_archive = &names;
	filter->arcs = true;
	status = progress_read_profile(&profile, reader, filter, err);
	*items = NULL;
	*size = 0;
	if (status) {
		archive_write_free(&names);
		return status;
	}
	status = callers_look_up(&profile.functions, reader, err);
	if (!status && archive_write_items(&names, &profile.functions.symbolizer, items, size))
		status = err_no_memory(err);
	archive_write_free(&names);
	profile_free(&profile);
	return status;
}

static void report_size(const char *output)
{
	char size[UNITS_BYTES];
	struct stat stat_of_it;

	if (stat(output, &stat_of_it) == 0)
		cmd_note(VERB, "wrote '%s', %s KB", output,
			 units_count(size, ((uint64_t)stat_of_it.st_size + 1023) >> 10));
}

static int write_archive(const struct reader *reader, struct arguments *arguments,
			 const char *output, struct err *err)
{
	struct archive archive = { .reader = reader, .replace = arguments->force };
	char *items;
	int status = find_names(reader, &arguments->filter, &items, &archive.size, err);

	archive.items = items;
	if (!status)
		status = archive_save(&archive, output, err);
	free(items);
	fetching_note(&arguments->filter, VERB);
	if (!status && !arguments->quiet)
		report_size(output);
	return status;
}

static int archive_to(struct arguments *arguments, const char *output)
{
	struct reader reader;
	struct err err;
	int status = archive_check_ended(arguments->path, &err);

	if (!status)
		status = reader_open(&reader, arguments->path, &err);
	if (status)
		return cmd_fail(VERB, "%s", err.text);
	status = write_archive(&reader, arguments, output, &err);
	reader_close(&reader);
	return status ? cmd_fail(VERB, "%s", err.text) : 0;
}

static int archive(struct arguments *arguments)
{
	char *output;
	int status;

	/* Beyond the file size limit, write() is to fail with a reason; the signal would kill us
	 * without one. */
	signal(SIGXFSZ, SIG_IGN);
	if (arguments->output)
		return archive_to(arguments, arguments->output);
	if (asprintf(&output, "%s" SUFFIX, arguments->path) < 0)
		return cmd_fail(VERB, "out of memory");
	status = archive_to(arguments, output);
	free(output);
	return status;
}

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;

	switch (option) {
	case 'o':
		arguments->output = optarg;
		return 0;
	case 'f':
		arguments->force = true;
		return 0;
	case 'q':
		arguments->quiet = true;
		return 0;
	case DEBUGINFOD:
		return fetching_take(&arguments->filter, VERB, optarg);
	case 'h':
		arguments->help = true;
		return 0;
	default:
		return cmd_fail_option(VERB, option, argv);
	}
}

int cmd_archive(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	int status = cmd_parse(":o:fqh", options, take_option, &arguments, argc, argv);

	if (!status && optind + 1 < argc && !arguments.help)
		status = cmd_fail(VERB, "unexpected argument '%s': only one DATA file is allowed",
				  argv[optind + 1]);
	arguments.path = optind < argc ? argv[optind] : CMD_DATA;
	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status)
		status = archive(&arguments);
	profile_filter_fini(&arguments.filter);
	return status;
}
