/* SPDX-License-Identifier: MIT */
#include "origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "variables.h"

/* The default of a rank: ranks of a program are started together, in one folder. */
#define DATA_OF_RANK "dwell-%r.data"

int origin_take_label(struct origin *origin, const char *verb, const char *text)
{
	struct err err;

	return label_list_add(&origin->labels, text, &err) ? cmd_fail(verb, "%s", err.text) : 0;
}

/* Reads what the environments of all processes have in common. One that cannot be read has
 * none. */
static int read_shared(struct variables *shared, const struct sampling_pids *pids)
{
	int status = variables_read(shared, pids->list[0]);

	for (size_t i = 1; i < pids->count && status != -ENOMEM; i++) {
		struct variables other;

		status = variables_read(&other, pids->list[i]);
		if (status != -ENOMEM)
			variables_share(shared, &other);
		variables_free(&other);
	}
	return status;
}

int origin_complete(struct origin *origin, const char *verb, const struct sampling_pids *pids)
{
	struct variables shared = { 0 };
	struct err err;
	int status;

	if (!pids || !pids->count)
		status = label_list_complete(&origin->labels, environ, &err);
	else if (read_shared(&shared, pids) == -ENOMEM)
		status = err_no_memory(&err);
	else
		status = label_list_complete(&origin->labels, shared.list, &err);
	variables_free(&shared);
	return status ? cmd_fail(verb, "%s", err.text) : 0;
}

/* Writes a value that becomes a part of a file's name. */
static void put_value(const char *value, FILE *out)
{
	for (; *value; value++)
		putc(*value == '/' ? '_' : *value, out);
}

/* Writes the local time, so that names are sorted by it. */
static void put_time(FILE *out)
{
	time_t now = time(NULL);
	struct tm local;
	char text[32] = "";

	if (localtime_r(&now, &local))
		strftime(text, sizeof(text), "%Y%m%d-%H%M%S", &local);
	fputs(text, out);
}

/* Returns the key of the label that a letter stands for; NULL: none. */
static const char *key_of(char letter)
{
	switch (letter) {
	case 'h':
		return LABEL_HOST;
	case 'r':
		return LABEL_RANK;
	case 'j':
		return LABEL_JOB;
	default:
		return NULL;
	}
}

/* Writes what %letter stands for. */
static int put(const struct origin *origin, char letter, pid_t pid, const char *pattern, FILE *out,
	       struct err *err)
{
	const char *key = key_of(letter), *value = key ? label_list_find(&origin->labels, key) : "";

	if (!value)
		return err_set(err, EINVAL,
			       "no %s for %%%c in '%s': the environment contains none; use %%p, or "
			       "give --label %s=VALUE",
			       key, letter, pattern, key);
	if (letter == 'p')
		fprintf(out, "%d", pid);
	else if (letter == 't')
		put_time(out);
	else if (letter == '%')
		putc('%', out);
	else if (key)
		put_value(value, out);
	else
		return err_set(err, EINVAL,
			       "unknown %%%.1s in '%s' (expected %%h, %%p, %%r, %%j, %%t or %%%%)",
			       &letter, pattern);
	return 0;
}

static int expand(const struct origin *origin, const char *pattern, pid_t pid, FILE *out,
		  struct err *err)
{
	int status = 0;

	for (const char *at = pattern; !status && *at; at++)
		if (*at != '%')
			putc(*at, out);
		else
			status = put(origin, *++at, pid, pattern, out, err);
	return status;
}

int origin_name(struct origin *origin, const char *verb, const char *pattern, pid_t pid)
{
	size_t size;
	FILE *out = open_memstream(&origin->data, &size);
	struct err err;
	int status;

	if (!out)
		return cmd_fail(verb, "out of memory");
	if (!pattern)
		pattern = label_list_find(&origin->labels, LABEL_RANK) ? DATA_OF_RANK : CMD_DATA;
	status = expand(origin, pattern, pid, out, &err);
	if (fclose(out))
		return cmd_fail(verb, "out of memory");
	return status ? cmd_fail(verb, "%s", err.text) : 0;
}

void origin_free(struct origin *origin)
{
	label_list_free(&origin->labels);
	free(origin->data);
	*origin = (struct origin){ 0 };
}
