/* SPDX-License-Identifier: MIT */
#include "capture/environment.h"

#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

char **environment_at_start(char **argument)
{
	return environ ? environ : argument;
}

char *environment_value(char **environment, const char *variable)
{
	size_t length = strlen(variable);

	for (; *environment; environment++)
		if (strncmp(*environment, variable, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

char *environment_order(char **environment, const char *variable)
{
	return getauxval(AT_SECURE) ? NULL : environment_value(environment, variable);
}

void environment_unset(char **environment, const char *variable)
{
	char *value = environment_value(environment, variable);

	if (!value)
		return;
	while (*environment + strlen(variable) + 1 != value)
		environment++;
	do
		environment[0] = environment[1];
	while (*environment++);
}

void environment_remove(char **environment, const char *variable, const char *name)
{
	char *list = environment_value(environment, variable),
	     *ours = list ? strstr(list, name) : NULL;
	char *start = ours, *end;

	if (!ours)
		return;
	while (start > list && start[-1] != ':' && start[-1] != ' ')
		start--;
	end = ours + strcspn(ours, ": ");
	end += *end != '\0';
	memmove(start, end, strlen(end) + 1);
	if (!*list)
		environment_unset(environment, variable);
}
