/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "mcp.h"
#include "mcp_run.h"

#define VERB "mcp"

/* A message has names of files and functions; one that is longer is skipped to its end. */
#define MESSAGE_MAX (1U << 20)

static const struct option options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: dwell mcp\n"
	"\n"
	"Serves recordings to programs over the Model Context Protocol, on standard input and\n"
	"output: the tools report, diff, annotate, info and query. They read what the user may\n"
	"read, and write nothing.\n"
	"\n"
	"  -h, --help            show this help\n"
	"\n"
	"examples:\n"
	"  {\"mcpServers\": {\"dwell\": {\"command\": \"dwell\", \"args\": [\"mcp\"]}}}\n"
	"                        an entry for the settings of a client\n";

/* Reads a line without its end. Returns its length, which may exceed MESSAGE_MAX: the rest of it is
 * skipped; -1: there is no further line. */
static ssize_t read_line(char *line)
{
	size_t length = 0;
	int byte = getc_unlocked(stdin);

	if (byte == EOF)
		return -1;
	while (byte != EOF && byte != '\n') {
		if (length < MESSAGE_MAX)
			line[length] = (char)byte;
		if (length <= MESSAGE_MAX)
			length++;
		byte = getc_unlocked(stdin);
	}
	return (ssize_t)length;
}

static bool is_blank(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!strchr(" \t\r", line[i]))
			return false;
	return true;
}

static int serve(void)
{
	char *line = malloc(MESSAGE_MAX), *reply;
	ssize_t length;

	if (!line)
		return cmd_fail(VERB, "out of memory");
	while ((length = read_line(line)) >= 0) {
		if (length > MESSAGE_MAX)
			reply = mcp_reply_too_long(MESSAGE_MAX);
		else if (is_blank(line, (size_t)length))
			continue;
		else
			reply = mcp_reply(line, (size_t)length, mcp_run_dwell);
		if (reply)
			puts(reply);
		free(reply);
		/* The client waits for it. Without a reader there is nothing left to do; main()
		 * says so. */
		if (fflush(stdout))
			break;
	}
	free(line);
	return 0;
}

static int take_option(void *argument, int option, char **argv)
{
	bool *wants_help = argument;

	if (option != 'h')
		return cmd_fail_option(VERB, option, argv);
	*wants_help = true;
	return 0;
}

int cmd_mcp(int argc, char **argv)
{
	bool wants_help = false;
	int status = cmd_parse(":h", options, take_option, &wants_help, argc, argv);

	if (!status && optind < argc && !wants_help)
		status = cmd_fail(VERB, "unexpected argument '%s'", argv[optind]);
	if (status)
		return status;
	if (!wants_help)
		return serve();
	fputs(help, stdout);
	return 0;
}
