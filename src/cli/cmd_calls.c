/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/cmd.h"
#include "cli/injection.h"
#include "cli/launch.h"
#include "cli/report.h"
#include "cli/target.h"
#include "model/calls_sort.h"
#include "record/create.h"

#define VERB "calls"

struct arguments {
	struct spec_list chosen, excluded, from;
	const char *data;
	uint32_t flags; /* enum record_flags */
	bool run_anyway;
	bool quiet;
	bool help;
	struct report_options report;
	char **command;
};

/* Options that have no letter. */
enum {
	FROM = 256,
	VIA,
	COUNT,
	SAMPLE_TIMING,
	BY_CALLER,
	BY_THREAD,
	NO_FOLLOW,
	RUN_ANYWAY,
	SORT,
	LIMIT,
	FORMAT
};

static const struct option options[] = {
	{ "function", required_argument, NULL, 'f' },
	{ "exclude", required_argument, NULL, 'x' },
	{ "from", required_argument, NULL, FROM },
	{ "output", required_argument, NULL, 'o' },
	{ "via", required_argument, NULL, VIA },
	{ "count", no_argument, NULL, COUNT },
	{ "sample-timing", no_argument, NULL, SAMPLE_TIMING },
	{ "by-caller", no_argument, NULL, BY_CALLER },
	{ "by-thread", no_argument, NULL, BY_THREAD },
	{ "no-follow", no_argument, NULL, NO_FOLLOW },
	{ "run-anyway", no_argument, NULL, RUN_ANYWAY },
	{ "sort", required_argument, NULL, SORT },
	{ "limit", required_argument, NULL, LIMIT },
	{ "format", required_argument, NULL, FORMAT },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell calls [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	"\n"
	"Runs COMMAND, counts all calls of the chosen functions of shared libraries and takes\n"
	"their times, in all its threads and children. Shows them on stderr at the end.\n"
	"\n"
	"  -f, --function SPEC   the functions; at least one is needed; may be repeated\n"
	"  -x, --exclude SPEC    without those that SPEC chooses; may be repeated\n"
	"      --from OBJECT     only calls that these objects make\n"
	"  -o, --output DATA     where to record to (dwell.data)\n"
	"      --via audit|got   how to get between: see dwell-calls(1)\n"
	"      --count           counts only, no times\n"
	"      --sample-timing   counts are exact, times of a random part of the calls\n"
	"      --by-caller       a row for each function and object that calls it\n"
	"      --by-thread       a row for each function and thread\n"
	"      --no-follow       without the children of COMMAND\n"
	"      --run-anyway      run COMMAND also if its calls cannot be seen\n"
	"      --sort COLUMN     " CALLS_SORT_COLUMNS "\n"
	"      --limit N         at most N rows; 0: all\n"
	"      --format FORMAT   text, json or csv\n"
	"  -q, --quiet           show nothing; see dwell report\n"
	"  -h, --help            this\n"
	"\n"
	"SPEC is [OBJECT:]FUNCTION[,...], both globs, or @FILE, which has a SPEC a line.\n"
	"\n"
	"examples:\n"
	"  dwell calls -f 'libz*:*' gzip -k file           all that gzip calls in libz\n"
	"  dwell calls -f malloc,free --by-caller ./app    who allocates\n"
	"  dwell calls -f 'libc.so*:*' --count -- ls -l    counts cost next to nothing\n";

static int fail(const struct err *err)
{
	return cmd_fail(VERB, "%s", err->text);
}

static int take_via(struct arguments *arguments, const char *value)
{
	if (strcmp(value, "got") == 0)
		arguments->flags |= RECORD_VIA_GOT;
	else if (strcmp(value, "audit") == 0)
		arguments->flags &= ~(uint32_t)RECORD_VIA_GOT;
	else
		return cmd_fail(VERB, "there is no way '%s' to get between: audit or got", value);
	return 0;
}

/* What is recorded; 0 or the exit status. */
static int take_flag(struct arguments *arguments, int option, char **argv)
{
	switch (option) {
	case COUNT:
		arguments->flags |= RECORD_COUNT_ONLY;
		break;
	case SAMPLE_TIMING:
		arguments->flags |= RECORD_SAMPLE_TIMING;
		break;
	case BY_CALLER:
		arguments->flags |= RECORD_BY_CALLER;
		arguments->report.by = CALLS_BY_CALLER;
		break;
	case BY_THREAD:
		arguments->flags |= RECORD_BY_THREAD;
		arguments->report.by = CALLS_BY_THREAD;
		break;
	case NO_FOLLOW:
		arguments->flags |= RECORD_NO_FOLLOW;
		break;
	case RUN_ANYWAY:
		arguments->run_anyway = true;
		break;
	case 'q':
		arguments->quiet = true;
		break;
	case 'h':
		arguments->help = true;
		break;
	default:
		return cmd_fail_option(VERB, option, argv);
	}
	return 0;
}

/* Keeps one option; 0 or the exit status. */
static int take_option(struct arguments *arguments, int option, char **argv)
{
	struct err err;
	int status = 0;

	switch (option) {
	case 'f':
		status = spec_list_add(&arguments->chosen, optarg, &err);
		break;
	case 'x':
		status = spec_list_add(&arguments->excluded, optarg, &err);
		break;
	case FROM:
		status = spec_list_add_objects(&arguments->from, optarg, &err);
		break;
	case 'o':
		arguments->data = optarg;
		break;
	case VIA:
		return take_via(arguments, optarg);
	case SORT:
		return report_take_sort(&arguments->report, VERB, optarg);
	case LIMIT:
		return report_take_limit(&arguments->report, VERB, optarg);
	case FORMAT:
		return report_take_format(&arguments->report, VERB, optarg);
	default:
		return take_flag(arguments, option, argv);
	}
	return status ? fail(&err) : 0;
}

static int check(const struct arguments *arguments)
{
	uint32_t flags = arguments->flags;

	if (!*arguments->command)
		return cmd_fail(VERB, "there is no COMMAND to run; see dwell calls --help");
	if (arguments->chosen.count == 0)
		return cmd_fail(VERB, "no functions are chosen: -f '*' would be all");
	if (flags & RECORD_COUNT_ONLY && flags & RECORD_SAMPLE_TIMING)
		return cmd_fail(VERB,
				"--count takes no times, so --sample-timing has none to sample");
	if (flags & RECORD_BY_CALLER && flags & RECORD_BY_THREAD)
		return cmd_fail(VERB, "rows are --by-caller or --by-thread, not both");
	return 0;
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	int option, status;

	/* We say ourselves what is wrong. The +: options behind COMMAND are its own. */
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:f:x:o:qh", options, NULL)) != -1) {
		status = take_option(arguments, option, argv);
		if (status)
			return status;
	}
	arguments->command = argv + optind;
	return arguments->help ? 0 : check(arguments);
}

/* What is at hand while the command runs. */
struct run {
	const struct arguments *arguments;
	char *path;   /* of the command */
	bool refused; /* it can be run, but not recorded */
	struct injection injection;
	struct creation creation;
};

static int prepare(void *argument)
{
	struct run *run = argument;

	return injection_set_environment(&run->injection, run->creation.path);
}

static int started(void *argument, struct err *err)
{
	struct run *run = argument;

	return create_started(&run->creation, err);
}

/* Finds all that is needed before anything is written. */
static int open_run(struct run *run, struct err *err)
{
	const struct arguments *arguments = run->arguments;
	struct create_options create = { .flags = arguments->flags,
					 .command = arguments->command,
					 .chosen = &arguments->chosen,
					 .excluded = &arguments->excluded,
					 .from = &arguments->from };
	int status = target_find(arguments->command[0], &run->path, err);

	if (!status) {
		status = target_check(run->path, err);
		run->refused = status;
	}
	if (!status)
		status = injection_find(&run->injection, !(arguments->flags & RECORD_VIA_GOT), err);
	if (!status)
		status = create_open(&run->creation, arguments->data, &create, err);
	return status;
}

static void close_run(struct run *run)
{
	create_close(&run->creation);
	injection_free(&run->injection);
	free(run->path);
}

/* The command has run, so what goes wrong from here on does not change the answer. */
static void show(const struct run *run)
{
	const struct arguments *arguments = run->arguments;
	struct reader reader;
	struct err err;
	bool empty;

	if (reader_open(&reader, run->creation.path, &err)) {
		fail(&err);
		return;
	}
	empty = !reader_first(&reader, RECORD_PROCESS);
	if (empty)
		cmd_note(VERB, "nothing was recorded: the linker did not load dwell into '%s'",
			 run->path);
	else if (!arguments->quiet && report_write(&reader, &arguments->report, stderr, &err))
		fail(&err);
	if (!empty)
		report_note_unmatched(&reader, VERB);
	reader_close(&reader);
}

static int exit_status_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int record(struct run *run, struct err *err)
{
	struct launch launch = { .path = run->path,
				 .argv = run->arguments->command,
				 .prepare = prepare,
				 .started = started,
				 .argument = run };
	int status, failed = launch_run(&launch, &status, err);

	if (failed) {
		create_remove(&run->creation);
		return fail(err);
	}
	if (create_ended(&run->creation, status, err))
		fail(err);
	show(run);
	return exit_status_of(status);
}

/* Becomes the command, which nothing is recorded of. */
static int run_without(const struct run *run)
{
	execv(run->path, run->arguments->command);
	return cmd_fail(VERB, "cannot run '%s': %s", run->path, strerror(errno));
}

static int calls(const struct arguments *arguments)
{
	struct run run = { .arguments = arguments, .creation = { .fd = -1 } };
	struct err err;
	int status = open_run(&run, &err) ? fail(&err) : record(&run, &err);

	if (run.refused && arguments->run_anyway)
		status = run_without(&run);
	close_run(&run);
	return status;
}

int cmd_calls(int argc, char **argv)
{
	struct arguments arguments = { .data = CMD_DATA };
	int status = parse(&arguments, argc, argv);

	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status)
		status = calls(&arguments);
	spec_list_free(&arguments.chosen);
	spec_list_free(&arguments.excluded);
	spec_list_free(&arguments.from);
	return status;
}
