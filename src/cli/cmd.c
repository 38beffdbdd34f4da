/* SPDX-License-Identifier: MIT */
#include "cli/cmd.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "output/printable.h"

/* stdout first: where both end up in one place, the sentence comes behind what it is about. */
static void say(const char *verb, const char *format, va_list args)
{
	fflush(stdout);
	fprintf(stderr, "dwell%s%s: ", *verb ? " " : "", verb);
	printable_vprint(stderr, format, args);
	putc('\n', stderr);
}

int cmd_fail(const char *verb, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(verb, format, args);
	va_end(args);
	return CMD_FAILED;
}

void cmd_note(const char *verb, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(verb, format, args);
	va_end(args);
}

int cmd_fail_option(const char *verb, int answer, char **argv)
{
	const char *option = argv[optind - 1];
	char letter[] = { '-', (char)optopt, '\0' };

	/* Of -abc, the one letter that is meant. */
	if (strncmp(option, "--", 2) != 0 && optopt > 0 && optopt < 128)
		option = letter;
	return cmd_fail(verb,
			answer == ':' ? "option %s needs a value; see dwell %s --help"
				      : "there is no option %s; see dwell %s --help",
			option, verb);
}

int cmd_parse(const char *letters, const struct option *options, cmd_take *take, void *arguments,
	      int argc, char **argv)
{
	int option, status = 0;

	/* We say ourselves what is wrong. */
	opterr = 0;
	while (!status && (option = getopt_long(argc, argv, letters, options, NULL)) != -1)
		status = take(arguments, option, argv);
	return status;
}
