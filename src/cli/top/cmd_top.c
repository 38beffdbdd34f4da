/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "cli/cmd.h"
#include "cli/run/origin.h"
#include "cli/run/outside.h"
#include "cli/run/sampling.h"
#include "top.h"
#include "top_rescue.h"
#include "top_screen.h"

#define VERB         "top"
#define USUAL_DELAY  1.0
#define USUAL_WINDOW 5.0
#define WINDOW_MAX   600.0
#define USUAL_LIMIT  20
#define BLOCKED_HZ   99 /* looks at waiting threads, as with dwell record */
#define SUBJECT_MAX  256

struct arguments {
	struct top_options top;
	const char *data; /* a pattern; NULL: the recording is removed at the end */
	struct origin origin;
	enum session_engine engine;
	struct sampling_pids pids;
	uint32_t flags; /* enum record_flags */
	bool help;
	char **command;
};

/* Options without a short form. */
enum {
	WINDOW = 256,
	BATCH,
	LIMIT,
	BY,
	SORT,
	CLOCK,
	ENGINE,
	LOG,
	LONG,
	NO_DEMANGLE,
	NO_FOLLOW,
	NO_INLINE
};

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "frequency", required_argument, NULL, 'F' },
	{ "delay", required_argument, NULL, 'd' },
	{ "window", required_argument, NULL, WINDOW },
	{ "sort", required_argument, NULL, SORT },
	{ "by", required_argument, NULL, BY },
	{ "filter", required_argument, NULL, 'f' },
	{ "batch", no_argument, NULL, BATCH },
	{ "count", required_argument, NULL, 'n' },
	{ "limit", required_argument, NULL, LIMIT },
	{ "output", required_argument, NULL, 'o' },
	{ "log", required_argument, NULL, LOG },
	{ "clock", required_argument, NULL, CLOCK },
	{ "engine", required_argument, NULL, ENGINE },
	{ "no-follow", no_argument, NULL, NO_FOLLOW },
	{ "no-demangle", no_argument, NULL, NO_DEMANGLE },
	{ "no-inline", no_argument, NULL, NO_INLINE },
	{ "long", no_argument, NULL, LONG },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell top -p PID[,PID...] [OPTION...]\n"
	"       dwell top [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	"\n"
	"Shows live where running processes, or COMMAND, spend their CPU time: functions by their\n"
	"share of the last seconds, threads, callers and callees. Press h for the keys.\n"
	"\n"
	"  -p, --pid PID[,PID]    watch running processes; they are not ended\n"
	"  -d, --delay SECONDS    time between updates [1]\n"
	"      --window SECONDS   time that shares cover, up to 600 [5]\n"
	"  -F, --frequency HZ     samples per second of CPU time [999]\n"
	"      --clock cpu|wall   wall: show threads that wait as well, and where [cpu]\n"
	"      --by WHAT          function, thread or program\n"
	"      --sort COLUMN      self, total, waiting or name\n"
	"  -f, --filter TEXT      show part of a name, or [OBJECT:]FUNCTION with * and ?\n"
	"      --batch            print plain tables instead of a screen, as on a dumb terminal\n"
	"  -n, --count COUNT      stop after COUNT tables\n"
	"      --limit ROWS       rows per table [20]\n"
	"  -o, --output FILE      keep the recording in FILE, for dwell report; %h, %p, %r, %j\n"
	"                         and %t stand for the same as in dwell record\n"
	"      --log FILE         write the output of COMMAND to FILE; else key o shows its end\n"
	"      --engine ENGINE    inside or outside; see dwell record --help\n"
	"      --no-follow        do not record children\n"
	"      --no-demangle      show names as in the symbol table\n"
	"      --no-inline        count inlined functions as part of their callers\n"
	"      --long             show long names of C++ and Rust whole\n"
	"  -h, --help             show this help\n"
	"\n"
	"examples:\n"
	"  dwell top -p 4711                   a running server\n"
	"  dwell top -- ./app --its-option     a program from its start; leaving ends it\n"
	"  dwell top --batch -n 3 -p 4711      three tables, for a file or a pipe\n";

/* ---- options ---- */

static int take_number(const char *value, uint64_t most, const char *what, uint64_t *number)
{
	if (!decimal_parse(value, most, number) || *number == 0)
		return cmd_fail(VERB, "invalid %s '%s'", what, value);
	return 0;
}

static int take_seconds(const char *value, double most, double *seconds)
{
	char *end;

	*seconds = strtod(value, &end);
	if (end == value || *end || !(*seconds >= 0.1 && *seconds <= most))
		return cmd_fail(VERB, "invalid number of seconds '%s': must be 0.1 to %g", value,
				most);
	return 0;
}

