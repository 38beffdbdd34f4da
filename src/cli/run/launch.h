/* SPDX-License-Identifier: MIT
 *
 * launch.h - runs a command and waits for its end, as a shell would: what the terminal or a
 * supervisor sends us is for the command.
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
	/* In the child, before it becomes the command: 0 or -errno. NULL: there is nothing to be
	 * done. */
	int (*prepare)(void *argument);
	/* In ourselves, just before that: 0 or -errno. */
	int (*started)(void *argument, struct err *err);
	/* In ourselves, while the child waits to become the command: 0 or -errno. NULL: it does not
	 * wait. */
	int (*forked)(void *argument, pid_t pid, struct err *err);
	/* In ourselves, again and again until the command has ended. NULL: there is nothing to be
	 * done. */
	void (*meanwhile)(void *argument);
	/* Set to what the command and all that it has waited for have used; may be NULL. */
	struct rusage *usage;
	/* What is sent to us is taken care of, and none of it is for the command. */
	bool own_signals;
	void *argument;
};

/* *status: what wait() said. Fails only if the command was not run at all. */
int launch_run(const struct launch *launch, int *status, struct err *err);

#endif
