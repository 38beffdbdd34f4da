/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/cmd.h"
#include "output/table/printable.h"
#include "recorded.h"
#include "recording/make/pause.h"

#define VERB "ctl"

static const struct option options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell ctl PID start|stop|status\n"
	"\n"
	"Starts or pauses a recording that is being made, or prints whether it is paused.\n"
	"PID is a recorded process, or the dwell that records it. Counting calls can be paused\n"
	"only if --toggle was given.\n"
	"\n"
	"  -h, --help            show this help\n"
	"\n"
	"examples:\n"
	"  dwell record --delay -1 ./server &      nothing is recorded yet\n"
	"  dwell ctl $! start                      now it is\n"
	"  dwell ctl $! stop                       and now it is paused\n";

/* Keeps one option. Returns 0 or the exit status. */
static int take_option(void *argument, int option, char **argv)
{
	if (option != 'h')
		return cmd_fail_option(VERB, option, argv);
	*(bool *)argument = true;
	return 0;
}

/* Counting calls cannot be paused unless that was asked for: see wrapper.c of the runtime. */
static int check(const struct recorded *recorded, pid_t pid, bool is_paused)
{
	if (recorded->is_unpausable && is_paused)
		return cmd_fail(VERB,
				"cannot pause the recording of process %d: it counts calls, which "
				"can be paused only if --toggle was given",
				(int)pid);
	return 0;
}

static int show(const struct recorded *recorded, pid_t pid)
{
	int is_paused = pause_get(recorded->fd);

	if (is_paused < 0)
		return cmd_fail(VERB, "cannot read '%s': %s", recorded->path, strerror(-is_paused));
	printable_print(stdout, "process %d: %s '%s'\n", (int)pid,
			is_paused ? "paused, in" : "recording to", recorded->path);
	return 0;
}

static int change(const struct recorded *recorded, pid_t pid, bool is_paused)
{
	int status = check(recorded, pid, is_paused), failed;

	if (status)
		return status;
	failed = pause_set(recorded->fd, is_paused);
	return failed ? cmd_fail(VERB, "cannot write '%s': %s", recorded->path, strerror(-failed))
		      : 0;
}

static int control(pid_t pid, const char *what)
{
	struct recorded recorded;
	struct err err;
	int status;

	if (recorded_find(&recorded, pid, &err))
		return cmd_fail(VERB, "%s", err.text);
	if (strcmp(what, "status") == 0)
		status = show(&recorded, pid);
	else
		status = change(&recorded, pid, strcmp(what, "stop") == 0);
	recorded_close(&recorded);
	return status;
}

static bool is_known(const char *what)
{
	return strcmp(what, "start") == 0 || strcmp(what, "stop") == 0 ||
	       strcmp(what, "status") == 0;
}

int cmd_ctl(int argc, char **argv)
{
	bool wants_help = false;
	uint64_t pid;
	int status = cmd_parse(":h", options, take_option, &wants_help, argc, argv);

	if (status)
		return status;
	if (wants_help) {
		fputs(help, stdout);
		return 0;
	}
	if (argc - optind != 2)
		return cmd_fail(VERB,
				"expected PID and start, stop or status; see dwell ctl --help");
	if (!decimal_parse(argv[optind], INT_MAX, &pid) || !pid)
		return cmd_fail(VERB, "invalid PID '%s'", argv[optind]);
	if (!is_known(argv[optind + 1]))
		return cmd_fail(VERB, "unknown action '%s' (expected start, stop or status)",
				argv[optind + 1]);
	return control((pid_t)pid, argv[optind + 1]);
}
