/* SPDX-License-Identifier: MIT
 *
 * verbs.h - runs a verb of dwell that reads recordings, inside the test.
 */
#ifndef DWELL_TEST_VERBS_H
#define DWELL_TEST_VERBS_H

#include <getopt.h>
#include <string.h>

#include "cli/cmd.h"

#define VERBS_ARGUMENTS 8

/* Runs a verb, given with its options up to NULL, with the path of a recording; diff gets it twice.
 * Returns its exit status. */
static int verbs_run(const char *const *way, const char *path)
{
	char *argv[VERBS_ARGUMENTS + 3] = { NULL };
	int argc = 0;

	for (; way[argc]; argc++)
		argv[argc] = (char *)way[argc];
	argv[argc++] = (char *)path;
	/* Resets getopt. */
	optind = 0;
	if (strcmp(argv[0], "diff") == 0) {
		argv[argc++] = (char *)path;
		return cmd_diff(argc, argv);
	}
	if (strcmp(argv[0], "html") == 0)
		return cmd_html(argc, argv);
	if (strcmp(argv[0], "export") == 0)
		return cmd_export(argc, argv);
	return strcmp(argv[0], "info") == 0 ? cmd_info(argc, argv) : cmd_report(argc, argv);
}

#endif
