/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "origin.h"
#include "running.h"
#include "sampling.h"
#include "session.h"
#include "model/calls/calls_sort.h"

#define VERB "calls"

struct arguments {
	struct spec_list chosen, excluded, from;
	const char *data; /* a pattern; NULL: the default */
	struct origin origin;
	const char *emulator;
	uint32_t flags; /* enum record_flags */
	enum session_via via;
	struct sampling_pids pids;
	double seconds; /* 0: until they end */
	struct switching switching;
	bool run_anyway;
	bool quiet;
	bool help;
	struct report_options report;
	char **command;
};

/* Options without a short form. */
enum {
	FROM = 256,
	VIA,
	EMULATOR,
	COUNT,
	SAMPLE_TIMING,
	BY_CALLER,
	BY_THREAD,
	TREE,
	LABEL,
	DELAY,
	TOGGLE,
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
	{ "pid", required_argument, NULL, 'p' },
	{ "duration", required_argument, NULL, 'd' },
	{ "delay", required_argument, NULL, DELAY },
	{ "toggle", required_argument, NULL, TOGGLE },
	{ "via", required_argument, NULL, VIA },
	{ "emulator", required_argument, NULL, EMULATOR },
	{ "count", no_argument, NULL, COUNT },
	{ "sample-timing", no_argument, NULL, SAMPLE_TIMING },
	{ "by-caller", optional_argument, NULL, BY_CALLER },
	{ "by-thread", no_argument, NULL, BY_THREAD },
	{ "tree", no_argument, NULL, TREE },
	{ "label", required_argument, NULL, LABEL },
	{ "no-follow", no_argument, NULL, NO_FOLLOW },
	{ "run-anyway", no_argument, NULL, RUN_ANYWAY },
	{ "sort", required_argument, NULL, SORT },
	{ "limit", required_argument, NULL, LIMIT },
	{ "format", required_argument, NULL, FORMAT },
	DISPLAY_LONG_OPTION,
	DISPLAY_COLOR_OPTION,
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell calls [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	"       dwell calls -p PID[,PID...] [-d SECONDS] [OPTION...]\n"
	"\n"
	"Runs COMMAND, and counts and times all calls of the chosen functions of shared "
	"libraries,\n"
	"in all its threads and children; or those of running processes. Shows them on stderr at\n"
	"the end.\n"
	"\n"
	"  -f, --function SPEC   choose functions; required; may be repeated\n"
	"  -x, --exclude SPEC    exclude functions; may be repeated\n"
	"      --from OBJECT     only calls from these objects\n" ORIGIN_OUTPUT_HELP
	"  -p, --pid PID[,PID]   count calls of running processes; Ctrl-C takes everything back\n"
	"  -d, --duration SECONDS  stop counting in processes after SECONDS\n" SWITCHING_HELP
	"      --via METHOD      audit, got or entry; see dwell-calls(1)\n"
	"      --emulator LINE   emulator for a COMMAND for another CPU\n"
	"      --count           count only, take no times\n"
	"      --sample-timing   time a random part of the calls; counts stay exact\n"
	"      --by-caller[=KIND]  one row per function and caller: function or object [function]\n"
	"      --by-thread       one row per function and thread\n"
	"      --tree            show each function below the chosen function that called "
	"it\n" ORIGIN_LABEL_HELP "      --no-follow       do not record children of COMMAND\n"
	"      --run-anyway      run COMMAND even if its calls cannot be intercepted\n"
	"      --sort COLUMN     " CALLS_SORT_COLUMNS "\n"
	"      --limit N         show at most N rows; 0: all\n"
	"      --format FORMAT   text, json or csv [text]\n" DISPLAY_LONG_HELP DISPLAY_COLOR_HELP
	"  -q, --quiet           do not show the calls\n"
	"  -h, --help            show this help\n"
	"\n"
	"SPEC is [OBJECT:]FUNCTION[,...], both globs, or @FILE with one SPEC per line.\n"
	"\n"
	"examples:\n"
	"  dwell calls -f 'libz*:*' gzip -k file           all calls from gzip to libz\n"
	"  dwell calls -f malloc,free --by-caller ./app    callers of malloc and free\n"
	"  dwell calls -f 'libsqlite3*:*' --tree ./app     which of them calls which\n"
	"  dwell calls -f 'libc.so*:*' --count -- ls -l    counts only, at the lowest overhead\n"
	"  dwell calls -p 4711 -d 10 -f 'libssl*:*'        ten seconds of a server\n";

static int fail(const struct err *err)
{
	return cmd_fail(VERB, "%s", err->text);
}

/* Keeps the kind of callers; NULL: the default. Returns 0 or the exit status. */
static int take_by_caller(struct arguments *arguments, const char *value)
{
	bool is_function = !value || strcmp(value, "function") == 0;

	if (!is_function && strcmp(value, "object") != 0)
		return cmd_fail(VERB,
				"unknown --by-caller value '%s' (expected function or object)",
				value);
	arguments->flags &= ~(uint32_t)RECORD_BY_SITE;
	arguments->flags |= RECORD_BY_CALLER | (is_function ? RECORD_BY_SITE : 0);
	arguments->report.by = CALLS_BY_CALLER;
	return 0;
}

/* Keeps an option that has no value. Returns 0 or the exit status. */
static int take_flag(struct arguments *arguments, int option, char **argv)
{
	switch (option) {
	case COUNT:
		arguments->flags |= RECORD_COUNT_ONLY;
		break;
	case SAMPLE_TIMING:
		arguments->flags |= RECORD_SAMPLE_TIMING;
		break;
	case BY_THREAD:
		arguments->flags |= RECORD_BY_THREAD;
		arguments->report.by = CALLS_BY_THREAD;
		break;
	case TREE:
		arguments->flags |= RECORD_BY_PATH;
		arguments->report.shape = REPORT_TREE;
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
		return display_take(&arguments->report.display, VERB, option, argv);
	}
	return 0;
}

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;
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
	case 'p':
		return sampling_take_pids(&arguments->pids, VERB, optarg);
	case 'd':
		return sampling_take_seconds(&arguments->seconds, VERB, optarg);
	case VIA:
		return session_take_via(&arguments->via, VERB, optarg);
	case BY_CALLER:
		return take_by_caller(arguments, optarg);
	case DELAY:
		return switching_take_delay(&arguments->switching, VERB, optarg);
	case TOGGLE:
		return switching_take_signal(&arguments->switching, VERB, optarg);
	case LABEL:
		return origin_take_label(&arguments->origin, VERB, optarg);
	case EMULATOR:
		arguments->emulator = optarg;
		break;
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

/* Checks what rows are of. */
static int check_rows(uint32_t flags)
{
	if (flags & RECORD_BY_CALLER && flags & RECORD_BY_THREAD)
		return cmd_fail(VERB, "give either --by-caller or --by-thread, not both");
	if (!(flags & RECORD_BY_PATH))
		return 0;
	if (flags & (RECORD_BY_CALLER | RECORD_BY_THREAD))
		return cmd_fail(VERB, "--tree separates calls by all of their callers: leave out "
				      "--by-caller and --by-thread");
	if (flags & (RECORD_COUNT_ONLY | RECORD_SAMPLE_TIMING))
		return cmd_fail(VERB, "--tree needs the time of every call: leave out --count and "
				      "--sample-timing");
	return 0;
}

static int check(const struct arguments *arguments)
{
	uint32_t flags = arguments->flags;

	bool has_command = *arguments->command, has_pids = arguments->pids.count;

	if (!has_command && !has_pids)
		return cmd_fail(VERB, "missing COMMAND; see dwell calls --help");
	if (has_command && has_pids)
		return cmd_fail(VERB, "give either -p PID or a COMMAND, not both");
	if (arguments->seconds > 0 && !has_pids)
		return cmd_fail(VERB, "-d needs -p PID: it is for running processes");
	if (has_pids && arguments->via == SESSION_VIA_AUDIT)
		return cmd_fail(VERB,
				"--via audit needs a COMMAND: processes that run already have "
				"no auditor");
	if (arguments->chosen.count == 0)
		return cmd_fail(VERB, "no functions chosen: give -f SPEC, or -f '*' for all");
	if (arguments->via == SESSION_VIA_ENTRY && arguments->from.count)
		return cmd_fail(VERB, "--via entry sees every call: --from cannot choose callers "
				      "(--by-caller shows them)");
	if (flags & RECORD_COUNT_ONLY && flags & RECORD_SAMPLE_TIMING)
		return cmd_fail(
			VERB,
			"give either --count or --sample-timing, not both: --count takes no times");
	return check_rows(flags);
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	int status = cmd_parse("+:f:x:o:p:d:qh", options, take_option, arguments, argc, argv);

	if (status)
		return status;
	arguments->command = argv + optind;
	return arguments->help ? 0 : check(arguments);
}

static int calls(struct arguments *arguments)
{
	uint32_t callers = arguments->flags & RECORD_BY_PATH ? RECORD_BY_CALLER : 0;
	int status = origin_complete(&arguments->origin, VERB, NULL);

	if (!status)
		status = origin_name(&arguments->origin, VERB, arguments->data, getpid());
	struct session session;

	if (status)
		return status;
	session = (struct session){
		.verb = VERB,
		.command = arguments->command,
		.emulator = arguments->emulator,
		.switching = arguments->switching,
		.data = arguments->origin.data,
		.create = { .flags = arguments->flags | callers,
			    .chosen = &arguments->chosen,
			    .excluded = &arguments->excluded,
			    .from = &arguments->from,
			    .labels = &arguments->origin.labels },
		.inject = INJECTION_CALLS,
		.via = arguments->via,
		.engine = SESSION_INSIDE,
		.run_anyway = arguments->run_anyway,
		.show = arguments->quiet ? SESSION_NOTHING : SESSION_TABLES,
		.report = arguments->report,
	};
	if (!arguments->pids.count)
		return session_run(&session);
	return running_count(&session, &arguments->pids, arguments->seconds);
}

int cmd_calls(int argc, char **argv)
{
	struct arguments arguments = { .emulator = getenv("DWELL_EMULATOR") };
	int status = parse(&arguments, argc, argv);

	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status)
		status = calls(&arguments);
	spec_list_free(&arguments.chosen);
	spec_list_free(&arguments.excluded);
	spec_list_free(&arguments.from);
	origin_free(&arguments.origin);
	return status;
}
