/* SPDX-License-Identifier: MIT */
#include "next_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "model/calls/calls_tree.h"
#include "model/profile/profile.h"

/* Characters that a shell takes as they are. */
static const char plain[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%+,-./:=@_";

/* Writes a file's name as an argument; the default needs none. */
static void write_argument(const char *data, FILE *out)
{
	if (strcmp(data, CMD_DATA) == 0)
		return;
	if (data[strspn(data, plain)] == '\0') {
		fprintf(out, " %s", data);
		return;
	}
	fputs(" '", out);
	for (; *data; data++)
		fputs(*data == '\'' ? "'\\''" : (const char[]){ *data, '\0' }, out);
	fputs("'", out);
}

/* Returns the report that shows more than the usual one, of what the recording contains. */
static const char *report_of(const struct reader *reader, bool is_shown)
{
	if (!is_shown)
		return "dwell report";
	if (profile_exists(reader) || calls_tree_exists(reader))
		return "dwell report --tree";
	return reader->header.flags & RECORD_BY_CALLER ? "dwell report --by caller"
						       : "dwell report --sort max";
}

char *next_steps(const struct reader *reader, const char *data, bool is_shown)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	fputs(report_of(reader, is_shown), out);
	write_argument(data, out);
	fputs(", dwell html", out);
	write_argument(data, out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