/* Finds the index of a word in a list. */
static int take_word(const char *value, const char *const *words, size_t count, const char *what,
		     unsigned *place)
{
	for (unsigned i = 0; i < count; i++)
		if (strcmp(value, words[i]) == 0) {
			*place = i;
			return 0;
		}
	return cmd_fail(VERB, "unknown %s '%s'; see dwell top --help", what, value);
}

static int take_choice(struct arguments *arguments, int option, const char *value)
{
	static const char *const columns[] = { "self", "total", "waiting", "name" };
	static const char *const rows[] = { "function", "thread", "program" };
	static const char *const clocks[] = { "cpu", "wall" };
	static const char *const engines[] = { "inside", "outside" };
	unsigned place = 0;
	int status;

	if (option == SORT) {
		status = take_word(value, columns, 4, "--sort column", &place);
		arguments->top.sort = (enum live_sort)place;
	} else if (option == BY) {
		status = take_word(value, rows, 3, "--by value", &place);
		arguments->top.by = (enum live_by)place;
	} else if (option == CLOCK) {
		status = take_word(value, clocks, 2, "clock", &place);
		arguments->top.is_wall = place;
	} else {
		status = take_word(value, engines, 2, "engine", &place);
		arguments->engine = place ? SESSION_OUTSIDE : SESSION_INSIDE;
	}
	return status;
}

static int take_flag(struct arguments *arguments, int option, char **argv)
{
	switch (option) {
	case BATCH:
		arguments->top.is_batch = true;
		return 0;
	case LONG:
		arguments->top.long_names = true;
		return 0;
	case NO_DEMANGLE:
		arguments->top.mangled = true;
		return 0;
	case NO_INLINE:
		arguments->top.no_inline = true;
		return 0;
	case NO_FOLLOW:
		arguments->flags |= RECORD_NO_FOLLOW;
		return 0;
	case 'h':
		arguments->help = true;
		return 0;
	default:
		return cmd_fail_option(VERB, option, argv);
	}
}

static int take_limit(struct arguments *arguments, const char *value)
{
	uint64_t rows = 0;
	int status = take_number(value, UINT32_MAX, "number of rows", &rows);

	arguments->top.limit = (size_t)rows;
	return status;
}

static int take_option(void *argument, int option, char **argv)
{
	struct arguments *arguments = argument;

	switch (option) {
	case 'p':
		return sampling_take_pids(&arguments->pids, VERB, optarg);
	case 'F':
		return sampling_take_hz(&arguments->top.hz, VERB, optarg);
	case 'd':
		return take_seconds(optarg, 3600, &arguments->top.delay_s);
	case WINDOW:
		return take_seconds(optarg, WINDOW_MAX, &arguments->top.window_s);
	case 'f':
		arguments->top.filter = optarg;
		return 0;
	case 'n':
		return take_number(optarg, UINT32_MAX, "number of tables", &arguments->top.tables);
	case LIMIT:
		return take_limit(arguments, optarg);
	case 'o':
		arguments->data = optarg;
		return 0;
	case LOG:
		arguments->top.log = optarg;
		return 0;
	case SORT:
	case BY:
	case CLOCK:
	case ENGINE:
		return take_choice(arguments, option, optarg);
	default:
		return take_flag(arguments, option, argv);
	}
}

static int check(const struct arguments *arguments)
{
	bool has_command = *arguments->command;
	struct err err;

	if (!has_command && !arguments->pids.count)
		return cmd_fail(VERB, "missing COMMAND or -p PID; see dwell top --help");
	if (has_command && arguments->pids.count)
		return cmd_fail(VERB, "give either -p PID or a COMMAND, not both");
	if (arguments->top.log && !has_command)
		return cmd_fail(VERB, "--log needs a COMMAND");
	if (arguments->engine == SESSION_INSIDE &&
	    (arguments->pids.count || arguments->top.is_wall))
		return cmd_fail(VERB, "-p and --clock wall need --engine outside");
	if (arguments->top.sort == LIVE_BY_WAITING && !arguments->top.is_wall)
		return cmd_fail(VERB, "--sort waiting needs --clock wall");
	if (arguments->top.tables && !arguments->top.is_batch)
		return cmd_fail(VERB, "-n needs --batch");
	if (!arguments->top.is_batch && top_screen_check(&err))
		return cmd_fail(VERB, "%s", err.text);
	return 0;
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	int status = cmd_parse("+:p:F:d:f:n:o:h", options, take_option, arguments, argc, argv);

	if (status)
		return status;
	arguments->command = argv + optind;
	arguments->top.is_batch = arguments->top.is_batch || top_screen_is_dumb();
	return arguments->help ? 0 : check(arguments);
}

