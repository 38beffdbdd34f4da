/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dwell_version.h>

#include "cli/cmd.h"
#include "cli/roomy.h"
#include "cli/run/target.h"

static const struct verb {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
} verbs[] = {
	{ "annotate", "show the lines or instructions of a function with their shares",
	  cmd_annotate },
	{ "archive", "add names to a recording, so that it can be read elsewhere", cmd_archive },
	{ "calls", "run a command, and count and time calls of shared libraries", cmd_calls },
	{ "ctl", "start or pause a recording that is being made", cmd_ctl },
	{ "diff", "compare recordings", cmd_diff },
	{ "doctor", "check what works on this machine, and what to change", cmd_doctor },
	{ "export", "convert a recording for other tools: pprof, flame graphs, ...", cmd_export },
	{ "html", "write a web page of a recording, or of two to compare", cmd_html },
	{ "import", "make a recording of a profile of another tool: perf, pprof, ...", cmd_import },
	{ "info", "show how a recording was made: clock, rate, losses, objects", cmd_info },
	{ "list", "list functions that can be profiled: imports by library, exports", cmd_list },
	{ "mcp", "serve recordings to programs: Model Context Protocol", cmd_mcp },
	{ "merge", "make one recording of many: of ranks, machines or pieces", cmd_merge },
	{ "push", "send recordings to a receiver of profiles: OTLP, Pyroscope, ...", cmd_push },
	{ "query", "show recordings of many machines that are in ClickHouse", cmd_query },
	{ "record", "run a command, and sample where it spends its time", cmd_record },
	{ "report", "show a recording", cmd_report },
	{ "stat", "run a command, and count events: page faults, instructions, ...", cmd_stat },
	{ "store", "store recordings of many machines in ClickHouse", cmd_store },
	{ "top", "show live where a program spends its time", cmd_top },
};

static void usage(FILE *out)
{
	fputs("usage: dwell COMMAND [ARGUMENT...]\n"
	      "       dwell VERB [OPTION...] [ARGUMENT...]\n"
	      "       dwell VERB --help\n"
	      "       dwell --help | --version\n"
	      "\n"
	      "Shows where a native program spends its time, with nothing rebuilt. Records a "
	      "COMMAND\n"
	      "that is not a VERB, and shows its profile at the end.\n"
	      "\n"
	      "verbs:\n",
	      out);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		fprintf(out, "  %-8s  %s\n", verbs[i].name, verbs[i].summary);
	fputs("\n"
	      "examples:\n"
	      "  dwell ./app                     record ./app, and show its profile\n"
	      "  dwell list /usr/bin/python3     list the functions it imports, by library\n"
	      "  dwell calls -f 'libc.so*:*' ls  count and time calls from ls to libc\n"
	      "  dwell report                    show the recording dwell.data again\n",
	      out);
}

/* Says what to do next, where nothing was asked for: look at the recording that is here, or make
 * one. */
static int suggest(void)
{
	if (access(CMD_DATA, R_OK) == 0)
		fputs("dwell: there is a recording here, " CMD_DATA "; next:\n"
		      "  dwell report      show its functions; --tree shows callers\n"
		      "  dwell html        write a page of it, with a flame graph\n",
		      stderr);
	else
		fputs("dwell: shows where a program spends its time; next:\n"
		      "  dwell ./app       record ./app, and show its profile\n"
		      "  dwell top -p PID  watch a process that runs\n",
		      stderr);
	fputs("dwell --help lists all verbs.\n", stderr);
	return CMD_FAILED;
}

static bool is_command(const char *word)
{
	struct err err;
	char *path;
	int status = target_find(word, &path, &err);

	if (!status)
		free(path);
	return !status;
}

static int run(int argc, char **argv)
{
	const char *word = argv[1];

	if (argc < 2)
		return suggest();
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		usage(stdout);
		return 0;
	}
	if (strcmp(word, "--version") == 0) {
		puts("dwell " DWELL_VERSION);
		return 0;
	}
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(word, verbs[i].name) == 0)
			return verbs[i].run(argc - 1, argv + 1);
	if (*word == '-')
		return cmd_fail("", "unknown option '%s'; see dwell --help", word);
	if (!is_command(word))
		return cmd_fail("", "unknown verb or command '%s'; see dwell --help", word);
	return cmd_record_and_report(argv + 1);
}

/* Fails if the output could not be written: a full disk must not pass for success. */
int main(int argc, char **argv)
{
	int status = roomy_run(run, argc, argv);

	if (fflush(stdout) || ferror(stdout))
		return cmd_fail("", "cannot write the output: %s", strerror(errno));
	return status;
}
