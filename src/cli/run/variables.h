/* SPDX-License-Identifier: MIT
 *
 * variables.h - an environment separate from our own: for a command, or of other processes.
 */
#ifndef DWELL_CLI_RUN_VARIABLES_H
#define DWELL_CLI_RUN_VARIABLES_H

#include <stddef.h>
#include <sys/types.h>

/* All zeroes at first. list is then suitable for execve(). */
struct variables {
	char **list; /* NAME=VALUE, terminated by NULL */
	size_t count;
};

/* Copies a list. Returns 0 or -ENOMEM; free with variables_free() in either case. */
int variables_copy(struct variables *variables, char *const *list);
void variables_free(struct variables *variables);

/* Reads those that a process was started with. Returns 0 or -errno, and none if the process is gone
 * or of another user; free with variables_free() in either case. */
int variables_read(struct variables *variables, pid_t pid);

/* Removes variables that the other list lacks, or has with another value. */
void variables_share(struct variables *variables, const struct variables *other);

/* Returns NULL if there is none of that name. */
const char *variables_get(const struct variables *variables, const char *name);

/* Sets or replaces a variable. Returns 0 or -ENOMEM. */
int variables_set(struct variables *variables, const char *name, const char *value);

#endif
