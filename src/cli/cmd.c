/* SPDX-License-Identifier: MIT */
#include "cli/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "output/table/printable.h"

/* Writes the text as one line: names of files may contain anything. */
static void make_printable(char *line, size_t size, const char *text)
{
	FILE *out = fmemopen(line, size, "w");

	*line = '\0';
	if (!out)
		return;
	printable_write(text, out);
	fclose(out);
}

/* Flushes stdout first, so that the message follows the output it is about where both go to one
 * place. Writes the line by one call, because other processes may write there too. */
static void say(const char *verb, const char *format, va_list args)
{
	char text[2 * PATH_MAX], line[2 * sizeof(text)];

	vsnprintf(text, sizeof(text), format, args);
	make_printable(line, sizeof(line), text);
	fflush(stdout);
	fprintf(stderr, "dwell%s%s: %s\n", *verb ? " " : "", verb, line);
}

int cmd_fail(const char *verb, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(verb, format, args);
	va_end(args);
	return CMD_FAILED;
}

int cmd_fail_by(const char *verb, int status, const struct err *err)
{
	cmd_fail(verb, "%s", err->text);
	return status == -ENOMSG ? CMD_UNMATCHED : CMD_FAILED;
}

void cmd_note(const char *verb, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(verb, format, args);
	va_end(args);
}

int cmd_fail_option(const char *verb, int result, char **argv)
{
	const char *option = argv[optind - 1];
	char letter[] = { '-', (char)optopt, '\0' };

	/* Names the one letter of -abc that is meant. */
	if (strncmp(option, "--", 2) != 0 && optopt > 0 && optopt < 128)
		option = letter;
	return cmd_fail(verb,
			result == ':' ? "option '%s' needs a value; see dwell %s --help"
				      : "unknown option '%s'; see dwell %s --help",
			option, verb);
}

int cmd_parse(const char *letters, const struct option *options, cmd_take *take, void *arguments,
	      int argc, char **argv)
{
	int option, status = 0;

	/* The messages below replace those of getopt_long(). */
	opterr = 0;
	while (!status && (option = getopt_long(argc, argv, letters, options, NULL)) != -1)
		status = take(arguments, option, argv);
	return status;
}
