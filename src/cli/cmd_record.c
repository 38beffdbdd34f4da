/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/cmd.h"
#include "cli/outside.h"
#include "cli/session.h"

#define VERB     "record"
#define USUAL_HZ 999 /* not in step with anything that happens a thousand times a second */
#define MOST_HZ  20000

/* Each look at a thread that waits reads files of /proc. */
#define USUAL_BLOCKED_HZ 99
#define MOST_BLOCKED_HZ  1000

#define PIDS_MAX 64

struct arguments {
	struct spec_list calls;
	const char *data;
	const char *clock; /* NULL: the best there is */
	uint32_t hz;
	uint32_t flags;      /* enum record_flags */
	uint32_t blocked_hz; /* 0: CPU time alone */
	bool is_wall, has_hz;
	enum session_engine engine;
	pid_t pids[PIDS_MAX];
	size_t pid_count;
	double seconds; /* 0: as long as they run */
	enum session_via via;
	bool run_anyway;
	bool quiet;
	bool help;
	char **command;
};

/* Options that have no letter. */
enum { NO_STACKS = 256, CLOCK, ENGINE, CALLS, VIA, NO_FOLLOW, RUN_ANYWAY };

static const struct option options[] = {
	{ "frequency", required_argument, NULL, 'F' },
	{ "output", required_argument, NULL, 'o' },
	{ "no-stacks", no_argument, NULL, NO_STACKS },
	{ "clock", required_argument, NULL, CLOCK },
	{ "engine", required_argument, NULL, ENGINE },
	{ "pid", required_argument, NULL, 'p' },
	{ "duration", required_argument, NULL, 'd' },
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
	"       dwell record -p PID[,PID...] [-d SECONDS] [OPTION...]\n"
	"\n"
	"Samples where the threads and children of COMMAND, or of processes that run already,\n"
	"spend their CPU time, with their stacks. dwell report shows it; `dwell COMMAND` does\n"
	"both.\n"
	"\n"
	"  -F, --frequency HZ    samples in a second of CPU time (999)\n"
	"  -o, --output DATA     where to record to (dwell.data)\n"
	"      --no-stacks       the innermost function alone\n"
	"  -p, --pid PID[,PID]   processes that run; Ctrl-C ends the recording, and not them\n"
	"  -d, --duration SECONDS  of that\n"
	"      --clock cpu|wall|perf|timer|itimer\n"
	"                        cpu: the best there is of perf, timer and itimer, each of which\n"
	"                        can be named as well; wall: also time that threads wait\n"
	"      --engine inside|outside\n"
	"                        inside: by a library that is loaded into COMMAND; outside: by\n"
	"                        what the kernel tells of it, which static programs need\n"
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
	"  dwell record --calls 'libz*:*' ./app    samples, and exact counts of calls of libz\n"
	"  dwell record -p 4711 -d 10              ten seconds of a server\n";

static int take_hz(struct arguments *arguments, const char *value)
{
	uint64_t hz;

	if (!decimal_parse(value, MOST_HZ, &hz) || hz == 0)
		return cmd_fail(VERB, "'%s' is no frequency: it is from 1 to %d samples a second",
				value, MOST_HZ);
	arguments->hz = (uint32_t)hz;
	arguments->has_hz = true;
	return 0;
}

static int take_pids(struct arguments *arguments, const char *value)
{
	uint64_t pid;

	for (const char *at = value;; at++) {
		if (!decimal_prefix(at, INT32_MAX, &pid, &at) || pid == 0 || (*at && *at != ','))
			return cmd_fail(VERB, "'%s' is no list of processes", value);
		if (arguments->pid_count == PIDS_MAX)
			return cmd_fail(VERB, "there are more than %d processes in '%s'", PIDS_MAX,
					value);
		arguments->pids[arguments->pid_count++] = (pid_t)pid;
		if (!*at)
			return 0;
	}
}

static int take_seconds(struct arguments *arguments, const char *value)
{
	char *end;
	double seconds = strtod(value, &end);

	if (end == value || *end || !(seconds > 0 && seconds < 1e9))
		return cmd_fail(VERB, "'%s' is no number of seconds", value);
	arguments->seconds = seconds;
	return 0;
}

static int take_engine(struct arguments *arguments, const char *value)
{
	if (strcmp(value, "inside") == 0)
		arguments->engine = SESSION_INSIDE;
	else if (strcmp(value, "outside") == 0)
		arguments->engine = SESSION_OUTSIDE;
	else
		return cmd_fail(VERB, "there is no engine '%s': inside or outside", value);
	return 0;
}

static int take_clock(struct arguments *arguments, const char *value)
{
	static const char *const clocks[] = { "perf", "timer", "itimer" };

	arguments->clock = NULL;
	arguments->is_wall = strcmp(value, "wall") == 0;
	if (arguments->is_wall || strcmp(value, "cpu") == 0)
		return 0;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (strcmp(value, clocks[i]) == 0)
			arguments->clock = clocks[i];
	if (!arguments->clock)
		return cmd_fail(VERB, "there is no clock '%s': cpu, wall, perf, timer or itimer",
				value);
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
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;

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
	case ENGINE:
		return take_engine(arguments, optarg);
	case 'p':
		return take_pids(arguments, optarg);
	case 'd':
		return take_seconds(arguments, optarg);
	case CALLS:
		return take_calls(arguments, optarg);
	case VIA:
		return session_take_via(&arguments->via, VERB, optarg);
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

static int check(const struct arguments *arguments)
{
	bool has_command = *arguments->command, is_outside = arguments->engine == SESSION_OUTSIDE;

	if (!has_command && !arguments->pid_count)
		return cmd_fail(VERB, "there is no COMMAND to run; see dwell record --help");
	if (has_command && arguments->pid_count)
		return cmd_fail(VERB, "it is processes that run or a COMMAND, not both");
	if (arguments->seconds > 0 && !arguments->pid_count)
		return cmd_fail(VERB, "-d is for processes that run already: see -p");
	if (arguments->calls.count && arguments->pid_count)
		return cmd_fail(VERB,
				"--calls needs a COMMAND: a process that runs is not changed");
	if (arguments->calls.count && (is_outside || arguments->is_wall))
		return cmd_fail(VERB, "--calls needs the engine inside, and the clock cpu");
	if (arguments->engine == SESSION_INSIDE && (arguments->is_wall || arguments->pid_count))
		return cmd_fail(VERB, "threads that wait, and processes that run already, are only "
				      "seen from outside");
	if (arguments->clock && (is_outside || arguments->pid_count))
		return cmd_fail(VERB, "from outside there is no choice of clocks: cpu or wall");
	return 0;
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	int status = cmd_parse("+:F:o:p:d:qh", options, take_option, arguments, argc, argv);

	if (status)
		return status;
	arguments->command = argv + optind;
	if (arguments->is_wall)
		arguments->blocked_hz = arguments->has_hz ? arguments->hz : USUAL_BLOCKED_HZ;
	if (arguments->blocked_hz > MOST_BLOCKED_HZ)
		arguments->blocked_hz = MOST_BLOCKED_HZ;
	return arguments->help ? 0 : check(arguments);
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
		.via = arguments->via,
		.engine = arguments->is_wall ? SESSION_OUTSIDE : arguments->engine,
		.blocked_hz = arguments->blocked_hz,
		.run_anyway = arguments->run_anyway,
		.show = arguments->quiet ? SESSION_NOTHING : SESSION_LINE,
	};

	if (arguments->calls.count) {
		session.inject |= INJECTION_CALLS;
		session.engine = SESSION_INSIDE;
	}
	return session;
}

int cmd_record(int argc, char **argv)
{
	struct arguments arguments = { .data = CMD_DATA, .hz = USUAL_HZ };
	int status = parse(&arguments, argc, argv);
	struct session session = session_of(&arguments);

	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status && arguments.pid_count)
		status = outside_watch(&session, arguments.pids, arguments.pid_count,
				       arguments.seconds);
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
