/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "origin.h"
#include "outside.h"
#include "running.h"
#include "sampling.h"
#include "sampling_event.h"
#include "session.h"

#define VERB "record"

/* Each look at a waiting thread reads files in /proc. */
#define USUAL_BLOCKED_HZ 99
#define MOST_BLOCKED_HZ  1000

struct arguments {
	struct spec_list calls;
	const char *data; /* a pattern; NULL: the default */
	struct origin origin;
	const char *clock; /* NULL: the best available */
	uint32_t hz;       /* 0: the default */
	struct sampling_event event;
	uint32_t flags;      /* enum record_flags */
	uint32_t blocked_hz; /* 0: CPU time only */
	bool is_wall;
	enum session_engine engine;
	struct sampling_pids pids;
	const char *cgroup; /* NULL: none */
	double seconds;     /* 0: until they end */
	struct pieces pieces;
	struct switching switching;
	enum session_via via;
	bool run_anyway;
	bool quiet;
	bool help;
	char **command;
};

/* Options without a short form. */
enum {
	NO_STACKS = 256,
	KERNEL,
	CGROUP,
	CLOCK,
	ENGINE,
	CALLS,
	VIA,
	LABEL,
	NO_FOLLOW,
	RUN_ANYWAY,
	EVERY,
	KEEP,
	DELAY,
	TOGGLE
};

