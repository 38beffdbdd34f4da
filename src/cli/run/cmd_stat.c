/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/decimal.h"
#include "cli/cmd.h"
#include "cli/report/display.h"
#include "cli/report/output_file.h"
#include "launch.h"
#include "output/report/stat_table.h"
#include "target.h"

#define VERB "stat"

#define RUNS_MAX 10000

/* They say whether a program computes, waits, or is kept from its CPU or memory. */
#define DEFAULT_EVENTS                                                                             \
	"task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,"     \
	"branch-misses"

enum { FORMAT = 256 };

static const struct option options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "format", required_argument, NULL, FORMAT },
	{ "output", required_argument, NULL, 'o' },
	{ "repeat", required_argument, NULL, 'r' },
	DISPLAY_COLOR_OPTION,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell stat [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	"\n"
	"Runs a command and counts events in it and in all that it starts: CPU time, page faults,\n"
	"instructions and others. Writes the counts to stderr, and has the exit status of the\n"
	"command.\n"
	"\n"
	"  -e, --event EVENT[,EVENT...]\n"
	"                        count these instead: cycles, LLC-load-misses, cpu/event=0x3c/,\n"
	"                        r1a3; :u or :k behind one counts user code or the kernel alone\n"
	"  -r, --repeat N        run the command N times, and show means and their spread\n"
	"      --format FORMAT   text, json or csv [text]\n"
	"  -o, --output FILE     write to FILE\n" DISPLAY_COLOR_HELP
	"  -h, --help            show this help\n"
	"\n"
	"examples:\n"
	"  dwell stat ./app                         a summary\n"
	"  dwell stat -r 5 -e page-faults ./app     how much page faults vary\n";

struct arguments {
	struct pmu_events events;
	uint64_t runs;
	enum table_format format;
	const char *output;
	struct display_options display;
	bool help;
	char **command;
};

static int take_option(void *to, int option, char **argv)
{
	struct arguments *arguments = to;
	const char *end;
	struct err err;

	switch (option) {
	case 'e':
		if (pmu_event_parse(&arguments->events, optarg, PMU_EVENT_SYSFS, &err))
			return cmd_fail(VERB, "%s", err.text);
		return 0;
	case 'r':
		if (!decimal_prefix(optarg, RUNS_MAX, &arguments->runs, &end) || *end ||
		    !arguments->runs)
			return cmd_fail(VERB, "-r needs a number from 1 to %d, not '%s'", RUNS_MAX,
					optarg);
		return 0;
	case FORMAT:
		if (!table_format_parse(optarg, &arguments->format))
			return cmd_fail(VERB, "unknown format '%s': text, json and csv exist",
					optarg);
		return 0;
	case 'o':
		arguments->output = optarg;
		return 0;
	case 'h':
		arguments->help = true;
		return 0;
	default:
		return display_take(&arguments->display, VERB, option, argv);
	}
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
	struct err err;
	int status = cmd_parse("+:e:r:o:h", options, take_option, arguments, argc, argv);

	if (status || arguments->help)
		return status;
	arguments->command = argv + optind;
	if (!*arguments->command)
		return cmd_fail(VERB, "missing COMMAND; see dwell stat --help");
	if (!arguments->events.count &&
	    pmu_event_parse(&arguments->events, DEFAULT_EVENTS, PMU_EVENT_SYSFS, &err))
		return cmd_fail(VERB, "%s", err.text);
	return 0;
}

struct counting {
	const struct pmu_events *events;
	struct pmu_counter *counters;
	struct timespec started;
};

static int forked(void *argument, pid_t pid, struct err *err)
{
	struct counting *counting = argument;

	(void)err;
	for (size_t i = 0; i < counting->events->count; i++)
		pmu_counter_open(&counting->counters[i], &counting->events->events[i], pid);
	clock_gettime(CLOCK_MONOTONIC, &counting->started);
	return 0;
}

static double ns_since(const struct timespec *started)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - started->tv_sec) * 1e9 +
	       (double)(now.tv_nsec - started->tv_nsec);
}

static double ns_of(struct timeval time)
{
	return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

static int run_once(const char *path, char **command, struct counting *counting,
		    struct stat_result *result, int *exit_status, struct err *err)
{
	struct rusage usage = { 0 };
	const struct launch launch = { .path = path,
				       .argv = command,
				       .environment = environ,
				       .forked = forked,
				       .usage = &usage,
				       .argument = counting };
	int failed = launch_run(&launch, exit_status, err);
	double wall_ns = ns_since(&counting->started);

	for (size_t i = 0; i < result->count; i++)
		pmu_counter_finish(&counting->counters[i]);
	if (failed)
		return failed;
	for (size_t i = 0; i < result->count; i++)
		stat_add(&result->rows[i], &counting->counters[i]);
	result->runs++;
	result->wall_ns += wall_ns;
	result->wall_squares += wall_ns * wall_ns;
	result->user_ns += ns_of(usage.ru_utime);
	result->system_ns += ns_of(usage.ru_stime);
	return 0;
}

static int run_all(const struct arguments *arguments, struct stat_result *result, int *exit_status,
		   struct err *err)
{
	struct counting counting = { .events = &arguments->events };
	char *path;
	int status = target_find(arguments->command[0], &path, err);

	if (status)
		return status;
	counting.counters = calloc(arguments->events.count, sizeof(*counting.counters));
	result->rows = calloc(arguments->events.count, sizeof(*result->rows));
	result->count = arguments->events.count;
	if (!counting.counters || !result->rows)
		status = err_no_memory(err);
	for (size_t i = 0; i < result->count && counting.counters; i++)
		counting.counters[i].fd = -1;
	/* A command that fails, or that a signal ends, is not run again. */
	*exit_status = 0;
	for (uint64_t i = 0; i < arguments->runs && !status && !*exit_status; i++)
		status = run_once(path, arguments->command, &counting, result, exit_status, err);
	free(counting.counters);
	free(path);
	return status;
}

static int write_tables(const struct arguments *arguments, const struct stat_result *result,
			FILE *out, struct err *err)
{
	struct table table;
	int status = stat_table_make(&table, result, arguments->format, err);

	table.terminal = display_open(&arguments->display, arguments->format, out);
	if (!status)
		table_write(&table, arguments->format, out);
	if (!status && arguments->format == TABLE_TEXT)
		stat_table_summary(result, out);
	display_close();
	table_fini(&table);
	return status;
}

/* Writes to stderr, since stdout belongs to the command, or to a file. */
static int write_result(const struct arguments *arguments, const struct stat_result *result,
			struct err *err)
{
	struct output_file file;
	int status;

	if (!arguments->output)
		return write_tables(arguments, result, stderr, err);
	status = output_file_open(&file, arguments->output, err);
	if (status)
		return status;
	status = write_tables(arguments, result, file.out, err);
	if (!status)
		return output_file_finish(&file, err);
	output_file_drop(&file);
	return status;
}

static int stat_command(const struct arguments *arguments)
{
	struct stat_result result = { 0 };
	struct err err;
	int exit_status, status = run_all(arguments, &result, &exit_status, &err);

	if (!status)
		status = write_result(arguments, &result, &err);
	free(result.rows);
	if (status)
		return cmd_fail_by(VERB, status, &err);
	return launch_exit_status(exit_status);
}

int cmd_stat(int argc, char **argv)
{
	struct arguments arguments = { .runs = 1 };
	int status = parse(&arguments, argc, argv);

	if (!status && arguments.help)
		fputs(help, stdout);
	else if (!status)
		status = stat_command(&arguments);
	pmu_events_free(&arguments.events);
	return status;
}
