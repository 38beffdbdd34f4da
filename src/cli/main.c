/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/roomy.h"
#include "cli/run/target.h"

static const struct verb {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
} verbs[] = {
	{ "annotate", "the lines and instructions of a function, with their shares", cmd_annotate },
	{ "archive", "a recording with the names of its functions, to be carried away",
	  cmd_archive },
	{ "calls", "runs a command, and counts and times functions of shared libraries",
	  cmd_calls },
	{ "diff", "what has changed from one recording to another", cmd_diff },
	{ "doctor", "what works on this machine, and what to change to get more", cmd_doctor },
	{ "export", "writes what was recorded for other tools: pprof, flame graphs, ...",
	  cmd_export },
	{ "html", "makes a page for browsers of a recording, or of two to compare", cmd_html },
	{ "info", "how a recording was made: clock, rate, losses, objects", cmd_info },
	{ "list", "what can be profiled: imports by library, exports", cmd_list },
	{ "record", "runs a command, and samples where it spends its time", cmd_record },
	{ "report", "shows what was recorded", cmd_report },
	{ "top", "a live screen: where a program spends its time now", cmd_top },
};

static void usage(FILE *out)
{
	fputs("usage: dwell COMMAND [ARGUMENT...]\n"
	      "       dwell VERB [OPTION...] [ARGUMENT...]\n"
	      "       dwell VERB --help\n"
	      "       dwell --help | --version\n"
	      "\n"
	      "Tells where a native program spends its time, with nothing rebuilt. A COMMAND that "
	      "is\n"
	      "no VERB is recorded, and its profile shown at the end.\n"
	      "\n"
	      "verbs:\n",
	      out);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		fprintf(out, "  %-8s  %s\n", verbs[i].name, verbs[i].summary);
	fputs("\n"
	      "examples:\n"
	      "  dwell ./app                     where does it spend its time?\n"
	      "  dwell list /usr/bin/python3     which functions it takes from which library\n"
	      "  dwell calls -f 'libc.so*:*' ls  how often ls calls those of libc, and for how "
	      "long\n"
	      "  dwell report                    that again, from the recording dwell.data\n",
	      out);
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

	if (argc < 2) {
		usage(stderr);
		return CMD_FAILED;
	}
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
		return cmd_fail("", "there is no option '%s'; see dwell --help", word);
	if (!is_command(word))
		return cmd_fail("", "there is no verb or command '%s'; see dwell --help", word);
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
