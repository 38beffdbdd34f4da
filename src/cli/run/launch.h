/* SPDX-License-Identifier: MIT
 *
 * launch.h - runs a command and waits for its exit, as a shell does: signals from the terminal or a
 * supervisor are meant for the command.
 */
#ifndef DWELL_CLI_RUN_LAUNCH_H
#define DWELL_CLI_RUN_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"

struct launch {
	const char *path;
	char *const *argv;
	char *const *environment;
	/* Runs in the child before exec. Returns 0 or -errno. NULL: nothing to do. */
	int (*prepare)(void *argument);
	/* Runs in the parent just before that. Returns 0 or -errno. NULL: nothing to do. */
	int (*started)(void *argument, struct err *err);
	/* Runs in the parent while the child waits to exec. Returns 0 or -errno. NULL: the child
	 * does not wait. */
	int (*forked)(void *argument, pid_t pid, struct err *err);
	/* Runs in the parent again and again until the command has exited. NULL: nothing to do. */
	void (*meanwhile)(void *argument);
	/* Set to what the command and all that it has waited for have used; may be NULL. */
	struct rusage *usage;
	/* The caller handles signals, and none is forwarded to the command. */
	bool own_signals;
	void *argument;
};

/* Sets *status as wait() does. Fails only if the command was not run at all. */
int launch_run(const struct launch *launch, int *status, struct err *err);

/* Returns the exit status that a shell has for a status of wait(). */
int launch_exit_status(int status);

#endif