static const struct option options[] = {
	{ "frequency", required_argument, NULL, 'F' },
	{ "event", required_argument, NULL, 'e' },
	{ "count", required_argument, NULL, 'c' },
	{ "output", required_argument, NULL, 'o' },
	{ "no-stacks", no_argument, NULL, NO_STACKS },
	{ "kernel", no_argument, NULL, KERNEL },
	{ "clock", required_argument, NULL, CLOCK },
	{ "engine", required_argument, NULL, ENGINE },
	{ "pid", required_argument, NULL, 'p' },
	{ "cgroup", required_argument, NULL, CGROUP },
	{ "duration", required_argument, NULL, 'd' },
	{ "delay", required_argument, NULL, DELAY },
	{ "toggle", required_argument, NULL, TOGGLE },
	{ "every", required_argument, NULL, EVERY },
	{ "keep", required_argument, NULL, KEEP },
	{ "calls", required_argument, NULL, CALLS },
	{ "via", required_argument, NULL, VIA },
	{ "label", required_argument, NULL, LABEL },
	{ "no-follow", no_argument, NULL, NO_FOLLOW },
	{ "run-anyway", no_argument, NULL, RUN_ANYWAY },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell record [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	"       dwell record -p PID[,PID...] [-d SECONDS] [OPTION...]\n"
	"       dwell record --cgroup PATH [-d SECONDS] [OPTION...]\n"
	"\n"
	"Samples where the threads and children of COMMAND, or of running processes, spend their\n"
	"CPU time, with stacks. dwell report shows the recording; `dwell COMMAND` does both.\n"
	"\n"
	"  -F, --frequency HZ    samples per second of CPU time [999]\n"
	"  -e, --event EVENT     count EVENT in place of CPU time: page-faults, context-switches,\n"
	"                        cycles, cache-misses, any that `perf list` shows\n"
	"  -c, --count N         sample every Nth EVENT, in place of -F\n" ORIGIN_OUTPUT_HELP
	"      --no-stacks       record the innermost function only\n"
	"      --kernel          continue stacks in the kernel, where that is permitted\n"
	"  -p, --pid PID[,PID]   record running processes; Ctrl-C ends the recording only\n"
	"      --cgroup PATH     record the processes of a cgroup, also those that join it\n"
	"  -d, --duration SECONDS  stop recording processes after SECONDS\n" SWITCHING_HELP
	"      --every TIME      write a piece to the directory FILE every TIME: 60s, 5m or 1h\n"
	"      --keep N|SIZE     remove all but the newest N pieces, or SIZE of them: 500M, 2G\n"
	"      --clock cpu|wall|perf|timer|itimer\n"
	"                        cpu: the best available of perf, timer and itimer;\n"
	"                        wall: include time in which threads wait [cpu]\n"
	"      --engine inside|outside\n"
	"                        inside: by a library loaded into COMMAND; outside: by events\n"
	"                        of the kernel, which static programs need\n"
	"      --calls SPEC      also count and time these calls, as dwell calls does; may be\n"
	"                        repeated\n"
	"      --via METHOD      audit, got or entry, for --calls; see "
	"dwell-calls(1)\n" ORIGIN_LABEL_HELP "      --no-follow       do not record children\n"
	"      --run-anyway      run COMMAND even if it cannot be recorded\n"
	"  -q, --quiet           print no summary\n"
	"  -h, --help            show this help\n"
	"\n"
	"examples:\n"
	"  dwell record ./app --its-option         then: dwell report --tree\n"
	"  dwell record -F 5000 -o x.data make     make and everything it runs\n"
	"  dwell record -e page-faults -c 1 ./app  which code touches new memory\n"
	"  dwell record --calls 'libz*:*' ./app    samples, and exact counts of calls to libz\n"
	"  dwell record -p 4711 -d 10              ten seconds of a server\n"
	"  dwell record -p 4711 -d 10 --calls 'libssl*:*'\n"
	"                                          and its calls to libssl\n";

static int take_engine(struct arguments *arguments, const char *value)
{
	if (strcmp(value, "inside") == 0)
		arguments->engine = SESSION_INSIDE;
	else if (strcmp(value, "outside") == 0)
		arguments->engine = SESSION_OUTSIDE;
	else
		return cmd_fail(VERB, "unknown engine '%s' (expected inside or outside)", value);
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
		return cmd_fail(VERB,
				"unknown clock '%s' (expected cpu, wall, perf, timer or itimer)",
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

static int set(bool *option)
{
	*option = true;
	return 0;
}

static int add_flag(struct arguments *arguments, enum record_flags flag)
{
	arguments->flags |= flag;
	return 0;
}

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;

	switch (option) {
	case 'F':
		return sampling_take_hz(&arguments->hz, VERB, optarg);
	case 'e':
		return sampling_event_take(&arguments->event, VERB, optarg);
	case 'c':
		return sampling_event_take_period(&arguments->event, VERB, optarg);
	case 'o':
		arguments->data = optarg;
		return 0;
	case NO_STACKS:
		return add_flag(arguments, RECORD_NO_STACKS);
	case KERNEL:
		return add_flag(arguments, RECORD_KERNEL_STACKS);
	case CLOCK:
		return take_clock(arguments, optarg);
	case ENGINE:
		return take_engine(arguments, optarg);
	case 'p':
		return sampling_take_pids(&arguments->pids, VERB, optarg);
	case CGROUP:
		arguments->cgroup = optarg;
		return 0;
	case 'd':
		return sampling_take_seconds(&arguments->seconds, VERB, optarg);
	case DELAY:
		return switching_take_delay(&arguments->switching, VERB, optarg);
	case TOGGLE:
		return switching_take_signal(&arguments->switching, VERB, optarg);
	case EVERY:
		return pieces_take_every(&arguments->pieces, VERB, optarg);
	case KEEP:
		return pieces_take_keep(&arguments->pieces, VERB, optarg);
	case CALLS:
		return take_calls(arguments, optarg);
	case VIA:
		return session_take_via(&arguments->via, VERB, optarg);
	case LABEL:
		return origin_take_label(&arguments->origin, VERB, optarg);
	case NO_FOLLOW:
		return add_flag(arguments, RECORD_NO_FOLLOW);
	case RUN_ANYWAY:
		return set(&arguments->run_anyway);
	case 'q':
		return set(&arguments->quiet);
	case 'h':
		return set(&arguments->help);
	default:
		return cmd_fail_option(VERB, option, argv);
	}
}

/* Checks -p together with --calls. */
static int check_running_calls(const struct arguments *arguments)
{
	if (arguments->via == SESSION_VIA_AUDIT)
		return cmd_fail(VERB,
				"--via audit needs a COMMAND: processes that run already have "
				"no auditor");
	if (arguments->pieces.every_s)
		return cmd_fail(VERB, "--every needs a COMMAND if --calls is given: calls of "
				      "running processes are in one recording");
	return 0;
}

static bool is_inside(const struct arguments *arguments)
{
	return *arguments->command && arguments->engine != SESSION_OUTSIDE && !arguments->is_wall;
}

/* Checks -e and -c. */
static int check_event(const struct arguments *arguments)
{
	bool has_event = sampling_event_of(&arguments->event);

	if (arguments->event.period && !has_event)
		return cmd_fail(VERB, "-c needs -e EVENT other than CPU time: -F is the rate of "
				      "samples of that");
	if (arguments->event.period && arguments->hz)
		return cmd_fail(VERB, "give either -c N or -F HZ, not both");
	if (has_event && (arguments->is_wall || arguments->clock))
		return cmd_fail(VERB, "give either -e EVENT or --clock, not both");
	if (has_event && arguments->calls.count)
		return cmd_fail(VERB, "--calls needs CPU time: record -e EVENT by itself");
	return sampling_event_check(&arguments->event, VERB, is_inside(arguments));
}

/* Checks --kernel. Without permission, samples are as without it, and a line says why. */
static int check_kernel(const struct arguments *arguments)
{
	if (arguments->flags & RECORD_NO_STACKS)
		return cmd_fail(VERB, "give either --kernel or --no-stacks, not both");
	if (arguments->clock && strcmp(arguments->clock, "perf") != 0)
		return cmd_fail(VERB, "--kernel needs --clock cpu, perf or wall: timers do not see "
				      "the kernel");
	sampling_event_note_kernel(VERB, is_inside(arguments));
	return 0;
}

static int check(const struct arguments *arguments)
{
	bool has_command = *arguments->command, is_outside = arguments->engine == SESSION_OUTSIDE;
	bool is_running = arguments->pids.count || arguments->cgroup;

	if (!has_command && !is_running)
		return cmd_fail(VERB, "missing COMMAND; see dwell record --help");
	if (has_command && is_running)
		return cmd_fail(VERB, "give either %s or a COMMAND, not both",
				arguments->cgroup ? "--cgroup PATH" : "-p PID");
	if (arguments->cgroup && arguments->pids.count)
		return cmd_fail(VERB, "give either --cgroup PATH or -p PID, not both");
	if (arguments->cgroup && arguments->calls.count)
		return cmd_fail(VERB, "--calls needs a COMMAND or -p PID, not --cgroup");
	if (arguments->seconds > 0 && !is_running)
		return cmd_fail(VERB,
				"-d needs -p PID or --cgroup PATH: it is for running processes");
	if ((arguments->pieces.keep.count || arguments->pieces.keep.bytes) &&
	    !arguments->pieces.every_s)
		return cmd_fail(VERB, "--keep needs --every: it removes old pieces");
	if (arguments->calls.count && !arguments->pids.count && (is_outside || arguments->is_wall))
		return cmd_fail(VERB, "--calls needs --engine inside and --clock cpu");
	if (arguments->engine == SESSION_INSIDE && (arguments->is_wall || is_running))
		return cmd_fail(VERB, "--clock wall, -p and --cgroup need --engine outside");
	if (arguments->clock && (is_outside || is_running))
		return cmd_fail(VERB,
				"--engine outside supports only --clock cpu and --clock wall");
	if (arguments->calls.count && arguments->pids.count && check_running_calls(arguments))
		return CMD_FAILED;
	if (arguments->flags & RECORD_KERNEL_STACKS && check_kernel(arguments))
		return CMD_FAILED;
	return check_event(arguments);
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	int status = cmd_parse("+:F:e:c:o:p:d:qh", options, take_option, arguments, argc, argv);

	if (status)
		return status;
	arguments->command = argv + optind;
	if (arguments->is_wall)
		arguments->blocked_hz = arguments->hz ? arguments->hz : USUAL_BLOCKED_HZ;
	if (arguments->blocked_hz > MOST_BLOCKED_HZ)
		arguments->blocked_hz = MOST_BLOCKED_HZ;
	return arguments->help ? 0 : check(arguments);
}

static struct session session_of(const struct arguments *arguments)
{
	struct session session = {
		.verb = VERB,
		.command = arguments->command,
		.data = arguments->origin.data,
		.create = { .flags = arguments->flags,
			    .hz = arguments->hz ? arguments->hz : SAMPLING_USUAL_HZ,
			    .sampling_clock = arguments->clock,
			    .event = sampling_event_of(&arguments->event),
			    .period = arguments->event.period,
			    .chosen = &arguments->calls,
			    .labels = &arguments->origin.labels },
		.inject = INJECTION_RECORD,
		.via = arguments->via,
		.engine = arguments->is_wall ? SESSION_OUTSIDE : arguments->engine,
		.blocked_hz = arguments->blocked_hz,
		.switching = arguments->switching,
		.run_anyway = arguments->run_anyway,
		.show = arguments->quiet ? SESSION_NOTHING : SESSION_LINE,
	};

	if (arguments->calls.count) {
		session.inject |= INJECTION_CALLS;
		session.engine = SESSION_INSIDE;
	}
	return session;
}

/* Returns the directory of pieces, if none is given. */
static const char *usual_folder(const struct origin *origin)
{
	return label_list_find(&origin->labels, LABEL_RANK) ? "dwell-%r.pieces" : "dwell.pieces";
}

/* Finds the labels of the run, and the path of its recording. */
static int find_origin(struct arguments *arguments, const char *verb)
{
	pid_t pid = arguments->pids.count ? arguments->pids.list[0] : getpid();
	struct origin *origin = &arguments->origin;
	const char *pattern = arguments->data;
	int status = origin_complete(origin, verb, &arguments->pids);

	if (!status && !pattern && arguments->pieces.every_s)
		pattern = usual_folder(origin);
	return status ? status : origin_name(origin, verb, pattern, pid);
}

static int record(struct arguments *arguments)
{
	int status = find_origin(arguments, VERB);
	struct session session = session_of(arguments);
	struct pieces *pieces = &arguments->pieces;

	if (!status && pieces->every_s) {
		status = pieces_open(pieces, VERB, arguments->origin.data);
		pieces->counts_events = session.create.event;
		session.pieces = pieces;
		session.data = pieces->live;
	}
	if (status)
		return status;
	if (arguments->pids.count && arguments->calls.count)
		return running_count(&session, &arguments->pids, arguments->seconds);
	if (arguments->cgroup)
		return outside_watch_cgroup(&session, arguments->cgroup, arguments->seconds);
	if (arguments->pids.count)
		return outside_watch(&session, arguments->pids.list, arguments->pids.count,
				     arguments->seconds);
	return session_run(&session);
}

int cmd_record(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	int status = parse(&arguments, argc, argv);

	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status)
		status = record(&arguments);
	spec_list_free(&arguments.calls);
	pmu_events_free(&arguments.event.list);
	origin_free(&arguments.origin);
	pieces_close(&arguments.pieces);
	return status;
}

int cmd_record_and_report(char **command)
{
	struct arguments arguments = { .command = command };
	int status = find_origin(&arguments, "");
	struct session session = session_of(&arguments);

	session.verb = "";
	session.show = SESSION_TABLES;
	if (!status)
		status = session_run(&session);
	origin_free(&arguments.origin);
	return status;
}
