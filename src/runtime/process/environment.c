/* SPDX-License-Identifier: MIT */
#include "environment.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define BLOCK_MAX ((ptrdiff_t)8 << 20) /* more than the kernel accepts as arguments */

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

void environment_rename(char **environment, const char *variable, const char *name)
{
	char *value = environment_value(environment, variable);

	if (value)
		memcpy(value - strlen(variable) - 1, name, strlen(name));
}

void environment_restore_auditors(char **environment)
{
	if (!environment_value(environment, ENVIRONMENT_KEPT_AUDITORS))
		return;
	environment_unset(environment, ENVIRONMENT_AUDITORS);
	environment_rename(environment, ENVIRONMENT_KEPT_AUDITORS, ENVIRONMENT_AUDITORS);
}

/*
 * Returns whether this is the environment passed to exec(): it is below the other data that the
 * kernel puts on the stack. The program may have made a new one since.
 */
static bool is_original(char **environment)
{
	uintptr_t random = getauxval(AT_RANDOM), start = (uintptr_t)environment;

	return random > start && random - start < (uintptr_t)BLOCK_MAX;
}

/*
 * Finds the arguments. Before the environment there are a NULL, the arguments, which point to
 * strings above, and their number. NULL: the memory does not look like that.
 */
static char **arguments_of(char **environment, size_t *count)
{
	char **argument = environment - 1;

	for (*count = 0; (uintptr_t)argument[-1] != *count; ++*count) {
		argument--;
		if (*argument < (char *)environment || *argument - (char *)environment > BLOCK_MAX)
			return NULL;
	}
	return argument;
}

static const char *end_of(const char *string)
{
	return string + strlen(string) + 1;
}

struct title_block environment_title(char **environment)
{
	struct title_block block = { NULL, NULL, NULL };
	size_t count = 0;
	char **arguments = is_original(environment) ? arguments_of(environment, &count) : NULL;

	if (!arguments || !count)
		return block;
	block.start = arguments[0];
	block.end = block.environment_end = end_of(arguments[count - 1]);
	for (; *environment; environment++) {
		const char *end = end_of(*environment);

		/* The dynamic linker may have moved one elsewhere. */
		if (end > block.environment_end && end - block.environment_end < BLOCK_MAX)
			block.environment_end = end;
	}
	return block;
}
