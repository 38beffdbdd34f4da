/* SPDX-License-Identifier: MIT */
#include "variables.h"

#include <errno.h>
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
