/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/cmd.h"
#include "cli/session.h"

#define VERB     "record"
#define USUAL_HZ 999 /* not in step with anything that happens a thousand times a second */
#define MOST_HZ  20000

struct arguments {
	struct spec_list calls;
	const char *data;
	const char *clock; /* NULL: the best there is */
	uint32_t hz;
	uint32_t flags; /* enum record_flags */
	bool run_anyway;
	bool quiet;
	bool help;
	char **command;
};

/* Options that have no letter. */
enum { NO_STACKS = 256, CLOCK, CALLS, VIA, NO_FOLLOW, RUN_ANYWAY };

static const struct option options[] = {
	{ "frequency", required_argument, NULL, 'F' },
	{ "output", required_argument, NULL, 'o' },
	{ "no-stacks", no_argument, NULL, NO_STACKS },
	{ "clock", required_argument, NULL, CLOCK },
	{ "calls", required_argument, NULL, CALLS },
	{ "via", required_argument, NULL, VIA },
	{ "no-follow", no_argument, NULL, NO_FOLLOW },
	{ "run-anyway", no_argument, NULL, RUN_ANYWAY },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell record [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	"\n"
	"Runs COMMAND and samples where its threads and children spend their CPU time, with\n"
	"their stacks. dwell report shows it; `dwell COMMAND` does both.\n"
	"\n"
	"  -F, --frequency HZ    samples in a second of CPU time (999)\n"
	"  -o, --output DATA     where to record to (dwell.data)\n"
	"      --no-stacks       the innermost function alone\n"
	"      --clock CLOCK     cpu: the best there is of perf, timer and itimer, each of which\n"
	"                        can be named as well\n"
	"      --calls SPEC      count and time these calls too: see dwell calls; may be repeated\n"
	"      --via audit|got   how to get between for that: see dwell-calls(1)\n"
	"      --no-follow       without the children of COMMAND\n"
	"      --run-anyway      run COMMAND also if it cannot be recorded\n"
	"  -q, --quiet           say nothing at the end\n"
	"  -h, --help            this\n"
	"\n"
	"examples:\n"
	"  dwell record ./app --its-option         then: dwell report --tree\n"
	"  dwell record -F 5000 -o x.data make     make and all that it runs\n"
	"  dwell record --calls 'libz*:*' ./app    samples, and exact counts of calls of libz\n";

static int take_hz(struct arguments *arguments, const char *value)
{
	uint64_t hz;

	if (!decimal_parse(value, MOST_HZ, &hz) || hz == 0)
		return cmd_fail(VERB, "'%s' is no frequency: it is from 1 to %d samples a second",
				value, MOST_HZ);
	arguments->hz = (uint32_t)hz;
	return 0;
}

static int take_clock(struct arguments *arguments, const char *value)
{
	static const char *const clocks[] = { "perf", "timer", "itimer" };

	arguments->clock = NULL;
	if (strcmp(value, "cpu") == 0)
		return 0;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (strcmp(value, clocks[i]) == 0)
			arguments->clock = clocks[i];
	if (!arguments->clock)
		return cmd_fail(VERB, "there is no clock '%s': cpu, perf, timer or itimer", value);
	return 0;
}

static int take_calls(struct arguments *arguments, const char *value)
{
	struct err err;

	if (spec_list_add(&arguments->calls, value, &err))
		return cmd_fail(VERB, "%s", err.text);
	return 0;
}

/* Keeps one option; 0 or the exit status. */
static int take_option(struct arguments *arguments, int option, char **argv)
{
	switch (option) {
	case 'F':
		return take_hz(arguments, optarg);
	case 'o':
		arguments->data = optarg;
		return 0;
	case NO_STACKS:
		arguments->flags |= RECORD_NO_STACKS;
		return 0;
	case CLOCK:
		return take_clock(arguments, optarg);
	case CALLS:
		return take_calls(arguments, optarg);
	case VIA:
		return session_take_via(&arguments->flags, VERB, optarg);
	case NO_FOLLOW:
		arguments->flags |= RECORD_NO_FOLLOW;
		return 0;
	case RUN_ANYWAY:
		arguments->run_anyway = true;
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

static int parse(struct arguments *arguments, int argc, char **argv)
{
	int option, status;

	/* We say ourselves what is wrong. The +: options behind COMMAND are its own. */
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:F:o:qh", options, NULL)) != -1) {
		status = take_option(arguments, option, argv);
		if (status)
			return status;
	}
	arguments->command = argv + optind;
	if (!*arguments->command && !arguments->help)
		return cmd_fail(VERB, "there is no COMMAND to run; see dwell record --help");
	return 0;
}

static struct session session_of(const struct arguments *arguments)
{
	struct session session = {
		.verb = VERB,
		.command = arguments->command,
		.data = arguments->data,
		.create = { .flags = arguments->flags,
			    .hz = arguments->hz,
			    .sampling_clock = arguments->clock,
			    .chosen = &arguments->calls },
		.inject = INJECTION_RECORD,
		.run_anyway = arguments->run_anyway,
		.show = arguments->quiet ? SESSION_NOTHING : SESSION_LINE,
	};

	if (arguments->calls.count)
		session.inject |= INJECTION_CALLS;
	if (arguments->calls.count && !(arguments->flags & RECORD_VIA_GOT))
		session.inject |= INJECTION_AUDITOR;
	return session;
}

int cmd_record(int argc, char **argv)
{
	struct arguments arguments = { .data = CMD_DATA, .hz = USUAL_HZ };
	int status = parse(&arguments, argc, argv);
	struct session session = session_of(&arguments);

	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status)
		status = session_run(&session);
	spec_list_free(&arguments.calls);
	return status;
}

int cmd_record_and_report(char **command)
{
	struct arguments arguments = { .data = CMD_DATA, .hz = USUAL_HZ, .command = command };
	struct session session = session_of(&arguments);

	session.verb = "";
	session.show = SESSION_TABLES;
	return session_run(&session);
}
