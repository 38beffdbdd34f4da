/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/cmd.h"
#include "output/table/units.h"
#include "recording/make/merge.h"

#define VERB "merge"

struct arguments {
	const char *output; /* NULL: missing */
	bool force;
	bool quiet;
	bool help;
};

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "force", no_argument, NULL, 'f' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell merge -o FILE [OPTION...] DATA...\n"
	"\n"
	"Makes one recording of many: of the ranks of a job, of several machines, or of the\n"
	"pieces of a long run. Processes keep the host, rank, job and labels of their recording.\n"
	"Each DATA is a recording, and is not changed.\n"
	"\n"
	"  -o, --output FILE     write the merged recording to FILE\n"
	"  -f, --force           replace an existing recording\n"
	"  -q, --quiet           print errors only\n"
	"  -h, --help            show this help\n"
	"\n"
	"examples:\n"
	"  mpirun -n 64 dwell record -o 'run-%r.dwell' ./app\n"
	"  dwell merge -o all.dwell run-*.dwell   all.dwell, from 64 recordings\n"
	"  dwell report all.dwell                 the sum over all ranks\n";

static void tell_some(const struct merge_some *some, const char *one, const char *many,
		      const char *what)
{
	char count[UNITS_BYTES];

	if (some->count == 1)
		cmd_note(VERB, "'%s' %s %s", some->path, one, what);
	else if (some->count)
		cmd_note(VERB, "%s recordings %s %s; the first is '%s'",
			 units_count(count, some->count), many, what, some->path);
}

static void tell(const struct merge_result *result, const char *output)
{
	char size[UNITS_BYTES], runs[UNITS_BYTES];
	struct stat file;

	tell_some(&result->running, "is", "are", "still being written: merged as far as it goes");
	tell_some(&result->incomplete, "is", "are",
		  "damaged or cut short: merged as far as it goes");
	tell_some(&result->estimated, "has", "have",
		  "no rate of its clock: its times are estimated");
	if (stat(output, &file) == 0)
		cmd_note(VERB, "wrote '%s', %s KB: %s %s%s; see dwell report", output,
			 units_count(size, ((uint64_t)file.st_size + 1023) >> 10),
			 units_count(runs, result->runs), result->runs == 1 ? "run" : "runs",
			 result->has_new_clock ? ", aligned by the time of day" : "");
}

static int merge(const struct arguments *arguments, const char *const *paths, size_t count)
{
	struct merge merge = { .paths = paths, .count = count, .replace = arguments->force };
	struct merge_result result;
	struct err err;

	/* Beyond the file size limit, write() is to fail with a reason; the signal would kill us
	 * without one. */
	signal(SIGXFSZ, SIG_IGN);
	if (merge_save(&merge, arguments->output, &result, &err))
		return cmd_fail(VERB, "%s", err.text);
	if (!arguments->quiet)
		tell(&result, arguments->output);
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

int cmd_merge(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	int status = cmd_parse(":o:fqh", options, take_option, &arguments, argc, argv);

	if (status)
		return status;
	if (arguments.help) {
		fputs(help, stdout);
		return 0;
	}
	if (!arguments.output)
		return cmd_fail(VERB, "missing -o FILE: name the merged recording");
	if (optind >= argc)
		return cmd_fail(VERB, "missing DATA: name the recordings to merge");
	return merge(&arguments, (const char *const *)argv + optind, (size_t)(argc - optind));
}
