/* SPDX-License-Identifier: MIT
 *
 * variables.h - an environment for a command, apart from our own.
 */
#ifndef DWELL_CLI_RUN_VARIABLES_H
#define DWELL_CLI_RUN_VARIABLES_H

#include <stddef.h>

/* Starts as all zeroes; then list is as execve() wants it. */
struct variables {
	char **list; /* of NAME=VALUE, with NULL at its end */
	size_t count;
};

/* As many as there are in the other list. 0 or -ENOMEM. In either case, variables_free() is due. */
int variables_copy(struct variables *variables, char *const *list);
void variables_free(struct variables *variables);

/* NULL: there is none of that name. */
const char *variables_get(const struct variables *variables, const char *name);

/* Replaces one of that name. 0 or -ENOMEM. */
int variables_set(struct variables *variables, const char *name, const char *value);

#endif