/* ---- the recording ---- */

/* A directory with mode 0700 that contains the recording. */
struct temporary {
	char folder[512];
	char file[512 + 16];
};

static int make_temporary(struct temporary *temporary)
{
	const char *place = getenv("TMPDIR");
	int size = snprintf(temporary->folder, sizeof(temporary->folder), "%s/dwell-top.XXXXXX",
			    place && *place ? place : "/tmp");

	if ((size_t)size >= sizeof(temporary->folder))
		return cmd_fail(VERB, "the path in TMPDIR is too long");
	if (!mkdtemp(temporary->folder))
		return cmd_fail(VERB, "cannot create '%s': %s", temporary->folder, strerror(errno));
	snprintf(temporary->file, sizeof(temporary->file), "%s/recording", temporary->folder);
	top_rescue_file(temporary->file, temporary->folder);
	return 0;
}

static void remove_temporary(const struct temporary *temporary)
{
	top_rescue_file(NULL, NULL);
	unlink(temporary->file);
	rmdir(temporary->folder);
}

/* ---- running ---- */

static const char *describe(char **command, char subject[SUBJECT_MAX])
{
	size_t length = 0;

	for (; *command && length < SUBJECT_MAX - 1; command++)
		length += (size_t)snprintf(subject + length, SUBJECT_MAX - length, "%s%s",
					   length ? " " : "", *command);
	return subject;
}

/* Returns 0 if the user has left, whatever the command's exit status is. */
static int exit_code_of(const struct top *top, int status)
{
	int signal = top_signal();

	if (top->failed)
		return cmd_fail(VERB, "%s", top->news);
	if (signal && signal != SIGINT)
		return 128 + signal;
	return top->state.is_over && top->asked_s > 0 ? 0 : status;
}

static int run(const struct arguments *arguments, const char *data)
{
	static struct top top; /* static because it is large */
	struct session_watcher watcher = top_watcher;
	struct session session = { .verb = VERB,
				   .command = arguments->command,
				   .data = data,
				   .create = { .flags = arguments->flags,
					       .hz = arguments->top.hz,
					       .labels = &arguments->origin.labels },
				   .inject = INJECTION_RECORD,
				   .engine = arguments->top.is_wall ? SESSION_OUTSIDE
								    : arguments->engine,
				   .blocked_hz = arguments->top.is_wall ? BLOCKED_HZ : 0,
				   .watcher = &watcher,
				   .is_temporary = !arguments->data };
	struct err err;
	int status = top_init(&top, &arguments->top, &err);

	watcher.argument = &top;
	if (status)
		status = cmd_fail(VERB, "%s", err.text);
	else if (arguments->pids.count)
		status = outside_watch(&session, arguments->pids.list, arguments->pids.count, 0);
	else
		status = session_run(&session);
	top_fini(&top);
	return exit_code_of(&top, status);
}

/* Dies of SIGPIPE as usual, without a message, if the pipe has been closed. */
static int leave(int status)
{
	if (top_signal() == SIGPIPE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return status;
}

/* Records to a file that is kept. */
static int run_and_keep(struct arguments *arguments)
{
	pid_t pid = arguments->pids.count ? arguments->pids.list[0] : getpid();
	int status = origin_name(&arguments->origin, VERB, arguments->data, pid);

	arguments->top.keep = true;
	return status ? status : leave(run(arguments, arguments->origin.data));
}

static int run_and_remove(const struct arguments *arguments)
{
	struct temporary temporary;
	int status = make_temporary(&temporary);

	if (status)
		return status;
	status = run(arguments, temporary.file);
	remove_temporary(&temporary);
	return leave(status);
}

int cmd_top(int argc, char **argv)
{
	struct arguments arguments = { .top = { .delay_s = USUAL_DELAY,
						.window_s = USUAL_WINDOW,
						.hz = SAMPLING_USUAL_HZ,
						.limit = USUAL_LIMIT } };
	int status = parse(&arguments, argc, argv);
	char subject[SUBJECT_MAX] = "";

	if (!status && arguments.help)
		fputs(help, stdout);
	if (status || arguments.help)
		return status;
	arguments.top.is_command = !arguments.pids.count;
	if (arguments.top.is_command)
		arguments.top.subject = describe(arguments.command, subject);
	status = origin_complete(&arguments.origin, VERB, &arguments.pids);
	if (!status)
		status = arguments.data ? run_and_keep(&arguments) : run_and_remove(&arguments);
	origin_free(&arguments.origin);
	return status;
}
