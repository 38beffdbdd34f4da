/* SPDX-License-Identifier: MIT */
#include "variables.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Takes ownership of text; NULL means that there was no memory for it. */
static int append(struct variables *variables, char *text)
{
	char **list = text ? vec_room(variables->list, variables->count + 1, sizeof(*list)) : NULL;

	if (!list) {
		free(text);
		return -ENOMEM;
	}
	variables->list = list;
	list[variables->count++] = text;
	list[variables->count] = NULL;
	return 0;
}

int variables_copy(struct variables *variables, char *const *list)
{
	int status = 0;

	*variables = (struct variables){ .list = calloc(1, sizeof(*variables->list)) };
	if (!variables->list)
		return -ENOMEM;
	for (; *list && !status; list++)
		status = append(variables, strdup(*list));
	return status;
}

void variables_free(struct variables *variables)
{
	for (size_t i = 0; i < variables->count; i++)
		free(variables->list[i]);
	free(variables->list);
	*variables = (struct variables){ 0 };
}

/* Appends the next text of a file, of which each ends with a 0. Returns 1, 0 at the end, or
 * -ENOMEM. */
static int read_next(struct variables *variables, FILE *file)
{
	char *text = NULL;
	size_t size = 0;

	if (getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		return 0;
	}
	return append(variables, text) ? -ENOMEM : 1;
}

int variables_read(struct variables *variables, pid_t pid)
{
	char *const none[] = { NULL };
	int status = variables_copy(variables, none);
	char path[64];
	FILE *file;

	if (status)
		return status;
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	do
		status = read_next(variables, file);
	while (status > 0);
	fclose(file);
	return status;
}

static bool has(const struct variables *variables, const char *text)
{
	for (size_t i = 0; i < variables->count; i++)
		if (strcmp(variables->list[i], text) == 0)
			return true;
	return false;
}

void variables_share(struct variables *variables, const struct variables *other)
{
	size_t kept = 0;

	for (size_t i = 0; i < variables->count; i++) {
		if (has(other, variables->list[i]))
			variables->list[kept++] = variables->list[i];
		else
			free(variables->list[i]);
	}
	variables->count = kept;
	variables->list[kept] = NULL;
}

/* Returns the variable's index, or the count if there is none. */
static size_t find(const struct variables *variables, const char *name)
{
	size_t length = strlen(name), i = 0;

	while (i < variables->count && (strncmp(variables->list[i], name, length) != 0 ||
					variables->list[i][length] != '='))
		i++;
	return i;
}

const char *variables_get(const struct variables *variables, const char *name)
{
	size_t i = find(variables, name);

	return i < variables->count ? variables->list[i] + strlen(name) + 1 : NULL;
}

int variables_set(struct variables *variables, const char *name, const char *value)
{
	size_t i = find(variables, name);
	char *text;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		return -ENOMEM;
	if (i == variables->count)
		return append(variables, text);
	free(variables->list[i]);
	variables->list[i] = text;
	return 0;
}
