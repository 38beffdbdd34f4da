/* SPDX-License-Identifier: MIT
 *
 * variables.h - an environment for a command, separate from our own.
 */
#ifndef DWELL_CLI_RUN_VARIABLES_H
#define DWELL_CLI_RUN_VARIABLES_H

#include <stddef.h>

/* All zeroes at first. list is then suitable for execve(). */
struct variables {
	char **list; /* NAME=VALUE, terminated by NULL */
	size_t count;
};

/* Copies a list. Returns 0 or -ENOMEM; free with variables_free() in either case. */
int variables_copy(struct variables *variables, char *const *list);
void variables_free(struct variables *variables);

/* Returns NULL if there is none of that name. */
const char *variables_get(const struct variables *variables, const char *name);

/* Sets or replaces a variable. Returns 0 or -ENOMEM. */
int variables_set(struct variables *variables, const char *name, const char *value);

#endif
