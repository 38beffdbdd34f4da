/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/cmd.h"
#include "import/import.h"
#include "output/table/units.h"

#define VERB "import"

struct arguments {
	const char *output;
	bool force;
	bool quiet;
	bool help;
	struct import_options options;
};

/* Options without a short form. */
enum { FIRST = 256, UNIT, HZ };

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "event", required_argument, NULL, 'e' },
	{ "first", required_argument, NULL, FIRST },
	{ "unit", required_argument, NULL, UNIT },
	{ "hz", required_argument, NULL, HZ },
	{ "force", no_argument, NULL, 'f' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell import [OPTION...] FILE\n"
	"\n"
	"Makes a recording of a profile that another tool has written: a perf.data, a profile of\n"
	"pprof, folded stacks, or a callgrind.out. The format is recognized by the contents. FILE\n"
	"is not changed.\n"
	"\n"
	"  -o, --output DATA     write the recording to DATA [" CMD_DATA "]\n"
	"  -e, --event EVENT     take this event or sample type, if FILE has several\n"
	"      --first function|process|thread  the first name of folded stacks; thread: a\n"
	"                        process and a thread [function]\n"
	"      --unit samples|ns  unit of numbers in folded stacks [samples]\n"
	"      --hz N            samples per second, where FILE has no times [1000]\n"
	"  -f, --force           replace an existing recording\n"
	"  -q, --quiet           print errors only\n"
	"  -h, --help            show this help\n"
	"\n"
	"examples:\n"
	"  dwell import perf.data && dwell report    the profile that perf has recorded\n"
	"  dwell import -o go.data cpu.pb.gz         go.data, from a profile of pprof\n"
	"  dwell import --first process out.folded   lines that begin with a process\n";

static int take_first(struct arguments *arguments, const char *value)
{
	if (strcmp(value, "function") == 0)
		arguments->options.first = IMPORT_FIRST_FUNCTION;
	else if (strcmp(value, "process") == 0)
		arguments->options.first = IMPORT_FIRST_PROCESS;
	else if (strcmp(value, "thread") == 0)
		arguments->options.first = IMPORT_FIRST_THREAD;
	else
		return cmd_fail(VERB,
				"unknown --first value '%s' (expected function, process or thread)",
				value);
	return 0;
}

static int take_unit(struct arguments *arguments, const char *value)
{
	arguments->options.is_ns = strcmp(value, "ns") == 0;
	if (!arguments->options.is_ns && strcmp(value, "samples") != 0)
		return cmd_fail(VERB, "unknown unit '%s' (expected samples or ns)", value);
	return 0;
}

static int take_hz(struct arguments *arguments, const char *value)
{
	uint64_t hz;

	if (!decimal_parse(value, IMPORT_HZ_MAX, &hz) || hz == 0)
		return cmd_fail(VERB, "invalid rate '%s': must be 1 to %d samples per second",
				value, IMPORT_HZ_MAX);
	arguments->options.hz = (uint32_t)hz;
	return 0;
}

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;

	switch (option) {
	case 'o':
		arguments->output = optarg;
		return 0;
	case 'e':
		arguments->options.event = optarg;
		return 0;
	case FIRST:
		return take_first(arguments, optarg);
	case UNIT:
		return take_unit(arguments, optarg);
	case HZ:
		return take_hz(arguments, optarg);
	case 'f':
		arguments->force = true;
		return 0;
	case 'q':
		arguments->quiet = true;
		return 0;
	case 'h':
		arguments->help = true;
		return 0;
	default:
		return cmd_fail_option(VERB, option, argv);
	}
}

static void tell(const struct import_result *result, const struct arguments *arguments)
{
	char count[UNITS_BYTES];

	if (*result->others)
		cmd_note(VERB, "took %s; -e takes another one: %s", result->event, result->others);
	if (result->has_no_time)
		cmd_note(VERB,
			 "the file has no times: a sample stands for 1/%u s, which --hz changes",
			 arguments->options.hz);
	if (result->lost)
		cmd_note(VERB, "the recorder has lost %s samples",
			 units_count(count, result->lost));
	cmd_note(VERB, "wrote '%s' from %s, %s %s; see dwell report", arguments->output,
		 result->format, units_count(count, result->samples),
		 result->samples == 1 ? "sample" : "samples");
}

/* Returns the folder in which perf keeps files by their build-id; NULL: unknown. */
static char *find_cache(void)
{
	const char *folder = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	char *path;

	if (folder)
		return strdup(folder);
	return home && asprintf(&path, "%s/.debug", home) >= 0 ? path : NULL;
}

static int import(struct arguments *arguments, const char *path)
{
	char *cache = find_cache();
	struct import_result result;
	struct err err;
	int status;

	/* Beyond the file size limit, write() is to fail with a reason; the signal would kill us
	 * without one. */
	signal(SIGXFSZ, SIG_IGN);
	arguments->options.cache = cache;
	status = import_save(path, &arguments->options, arguments->output, arguments->force,
			     &result, &err);
	free(cache);
	if (status)
		return cmd_fail(VERB, "%s", err.text);
	if (!arguments->quiet)
		tell(&result, arguments);
	return 0;
}

int cmd_import(int argc, char **argv)
{
	struct arguments arguments = { .output = CMD_DATA, .options.hz = IMPORT_HZ };
	int status = cmd_parse(":o:e:fqh", options, take_option, &arguments, argc, argv);

	if (status)
		return status;
	if (arguments.help) {
		fputs(help, stdout);
		return 0;
	}
	if (optind >= argc)
		return cmd_fail(VERB, "missing FILE: name the profile to import");
	if (optind + 1 < argc)
		return cmd_fail(VERB, "unexpected argument '%s': only one FILE is allowed",
				argv[optind + 1]);
	return import(&arguments, argv[optind]);
}
